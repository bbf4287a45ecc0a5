"""Hands each test of the engine a stage or a ground of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_stage import Stage
from ground import ground
from routine_stage import Routines

from roundtable_desktop.engine import calling_off

__all__ = ["ground"]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A run of the stage ends when the test says so, so nobody waits a whole ladder for it."""
    monkeypatch.setattr(calling_off, "LADDER", 0.2)
    made = Stage(tmp_path)
    yield made
    made.ground.close()


@pytest.fixture
def routines(stage: Stage) -> Routines:
    return Routines(stage)
