"""The owner with its threads works on missions: real runners, real git, and a new life midway."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_engine_scheduler import ASKED, Life, until

from roundtable_desktop.engine.desk import agents, missions, tasks, workspaces
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.missions import Mission, MissionOutcome, MissionState
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import Adapter, Health, TaskStatus
from roundtable_desktop.store import missions as rows

WRITES = "import os; open(os.environ['ROUNDTABLE_RUN'] + '.txt', 'w').write('made'); print('done')"


class Owner(Life):
    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.home = workspaces.register(
            self.desk, ASKED, str(self.folders.repo), base_branch="main"
        )
        for name in ("Ada", "Bob"):
            agents.add(
                self.desk,
                ASKED,
                self.home.id,
                name=name,
                adapter=Adapter.COMMAND,
                command=[sys.executable, "-I", "-S", "-c", WRITES],
                cooldown_sec=0,
            )
        self.mission_id = missions.create(self.desk, ASKED, self.home.id, goal="Go").id

    def add(self, title: str, **words: Any) -> Task:
        return tasks.create(
            self.desk, ASKED, self.home.id, title=title, mission_id=self.mission_id, **words
        )

    @property
    def mission(self) -> Mission:
        with self.ground.reader.snapshot() as view:
            found = rows.get(view, self.mission_id)
        assert found is not None
        return found

    def everything(self) -> list[int]:
        names = ("events", "missions", "waves", "tasks", "runs", "agent_wakeup_requests")
        return [len(self.ground.rows(name)) for name in names]


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Owner]:
    made = Owner(tmp_path)
    yield made
    made.scheduler.stop()
    made.ground.close()


@pytest.mark.slow
@pytest.mark.proves("R-01", "R-03", "R-31", "C-97 missions", "W-03")
def test_an_owner_brings_a_mission_to_its_end_though_it_is_begun_anew_midway(owner: Owner) -> None:
    one = owner.add("One", write_area=["a/"])
    two = owner.add("Two", write_area=["b/"])
    last = owner.add("Last", depends_on=[Edge(depends_on_task_id=it.id) for it in (one, two)])
    until(lambda: owner.ground.get_task(one.id).status is TaskStatus.DONE)
    owner.again()
    until(lambda: owner.mission.state is not MissionState.ACTIVE, 60)
    assert (owner.mission.state, owner.mission.outcome) == (
        MissionState.COMPLETED,
        MissionOutcome.COMPLETED,
    )
    assert owner.ground.get_task(last.id).status is TaskStatus.DONE
    branch = owner.mission.integration_branch
    made = owner.folders.plain("ls-tree", "-r", "--name-only", branch).split()
    # What the end of a life found unborn costs nothing, and is begun by another run.
    outcomes = {run.id: str(run.outcome) for run in owner.ground.runs()}
    did = [run for run, outcome in outcomes.items() if outcome == "done"]
    assert len(did) == 3 and {f"{run}.txt" for run in did} <= set(made), outcomes
    assert set(outcomes.values()) <= {"done", "lost"}, outcomes


@pytest.mark.slow
@pytest.mark.proves("R-01", "R-06", "R-03", "C-03")
def test_an_idle_mission_is_looked_at_each_second_and_makes_no_row(owner: Owner) -> None:
    until(lambda: owner.mission.opened_at is not None)
    time.sleep(0.5)
    before, looked = owner.everything(), owner.scheduler.look(5)
    assert looked is not None and looked.due is not None
    ahead = looked.due - owner.ground.clock.now()
    assert ahead.total_seconds() <= 1.0
    time.sleep(2.5)
    assert owner.everything() == before


@pytest.mark.slow
@pytest.mark.proves("R-02", "W-07")
def test_a_mission_that_cannot_be_looked_at_shows_in_the_owners_health(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    from roundtable_desktop.engine import waves

    def broken(*_: Any) -> None:
        raise ValueError("no row can be read")

    until(lambda: owner.mission.opened_at is not None)
    monkeypatch.setattr(waves, "picture", broken)
    owner.add("Never")
    until(lambda: owner.mission.state is MissionState.DEGRADED, 60)
    assert owner.scheduler.health() is Health.DEGRADED
    monkeypatch.undo()
    until(lambda: owner.mission.state is MissionState.ACTIVE, 60)
    until(lambda: owner.scheduler.health() is Health.OK)
