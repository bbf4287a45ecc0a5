"""Random weeks in a simulated world: every wakeup ends once, with a reason, and nothing twice."""

from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from ground import NOW
from random_weeks import ASKED, lived
from simulated import World

from roundtable_desktop.adapters.pretend import Ending
from roundtable_desktop.engine.desk import tasks

SEEDS = 40
"""More of them are lived through by `dev.py faults`."""


@pytest.mark.proves("B-072")
def test_a_crash_is_tried_four_times_at_its_pauses(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.ending = lambda order: Ending(exit_code=-9, after=timedelta(seconds=1))
    agent = world.ground.agent(workspace := world.ground.workspace(), cooldown_sec=0)
    tasks.create(world.desk, ASKED, workspace.id, title="Crash", assignee_agent_id=agent.id)
    world.run(timedelta(hours=4))
    starts = [run.created_at for run in world.ground.runs()]
    pauses = [(b - a).total_seconds() / 60 for a, b in pairwise(starts)]
    assert len(pauses) == 4
    for pause, minutes in zip(pauses, (2, 10, 30, 120), strict=True):
        assert minutes <= pause <= minutes * 1.25 + 0.02
    assert world.clock.now() == NOW + timedelta(hours=4)


@pytest.mark.slow
@pytest.mark.proves("simulated")
@pytest.mark.parametrize("part", range(4))
def test_random_weeks_end_every_wakeup_once_with_a_reason(tmp_path: Path, part: int) -> None:
    assert lived(tmp_path, range(part, SEEDS, 4)) > SEEDS / 8
