"""A mission begins: its row, its root task and its state in one transaction."""

import pytest
from engine_missions import Crew
from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import missions as desk_missions
from roundtable_desktop.model.errors import Illegal, Invalid
from roundtable_desktop.model.missions import MissionState, Phase
from roundtable_desktop.phrases import sentence
from roundtable_desktop.store import missions, tasks


@pytest.mark.proves("W-24", "C-59")
def test_a_mission_is_active_at_once_with_the_task_of_its_coordinator(stage: Stage) -> None:
    goal = "Make the search fast\nand keep what it finds."
    home = stage.workspace().id
    made = desk_missions.create(stage.desk, ASKED, home, goal=goal)
    assert (made.state, made.phase, made.slug) == (
        MissionState.ACTIVE,
        Phase.IDLE,
        "make-the-search-fast",
    )
    with stage.ground.store.transaction() as tx:
        root = tasks.get(tx, made.root_task_id)
        assert root is not None and missions.of_root(tx, root) == made
        assert (root.mission_id, root.description) == (made.id, goal)
        assert root.base_branch == made.integration_branch == f"roundtable/m/{made.slug}"
    other = desk_missions.create(stage.desk, ASKED, home, goal=goal)
    assert other.slug == f"{made.slug}-2" and other.seq == made.seq + 1
    kinds = [one for one in stage.ground.kinds() if one.startswith("mission.")]
    assert kinds == ["mission.created", "mission.moved"] * 2


@pytest.mark.proves("W-24")
def test_of_two_missions_of_one_goal_at_once_the_later_is_numbered(stage: Stage) -> None:
    """Git is asked for a free name before the transaction; the second one was refused by the
    database, as a fault of ours."""
    home = stage.workspace().id
    given = [desk_missions.prepare(stage.desk, home, "Go") for _ in range(3)]
    for one, slug in zip(given, ("go", "go-2", "go-3"), strict=True):
        with stage.store.transaction() as tx:
            made = desk_missions.begin_from(tx, stage.desk, ASKED.actor, one)
        assert made.slug == slug and made.integration_branch == f"roundtable/m/{slug}"


@pytest.mark.proves("W-24", "C-59")
def test_a_mission_moves_as_its_machine_says_and_is_told_of(stage: Stage) -> None:
    home = stage.workspace().id
    made = desk_missions.create(stage.desk, ASKED, home, goal="Go")
    with stage.ground.store.transaction() as tx:
        assert missions.move(tx, made, MissionState.STOPPED)
        stopped = missions.get(tx, made.id)
        assert stopped is not None and stopped.ended_at is not None
        with pytest.raises(Illegal):
            missions.move(tx, stopped, MissionState.COMPLETED)
        assert not missions.move(tx, made, MissionState.COMPLETED), "somebody was faster"
        assert missions.move(tx, stopped, MissionState.ACTIVE)
        again = missions.get(tx, made.id)
        assert again is not None and again.ended_at is None and missions.alive(tx) == [again]
        assert missions.enter(tx, again, Phase.LOADING_GRAPH)
        assert missions.newest(tx, home) == missions.get(tx, made.id)


@pytest.mark.proves("W-24")
def test_a_mission_from_no_branch_is_refused_and_leaves_nothing(stage: Stage) -> None:
    with pytest.raises(Invalid):
        desk_missions.create(
            stage.desk, ASKED, stage.workspace().id, goal="Go", base_branch="no-such"
        )
    assert stage.ground.rows("missions") == [] and stage.ground.rows("tasks") == []


@pytest.mark.proves("A-26")
def test_no_mission_begins_at_the_branch_of_another_one(stage: Stage) -> None:
    crew = Crew(stage)
    crew.open()
    branch, main = crew.mission.integration_branch, crew.home.base_branch
    for base in (branch, f"refs/heads/{branch}", "roundtable/m/of-an-earlier-home"):
        with pytest.raises(Invalid, match="base_of_a_mission") as refused:
            crew.begin("On top", base_branch=base)
        said = sentence(refused.value.code, refused.value.values)
        assert refused.value.pointer == "/base_branch" and f"git branch NAME {base}" in said
    stage.folders.plain("branch", "mine", branch)
    assert crew.begin("On top", base_branch="mine").base_branch == "mine"
    assert crew.begin("Beside").base_branch == main
