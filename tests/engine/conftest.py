"""Hands each test of the engine a stage or a ground of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_stage import Stage
from ground import ground
from routine_stage import Routines

__all__ = ["ground"]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path)
    yield made
    made.ground.close()


@pytest.fixture
def routines(stage: Stage) -> Routines:
    return Routines(stage)
