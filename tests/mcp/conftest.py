"""The house that the tests of `/mcp` and of its bridge share."""

from collections.abc import Iterator

import pytest
from mcp_house import House


@pytest.fixture
def house() -> Iterator[House]:
    house = House()
    try:
        yield house
    finally:
        house.desk.go.set()
        house.close()
