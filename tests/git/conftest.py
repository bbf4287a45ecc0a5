"""The world of the git room's tests."""

from pathlib import Path

import pytest
from git_watched import RUN
from git_world import World, begun


@pytest.fixture
def world(tmp_path: Path) -> World:
    return begun(tmp_path)


@pytest.fixture
def linked(world: World) -> Path:
    """A linked tree in which a run is about to begin."""
    world.plain("branch", "side")
    world.plain("tag", "v1")
    copy = world.make_copy(linked=True)
    world.git.note(world.repository, str(copy), RUN)
    return copy
