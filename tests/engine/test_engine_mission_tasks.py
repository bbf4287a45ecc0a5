"""Tasks of a mission: what they inherit, and which edges may be drawn between them."""

import pytest
from engine_stage import ASKED, Stage
from ground import JOAN

from roundtable_desktop.engine.desk import edges
from roundtable_desktop.engine.desk import missions as desk_missions
from roundtable_desktop.engine.desk import tasks as desk_tasks
from roundtable_desktop.model.errors import Absent, Blocked, Conflict, Invalid
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.missions import Mission, MissionState
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.records import Actor, Task
from roundtable_desktop.model.states import DeliveryMode, DependencySource, DependencyType, Role
from roundtable_desktop.store import dependencies, missions, tasks


class Work:
    """A mission without a coordinator, so that nothing happens but what a test does."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.home = stage.workspace()
        self.mission = self.begin()

    def begin(self) -> Mission:
        return desk_missions.create(self.stage.desk, ASKED, self.home.id, goal="Go")

    def task(self, **changes: object) -> Task:
        given = {"mission_id": self.mission.id, **changes}
        return self.stage.task(self.home, None, **given)


@pytest.fixture
def work(stage: Stage) -> Work:
    return Work(stage)


@pytest.mark.proves("A-17")
def test_a_task_of_a_mission_is_below_its_root_and_starts_from_its_branch(work: Work) -> None:
    made = work.task(
        write_area=["src/", "README.md"],
        priority=3,
        optional=True,
        model_policy={"kind": "agent_select", "models": ["a", "b"]},
    )
    assert (made.mission_id, made.parent_id) == (work.mission.id, work.mission.root_task_id)
    assert made.base_branch == work.mission.integration_branch
    assert made.delivery is DeliveryMode.AUTO and made.purpose is Purpose.WORK
    assert (tuple(made.write_area), made.priority, made.optional) == (
        ("src/", "README.md"),
        3,
        True,
    )
    assert made.model_policy == {"kind": "agent_select", "models": ["a", "b"]}
    below = work.task(mission_id=None, parent_id=made.id)
    assert (below.mission_id, below.parent_id) == (work.mission.id, made.id)
    checked = work.task(purpose=Purpose.VERIFY, about_task_id=made.id)
    assert (checked.purpose, checked.about_task_id) == (Purpose.VERIFY, made.id)
    with work.stage.store.transaction() as tx:
        grown = desk_tasks.add_below(tx, work.stage.desk, JOAN, made, "More", "", None)
    assert (grown.mission_id, grown.base_branch) == (work.mission.id, made.base_branch)
    changed = desk_tasks.change(
        work.stage.desk, ASKED, made.id, {"write_area": ["docs/"], "priority": 0, "optional": False}
    )
    assert (tuple(changed.write_area), changed.priority, changed.optional) == (("docs/",), 0, False)


@pytest.mark.proves("W-04")
def test_what_does_not_belong_to_the_mission_is_refused(work: Work) -> None:
    other, loose = work.begin(), work.stage.task(work.home)
    for given, error, code in (
        ({"mission_id": "nowhere"}, Absent, "unknown_mission"),
        ({"parent_id": other.root_task_id}, Invalid, "parent_of_another_mission"),
        ({"parent_id": loose.id}, Invalid, "parent_of_another_mission"),
        ({"base_branch": "main"}, Invalid, "mission_has_its_branch"),
    ):
        with pytest.raises(error) as refused:
            work.task(**given)
        assert refused.value.code == code
    task = work.task()
    with work.stage.store.transaction() as tx:
        assert missions.move(tx, work.mission, MissionState.STOPPED)
    with pytest.raises(Conflict, match="mission_over"):
        work.task()
    with work.stage.store.transaction() as tx, pytest.raises(Conflict, match="mission_over"):
        desk_tasks.add_below(tx, work.stage.desk, JOAN, task, "More", "", None)


@pytest.mark.proves("A-03", "A-41", "C-25")
def test_all_four_kinds_of_edges_are_drawn_between_tasks_of_one_mission(work: Work) -> None:
    first = work.task(title="First")
    kinds = list(DependencyType)
    for kind in kinds:
        edge = Edge(depends_on_task_id=first.id, dependency_type=kind, reason="so")
        made = work.task(title=str(kind), depends_on=[edge])
        with work.stage.store.transaction() as tx:
            (found,) = dependencies.of_task(tx, made.id)
        assert (found.dependency_type, found.reason) == (kind, "so")
        assert found.source is DependencySource.USER
    with work.stage.store.transaction() as tx:
        assert [
            one.dependency_type for one in dependencies.of_mission(tx, work.mission.id)
        ] == kinds
    loose = work.stage.task(work.home)
    soft = Edge(depends_on_task_id=first.id, dependency_type=DependencyType.SOFT)
    with pytest.raises(Invalid, match="dependency_type_unused"):
        desk_tasks.change(work.stage.desk, ASKED, loose.id, depends_on=[soft])


@pytest.mark.proves("A-41")
def test_what_a_coordinator_draws_is_the_plan_and_goes_before_what_was_inferred(work: Work) -> None:
    ground = work.stage.ground
    plans = ground.agent(work.home, role=Role.COORDINATOR)
    works = ground.agent(work.home, role=Role.WORKER)
    one, two, three = (work.task(title=name) for name in ("One", "Two", "Three"))
    with work.stage.store.transaction() as tx:
        inferred = {"reason": "same_area", "source": DependencySource.SCHEDULER}
        system = Actor("system", "roundtable")
        dependencies.add(tx, two, one, DependencyType.CONFLICT, actor=system, **inferred)
        dependencies.add(tx, one, three, DependencyType.SERIALIZATION, actor=system, **inferred)
    with work.stage.store.transaction() as tx:
        edges.draw(tx, two, [Edge(depends_on_task_id=one.id)], Actor("agent", plans.id))
        edges.draw(tx, three, [Edge(depends_on_task_id=one.id)], Actor("agent", works.id))
        found = {task.id: dependencies.of_task(tx, task.id) for task in (one, two, three)}
    assert [edge.source for edge in found[two.id]] == [DependencySource.ARCHITECTURE]
    assert [edge.source for edge in found[three.id]] == [DependencySource.WORKER]
    assert [edge.source for edge in found[one.id]] == [DependencySource.SCHEDULER]
    desk_tasks.change(work.stage.desk, ASKED, one.id, depends_on=[])
    with work.stage.store.transaction() as tx:
        assert len(dependencies.of_task(tx, one.id)) == 1, "a list of a person's names no such edge"
    back = Edge(depends_on_task_id=three.id, dependency_type=DependencyType.SERIALIZATION)
    with pytest.raises(Invalid, match="dependency_circle"):
        desk_tasks.change(work.stage.desk, ASKED, one.id, depends_on=[back])
    apart = Edge(depends_on_task_id=three.id, dependency_type=DependencyType.CONFLICT)
    desk_tasks.change(work.stage.desk, ASKED, one.id, depends_on=[apart])


@pytest.mark.proves("C-96")
def test_nothing_is_run_by_hand_before_the_branch_is_there(work: Work) -> None:
    agent = work.stage.agent(work.home)
    task = work.task()
    with work.stage.store.transaction() as tx:
        tasks.assign(tx, task, agent.id, JOAN)
    with pytest.raises(Blocked, match="mission_not_opened"):
        desk_tasks.run(work.stage.desk, ASKED, task.id)
