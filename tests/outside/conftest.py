"""Homes for the tests from outside: one running owner for a worker, or one of the test's own."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from outside_clock import start
from outside_house import House, Room, started
from outside_talk import office

_number = itertools.count(1)


def at_once(house: House) -> None:
    """A comment wakes without waiting for others like it; bursts have tests of their own."""
    house.program("PATCH", "/settings", {"coalescing_window_sec": 0})


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One running owner for all tests of this worker that leave it as it was."""
    with started(tmp_path_factory.mktemp("shared"), hurried=True) as house:
        at_once(house)
        yield house


@pytest.fixture
def room(shared: House) -> Room:
    """A new repository with the shared owner."""
    return shared.room(f"repo-{next(_number)}")


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One owner with a test clock for all tests of a module: its time goes on from test to test."""
    house = House(tmp_path_factory.mktemp("standing"), hurried=True)
    try:
        start(house, TZ="UTC")
        yield house
    finally:
        house.close()


@pytest.fixture
def stage(standing: House) -> Iterator[Room]:
    """A new repository there; what the test leaves behind does nothing while others move time."""
    room = standing.room(f"repo-{next(_number)}")
    yield room
    for routine in office(standing, "GET", f"?workspace_id={room.id}").json["items"]:
        office(standing, "DELETE", f"/{routine['id']}")
    for agent in standing.get("/agents", workspace_id=room.id)["items"]:
        standing.post(f"/agents/{agent['id']}/pause")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A home of the test's own; nothing runs in it yet."""
    house = House(tmp_path, hurried=True)
    yield house
    house.close()


@pytest.fixture
def running(house: House) -> House:
    house.start()
    at_once(house)
    return house


@pytest.fixture
def another(tmp_path: Path) -> Iterator[Callable[[], House]]:
    """More homes."""
    made: list[House] = []

    def make() -> House:
        made.append(House(tmp_path / f"other-{len(made)}", hurried=True))
        return made[-1]

    yield make
    for house in made:
        house.close()
