"""A mission with real threads, runners and git: two that clash, a check, and its delivery."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_engine_scheduler import ASKED, Life, until

from roundtable_desktop.engine.desk import agents, tasks, workspaces
from roundtable_desktop.engine.desk import missions as desk_missions
from roundtable_desktop.model.checks import Check
from roundtable_desktop.model.config import Consent
from roundtable_desktop.model.missions import MissionState
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import Adapter, DeliveryMode, ProposalStatus, Role, TaskStatus
from roundtable_desktop.store import checks, config, missions, proposals

WORKS = """
import os, pathlib, sys
here = pathlib.Path("a.txt")
if "<<<<<<<" in here.read_text():
    here.write_text("both\\n")
else:
    here.write_text(sys.argv[1] + "\\n")
print("done")
"""


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    made = Life(tmp_path)
    yield made
    made.close()


class Mission:
    """Of two workers that change the same line at once, in a workspace with one check."""

    def __init__(self, life: Life, check: str) -> None:
        self.life, desk = life, life.desk
        home = workspaces.register(desk, ASKED, str(life.folders.repo), base_branch="main")
        with life.ground.store.transaction() as tx:
            wanted = [{"name": "look", "command": ["sh", "-c", check]}]
            config.put(tx, ASKED.actor, home.id, Consent(checks=wanted))
        python = [sys.executable, "-I", "-S", "-c", WORKS]
        workers = [
            agents.add(
                desk,
                ASKED,
                home.id,
                name=name,
                role=Role.WORKER,
                adapter=Adapter.COMMAND,
                command=[*python, name],
                cooldown_sec=0,
            )
            for name in ("first", "second")
        ]
        made = desk_missions.create(
            desk, ASKED, home.id, goal="Do both", delivery=DeliveryMode.AUTO
        )
        self.id, self.root = made.id, made.root_task_id
        self.tasks = [
            tasks.create(
                desk,
                ASKED,
                home.id,
                title=one.name,
                mission_id=made.id,
                assignee_agent_id=one.id,
                write_area=[f"{one.name}.txt"],
            )
            for one in workers
        ]

    @property
    def state(self) -> MissionState:
        with self.life.ground.reader.snapshot() as view:
            found = missions.get(view, self.id)
        assert found is not None
        return found.state

    def all_tasks(self) -> list[Task]:
        with self.life.ground.reader.snapshot() as view:
            return missions.tasks_of(view, self.id)

    def offered(self) -> Proposal | None:
        with self.life.ground.reader.snapshot() as view:
            made = proposals.of_task(view, self.root)
        return made[-1] if made else None

    def checks(self) -> list[Check]:
        offered = self.offered()
        with self.life.ground.reader.snapshot() as view:
            return checks.of_proposal(view, offered.id) if offered else []

    def has_ended(self) -> bool:
        known = self.checks()
        return bool(known) and all(one.status != "asked" for one in known)


@pytest.mark.slow
@pytest.mark.proves("A-26", "A-27", "C-97 missions")
def test_it_is_merged_repaired_checked_and_delivered(life: Life) -> None:
    mission = Mission(life, "grep -q both a.txt && echo looked")
    until(lambda: mission.state is MissionState.COMPLETED, 60)
    until(lambda: (one := mission.offered()) and one.status is ProposalStatus.DELIVERED, 30)
    assert life.folders.shown("a.txt") == "both"
    below = [one for one in mission.all_tasks() if one.id != mission.root]
    assert {one.status for one in below} == {TaskStatus.DONE} and len(below) in (2, 3)
    [check] = mission.checks()
    assert (check.status, check.exit_code) == ("passed", 0) and check.run_id
    assert "looked" in (life.ground.get_run(check.run_id).output_summary or "")


@pytest.mark.slow
@pytest.mark.proves("A-26")
def test_a_check_that_fails_keeps_it_from_its_base(life: Life) -> None:
    mission = Mission(life, "echo not good; exit 3")
    until(mission.has_ended, 60)
    life.again()
    [check] = mission.checks()
    assert (check.status, check.exit_code) == ("failed", 3)
    offered = mission.offered()
    assert offered is not None and offered.status is ProposalStatus.PENDING
    assert offered.held is not None and offered.held["code"] == "check_failed"
    assert life.folders.shown("a.txt") == "a"
