"""What the faces see of missions: in as many statements however large one is, and in order."""

from typing import Any

import peewee as pw
import pytest
from engine_missions import Crew
from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import missions_control, requirements
from roundtable_desktop.engine.desk.look_missions import Detail, LookMissions, depths_of
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.run_actions import RunAction
from roundtable_desktop.model.states import DependencyType, TaskStatus
from roundtable_desktop.store import missions


def seen(crew: Crew) -> Detail:
    look = LookMissions(crew.stage.ground.reader)
    return look.detail(look.mission(crew.id))


def statements(crew: Crew, patch: pytest.MonkeyPatch) -> int:
    """How many a look at the mission takes."""
    asked: list[str] = []
    real = pw.SqliteDatabase.execute_sql

    def noting(db: Any, sql: str, *more: Any, **named: Any) -> Any:
        asked.append(sql)
        return real(db, sql, *more, **named)

    with patch.context() as context:
        context.setattr(pw.SqliteDatabase, "execute_sql", noting)
        seen(crew)
    return len(asked)


@pytest.mark.proves("A-18")
def test_a_large_mission_is_read_in_as_many_statements_as_a_small_one(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    crew = Crew(stage)
    crew.open()
    first = crew.task("First")
    few = statements(crew, monkeypatch)
    for number in range(30):
        crew.task(f"More {number}", depends_on=[Edge(depends_on_task_id=first.id)])
    crew.look()
    assert len(seen(crew).nodes) == 31
    assert statements(crew, monkeypatch) == few < 40


@pytest.mark.proves("A-18", "A-03")
def test_each_task_has_its_newest_wave_and_why_it_waits(stage: Stage) -> None:
    crew = Crew(stage)
    crew.open()
    first = crew.task("First", crew.agents[0])
    second = crew.task("Second", depends_on=[Edge(depends_on_task_id=first.id)])
    third = crew.task(
        "Third",
        depends_on=[Edge(depends_on_task_id=second.id, dependency_type=DependencyType.SOFT)],
        write_area=["other/"],
    )
    crew.look()
    detail = seen(crew)
    nodes = {one.task.id: one for one in detail.nodes}
    assert detail.root.id not in nodes and list(nodes) == [first.id, second.id, third.id]
    assert [one.depth for one in nodes.values()] == [0, 1, 0]
    assert nodes[first.id].wave == 1 and nodes[second.id].wave is None
    why = nodes[second.id].why
    assert why is not None and why["code"] == "waits_for"
    assert detail.told.total == 3 and detail.told.over == 0 and detail.told.alive
    assert str(detail.converged.reason) == "work_remains"
    assert detail.waves[0].task_ids[0] == first.id and detail.newest is not None
    look = LookMissions(stage.ground.reader)
    mission = look.mission(crew.id[-8:])
    assert look.wave(mission, 1) == detail.newest
    assert [one.id for one in look.alive(crew.home.id)] == [crew.id]
    assert look.alive("elsewhere") == []
    for ask in (lambda: look.mission("zzzzzz"), lambda: look.wave(mission, 9)):
        with pytest.raises(Absent):
            ask()


@pytest.mark.proves("A-18")
def test_what_an_old_plan_said_is_shown_as_long_as_it_holds(stage: Stage) -> None:
    crew = Crew(stage)
    crew.open()
    first = crew.task("First", crew.agents[0])
    second = crew.task("Second", depends_on=[Edge(depends_on_task_id=first.id)])
    crew.turn()
    missions_control.on(stage.desk, ASKED, crew.id, RunAction.PAUSE)
    crew.end(crew.run_of(first), a="one")
    crew.look()
    assert crew.now(first).status is TaskStatus.DONE and len(crew.waves()) == 1

    def why() -> object:
        return next(one.why for one in seen(crew).nodes if one.task.id == second.id)

    assert why() is None, "it waits for that one no more"
    requirements.require(stage.desk, ASKED, crew.id, "Otherwise", [second.id])
    assert why() == {"code": "held", "values": {"by": "requirement"}}


@pytest.mark.proves("R-14")
def test_a_mission_without_a_task_waits_for_the_first(stage: Stage) -> None:
    crew = Crew(stage)
    detail = seen(crew)
    assert str(detail.converged.reason) == "awaiting_initial_work" and detail.nodes == []
    with stage.ground.store.transaction() as tx:
        assert missions.get(tx, crew.id) == detail.told.mission


def test_a_depth_is_the_longest_way_and_a_circle_ends_it() -> None:
    assert depths_of({"a": [], "b": ["a"], "c": ["a", "b"], "d": ["elsewhere"]}) == {
        "a": 0,
        "b": 1,
        "c": 2,
        "d": 0,
    }
    assert depths_of({"a": ["b"], "b": ["a"], "c": []})["c"] == 0
    long = {str(n): [str(n - 1)] if n else [] for n in range(5000)}
    assert depths_of(long)["4999"] == 4999
