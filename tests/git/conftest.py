"""The world of the git room's tests."""

from pathlib import Path

import pytest
from git_world import World, begun


@pytest.fixture
def world(tmp_path: Path) -> World:
    return begun(tmp_path)
