"""A mission in the simulated world: whichever transaction its owner dies at, it ends the same."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from ground import JOAN
from random_weeks import ASKED
from simulated import World

from roundtable_desktop.adapters.pretend import Ending
from roundtable_desktop.engine.desk import missions, tasks
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.missions import MissionOutcome, MissionState
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import DeliveryMode, TaskStatus
from roundtable_desktop.store import missions as rows

KILLS = range(2, 88, 6)
COMMIT = f"{1:040x}"


class Lived:
    """Four tasks: two beside each other, one that may write the same as the first, and one after
    the first two. Killed once, at the transaction of that number."""

    def __init__(self, root: Path, dies_in: int = -1, *, after: bool = False) -> None:
        self.world = world = World(root)
        world.ending = lambda order: Ending(exit_code=0, after=timedelta(seconds=3))
        home = world.ground.workspace(delivery=DeliveryMode.AUTO)
        for _ in range(2):
            world.ground.agent(home, cooldown_sec=0)
        with world.store.transaction() as tx:
            self.id = missions.begin(
                tx,
                world.desk,
                JOAN,
                home,
                slug="go",
                goal="Go",
                base_branch="main",
                base_commit=COMMIT,
                coordinator=None,
                delivery=DeliveryMode.APPROVAL,
            ).id

        def task(title: str, area: str, *before: Task) -> Task:
            drawn = [Edge(depends_on_task_id=one.id) for one in before]
            given: dict[str, Any] = {"mission_id": self.id, "write_area": [area]}
            return tasks.create(world.desk, ASKED, home.id, title=title, depends_on=drawn, **given)

        one, two = task("One", "a/"), task("Two", "b/")
        self.tasks = (one, two, task("Same", "a/"), task("Last", "c/", one, two))
        world.die_in(dies_in, after=after)
        world.run(timedelta(minutes=30))

    def check(self) -> None:
        with self.world.ground.reader.snapshot() as view:
            mission = rows.get(view, self.id)
            waves = rows.waves(view, self.id)
        assert mission is not None
        assert (mission.state, mission.outcome) == (
            MissionState.COMPLETED,
            MissionOutcome.COMPLETED,
        )
        ground = self.world.ground
        for task in self.tasks:
            assert ground.get_task(task.id).status is TaskStatus.DONE
        planned = [name for wave in waves for name in self._runnable(wave.plan)]
        assert sorted(planned) == sorted(one.id for one in self.tasks), "each in one wave, once"
        kinds = ground.kinds()
        for kind in ("orchestrator.completed", "mission.opened"):
            assert kinds.count(kind) == 1
        runs = [one for one in ground.runs() if one.ended_at is not None]
        good = [one for one in runs if one.outcome in ("done", "no_result")]
        assert len({one.task_id for one in runs}) == 4 and len(good) >= 4
        spans = {one.task_id: (one.created_at, one.ended_at) for one in good}
        one, two, same, last = (spans[task.id] for task in self.tasks)
        assert max(one[1], two[1]) <= last[0]
        assert one[1] <= same[0] or same[1] <= one[0]

    @staticmethod
    def _runnable(plan: Any) -> list[str]:
        return list(plan["runnable_task_ids"])


@pytest.mark.proves("C-34", "W-01")
def test_a_mission_lives_in_the_simulated_world(tmp_path: Path) -> None:
    lived = Lived(tmp_path)
    lived.check()
    assert lived.world.kills == 0 and lived.world.store.left < -max(KILLS), "the kills come sooner"


@pytest.mark.slow
@pytest.mark.proves("W-01", "W-03", "A-04", "R-32")
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_whichever_transaction_its_owner_dies_at_it_ends_the_same(
    tmp_path: Path, after: bool
) -> None:
    for number in KILLS:
        root = tmp_path / str(number)
        root.mkdir()
        lived = Lived(root, number, after=after)
        assert lived.world.kills == 1, number
        lived.check()
