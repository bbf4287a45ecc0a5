"""What a coordinator plans by its tools stands in the graph of its mission."""

from typing import Any

import pytest
from engine_missions import Crew
from engine_stage import ASKED, Stage
from test_engine_tools import holder_of, refused

from roundtable_desktop.engine.desk import agency, requirements
from roundtable_desktop.engine.desk.agency import SUBTASKS, Agency
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Absent, Blocked, Invalid
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.missions import Impact
from roundtable_desktop.model.placed import Placed
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import DependencySource, DependencyType, Source
from roundtable_desktop.store import dependencies


class Table:
    """A coordinator at work on the root of its mission."""

    def __init__(self, stage: Stage) -> None:
        self.crew, self.stage = Crew(stage, coordinated=True), stage
        self.crew.open()
        self.crew.turn()
        self.holder: Holder = holder_of(self.crew.run_of(self.crew.root))
        self.agency = Agency(stage.desk, stage.ground.reader)

    def make(self, title: str, **placed: Any) -> Task:
        none: tuple[str, ...] = ()
        made: Any = self.agency.create_task(
            self.holder, title, "", None, none, None, placed=Placed(**placed)
        )
        return self.crew.now(str(made["id"]))

    def edges(self, task: Task) -> set[tuple[str, str, str]]:
        with self.stage.store.transaction() as tx:
            found = dependencies.of_task(tx, task.id)
        return {(one.depends_on_task_id, str(one.dependency_type), one.reason) for one in found}


@pytest.fixture
def table(stage: Stage) -> Table:
    return Table(stage)


@pytest.mark.proves("A-03", "A-17", "C-25")
def test_a_coordinator_draws_all_four_kinds_of_edges_and_says_where_each_may_write(
    table: Table,
) -> None:
    first = table.make("Dig", write_area=("garden/",), priority=3)
    assert (first.write_area, first.priority, first.optional) == (("garden/",), 3, False)
    assert (first.mission_id, first.parent_id) == (table.crew.id, table.crew.mission.root_task_id)
    edges = [
        Edge(depends_on_task_id=table.make(str(kind)).id, dependency_type=kind, reason="so")
        for kind in DependencyType
    ]
    last = table.make("Water", depends_on=tuple(edges), optional=True)
    assert last.optional
    assert table.edges(last) == {
        (edge.depends_on_task_id, str(edge.dependency_type), "so") for edge in edges
    }
    with table.stage.store.transaction() as tx:
        found = dependencies.of_task(tx, last.id)
    assert {one.source for one in found} == {DependencySource.ARCHITECTURE}
    assert table.crew.wakes() == [(table.crew.root.id, "mission_goal")], "the planner wakes (C-96)"


@pytest.mark.proves("A-17")
def test_a_coordinator_says_later_where_a_task_may_write(table: Table) -> None:
    task = table.make("Dig", write_area=("garden/",))
    table.agency.changes.task(table.holder, task.id, {"write_area": ["field/"]}, None, None, None)
    assert table.crew.now(task).write_area == ("field/",)


@pytest.mark.proves("A-23")
def test_who_leads_says_what_a_change_means_and_what_it_touches_goes_on(table: Table) -> None:
    task, stage = table.make("Dig", write_area=("garden/",)), table.stage
    requirements.require(stage.desk, ASKED, table.crew.id, "Deeper", [task.id])
    table.crew.turn()
    assert table.crew.waiting(task) == [] and len(table.crew.live()) == 1
    for _ in range(2):
        table.agency.changes.assess(table.holder, Impact.IMPLEMENTATION, "They dig on", None)
    kinds = [one for one in stage.ground.kinds() if one == "architecture.impact.completed"]
    assert len(kinds) == 1, "the second time nothing waits for it"
    table.crew.turn()
    run = table.crew.run_of(task)
    below = holder_of(run)
    refused(
        Invalid,
        "leads_no_mission",
        lambda: table.agency.changes.assess(below, Impact.IMPLEMENTATION, "", None),
    )
    prompt = stage.ground.rows("runs")
    [told] = [one["assembled_prompt"] for one in prompt if one["id"] == run.id]
    assert "a part of a mission" in told and "Change nothing but: garden/." in told
    [lead] = [one["assembled_prompt"] for one in prompt if one["id"] == table.holder.run_id]
    assert "You lead this mission" in lead


@pytest.mark.proves("A-03", "K-64")
def test_an_edge_to_what_is_not_there_or_round_in_a_circle_is_refused(table: Table) -> None:
    loose = table.stage.task(table.crew.home, None, title="Another")
    for there in (loose.id, "nowhere"):
        edge = Edge(depends_on_task_id=there, pointer="/depends_on/0")
        found = refused(
            Absent, "unknown_task", lambda one=edge: table.make("Late", depends_on=(one,))
        )
        assert found.pointer == "/depends_on/0"
    root = Edge(depends_on_task_id=table.crew.root.id)
    refused(Absent, "unknown_task", lambda: table.make("Late", depends_on=(root,)))


@pytest.mark.proves("A-03")
def test_of_a_loose_task_only_hard_edges_mean_anything(stage: Stage) -> None:
    home = stage.workspace()
    ada = stage.agent(home)
    stage.task(home, ada, title="Hers")
    holder, tools = holder_of(stage.launch()), Agency(stage.desk, stage.ground.reader)
    made: Any = tools.create_task(holder, "Dig", "", None, (), None)
    soft = Edge(depends_on_task_id=made["id"], dependency_type=DependencyType.SOFT)
    placed = Placed(depends_on=(soft,))
    refused(
        Invalid,
        "dependency_type_unused",
        lambda: tools.create_task(holder, "Water", "", None, (), None, placed=placed),
    )


@pytest.mark.proves("C-96")
def test_a_coordinator_says_something_on_a_task_below_its_own_and_on_no_other(
    table: Table,
) -> None:
    task = table.make("Dig", write_area=("a",))
    table.crew.turn()
    assert table.crew.run_of(task)
    table.agency.comment(table.holder, "Mind the roots.", task.id, None)
    [said] = [one for one in table.stage.ground.rows("comments") if one["task_id"] == task.id]
    assert said["text"] == "Mind the roots."
    [waiting] = table.crew.waiting(task)
    assert waiting.source is Source.COMMENT
    below = holder_of(table.crew.run_of(task))
    refused(
        Absent, "unknown_task", lambda: table.agency.comment(below, "Up", table.crew.root.id, None)
    )


@pytest.mark.proves("A-03")
def test_a_mission_has_more_room_than_a_task_but_not_for_ever_more(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(SUBTASKS + 2):
        table.make(f"Dig {number}", write_area=(f"{number}/",))
    monkeypatch.setattr(agency, "MISSION_TASKS", SUBTASKS + 2)
    found = refused(Blocked, "too_many_subtasks", lambda: table.make("One more"))
    assert found.values == {"most": SUBTASKS + 2}
