"""Hands each test a home with a living owner, a repository and four agents."""

from collections.abc import Iterator

import pytest
from kills.campaign import Site, site


@pytest.fixture
def made() -> Iterator[Site]:
    with site(hurried=True) as one:
        one.owners.start()
        one.settle_in(commands=4, demos=0)
        yield one
