"""Moves the phase of a mission, step by step, each with its event (A-09)."""

from roundtable_desktop.model.missions import Phase
from roundtable_desktop.rules import phases
from roundtable_desktop.store import missions
from roundtable_desktop.store.db import Tx


def to(tx: Tx, mission_id: str, *goals: Phase) -> None:
    """Over each of these in turn; the last one may be where it is already."""
    for goal in goals:
        found = missions.get(tx, mission_id)
        assert found is not None
        for step in phases.way(found.phase, goal):
            at = missions.get(tx, mission_id)
            assert at is not None
            missions.enter(tx, at, step)
