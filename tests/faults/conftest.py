"""What the long fault runs have in common: a home of their own, and a word on the terminal."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from outside_house import House

Show = Callable[[str], None]


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Show:
    """Seen also when the test holds."""

    def shown(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}")

    return shown


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Nothing runs in it yet."""
    made = House(tmp_path)
    yield made
    made.close()


@pytest.fixture
def running(house: House) -> House:
    house.start()
    return house
