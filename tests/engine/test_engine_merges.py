"""A mission's work goes onto its integration branch by rule, and from there to its base."""

from pathlib import Path
from typing import Any

import pytest
from engine_stage import ASKED, Stage
from ground import set_columns
from mission_stage import OnMission
from test_engine_delivery import Killed, killing

from roundtable_desktop.engine.desk import inbox, missions_control
from roundtable_desktop.engine.desk import proposals as desk_proposals
from roundtable_desktop.model.missions import MissionState
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.run_actions import RunAction
from roundtable_desktop.model.states import DeliveryMode, ProposalStatus, TaskStatus


def stands(stage: Stage, proposal: Proposal) -> ProposalStatus:
    return stage.proposals_of(proposal).status


def main(stage: Stage) -> str:
    return str(stage.folders.plain("rev-parse", "main"))


def asked(stage: Stage) -> Any:
    """The one item that waits in the inbox."""
    [item] = [one for one in stage.ground.rows("inbox_items") if one["status"] == "open"]
    return item


def checkout_of(stage: Stage, branch: str) -> Path:
    """Another working tree of the user's, on that branch."""
    folder = stage.folders.root / "beside"
    stage.folders.plain("worktree", "add", "-q", str(folder), branch)
    return folder


@pytest.mark.proves("A-26", "A-40", "C-97 missions")
def test_a_task_of_a_mission_is_merged_by_rule_and_done_then(stage: Stage) -> None:
    here = OnMission(stage)
    before = main(stage)
    first, second = here.task("One"), here.task("Two")
    begun = [here.begun(one) for one in (first, second)]
    made = [
        here.worked(one, run, **{name: f"{name}\n"})
        for one, run, name in zip((first, second), begun, "bc", strict=True)
    ]
    assert [stands(stage, one) for one in made] == [ProposalStatus.APPROVED] * 2
    assert here.now(first).status is TaskStatus.IN_REVIEW, "done is merged"
    stage.deliver()
    assert [stands(stage, one) for one in made] == [ProposalStatus.MERGED] * 2
    assert {here.now(one).status for one in (first, second)} == {TaskStatus.DONE}
    assert here.files() == ["a.txt", "b.txt", "c.txt"]
    assert main(stage) == before, "the base branch is for the mission's own delivery"
    kinds = [one for one in stage.ground.kinds() if one.startswith("workspace.merge")]
    assert kinds == ["workspace.merge.started", "workspace.merge.completed"] * 2
    later = here.begun(here.task("Three"))
    assert (stage.copy(later) / "c.txt").read_text() == "c\n", "it starts from what was merged"


@pytest.mark.proves("A-25", "C-97 missions")
def test_a_task_that_changes_nothing_is_done_without_a_merge(stage: Stage) -> None:
    here = OnMission(stage)
    task = here.task()
    stage.finish(here.begun(task), result={"status": "completed"})
    assert here.now(task).status is TaskStatus.DONE and stage.proposals(task) == []


@pytest.mark.proves("A-26")
@pytest.mark.parametrize("file", ["Makefile", ".github/workflows/x.yml"])
def test_what_wants_a_look_first_waits_in_a_mission_too(stage: Stage, file: str) -> None:
    here = OnMission(stage)
    task = here.task()
    run = here.begun(task)
    path = stage.copy(run) / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x\n")
    made = here.worked(task, run)
    stage.deliver()
    assert stands(stage, made) is ProposalStatus.PENDING and here.files() == ["a.txt"]
    stage.ask_deliver(made)
    stage.deliver()
    assert stands(stage, made) is ProposalStatus.MERGED and file in here.files()
    assert here.now(task).status is TaskStatus.DONE


@pytest.mark.proves("A-26")
def test_what_is_to_be_approved_waits_in_a_mission_too(stage: Stage) -> None:
    here = OnMission(stage)
    task = here.task(requires_approval=True)
    made = here.worked(task, b="b\n")
    stage.deliver()
    assert here.files() == ["a.txt"], "it waits for a person"
    stage.ask_deliver(made)
    stage.deliver()
    assert stands(stage, made) is ProposalStatus.MERGED
    assert here.now(task).status is TaskStatus.DONE


@pytest.mark.proves("A-26")
def test_somebody_who_has_the_integration_branch_checked_out_is_told(stage: Stage) -> None:
    here = OnMission(stage)
    beside = checkout_of(stage, here.branch)
    task = here.task()
    made = here.worked(task, b="b\n")
    stage.deliver()
    [held] = stage.tries(made)
    assert held.reason is not None and held.reason["code"] == "checked_out"
    assert held.reason["path"] == str(beside) and str(beside) in str(held.reason["command"])
    assert not (beside / "b.txt").exists() and here.files() == ["a.txt"]
    inbox.act(stage.desk, ASKED, asked(stage)["id"], "retry")
    stage.deliver()
    assert (beside / "b.txt").read_text() == "b\n", "a person's word may move it (C-107)"
    assert here.now(task).status is TaskStatus.DONE


@pytest.mark.proves("A-26")
@pytest.mark.parametrize("place", ["prepare", "keep_ref", "deliver"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_merge_that_dies_on_the_way_ends_once_after_the_restart(
    stage: Stage, place: str, when: str
) -> None:
    here = OnMission(stage)
    task = here.task()
    made = here.worked(task, b="b\n")
    before = stage.folders.plain("rev-parse", here.branch)
    with killing(stage, place, when), pytest.raises(Killed):
        stage.deliver()
    head = stage.folders.plain("rev-parse", here.branch)
    assert head in (before, made.head_commit), "it is exactly old or new"
    stage.restart()
    stage.play()
    assert stands(stage, made) is ProposalStatus.MERGED
    assert here.now(task).status is TaskStatus.DONE
    assert here.files() == ["a.txt", "b.txt"]
    assert len(stage.folders.plain("rev-list", f"main..{here.branch}").splitlines()) == 1


# --- the mission's own delivery -----------------------------------------------------------------


def completed(stage: Stage, **changes: Any) -> tuple[OnMission, list[Task], Proposal]:
    here = OnMission(stage, goal="Make it better\nfor all of us\n@demo subtask One", **changes)
    made = [here.task("One"), here.task("Two")]
    for task, name in zip(made, "bc", strict=True):
        here.merged(task, **{name: f"{name}\n"})
    offered = here.complete()
    assert offered is not None
    return here, made, offered


@pytest.mark.proves("A-26", "C-97 missions")
def test_a_completed_mission_is_offered_as_a_whole_and_delivered_by_a_person(stage: Stage) -> None:
    here, made, offered = completed(stage, delivery=DeliveryMode.APPROVAL)
    assert offered.run_id is None and offered.task_id == here.root.id
    assert [one["path"] for one in offered.files] == ["b.txt", "c.txt"]
    stage.deliver()
    assert stands(stage, offered) is ProposalStatus.PENDING and here.files("main") == ["a.txt"]
    stage.ask_deliver(offered)
    stage.deliver()
    assert stands(stage, offered) is ProposalStatus.DELIVERED
    assert here.files("main") == ["a.txt", "b.txt", "c.txt"]
    for task in made:
        assert [one.status for one in stage.proposals(task)] == [ProposalStatus.DELIVERED]
    log = stage.folders.plain("log", "-1", "--format=%B%P", "main")
    assert log.startswith("Make it better\n\nfor all of us\n\n- T-2: One\n- T-3: Two\n")
    assert f"Roundtable-Mission: {here.id}" in log
    assert here.mission.base_commit in log and offered.head_commit in log, "a merge of the two"


@pytest.mark.proves("A-26")
def test_a_mission_that_is_to_deliver_itself_does(stage: Stage) -> None:
    here, _, offered = completed(stage, delivery=DeliveryMode.AUTO)
    stage.deliver()
    assert stands(stage, offered) is ProposalStatus.DELIVERED
    assert here.files("main") == ["a.txt", "b.txt", "c.txt"]


@pytest.mark.proves("A-26")
def test_a_mission_is_merged_onto_a_base_that_moved_on(stage: Stage) -> None:
    here = OnMission(stage, delivery=DeliveryMode.AUTO)
    here.merged(here.task(), b="b\n")
    stage.folders.plain("checkout", "-q", "main")
    (stage.folders.repo / "mine.txt").write_text("mine\n")
    mine = stage.folders.commit()
    stage.folders.plain("checkout", "-q", "elsewhere")
    offered = here.complete()
    assert offered is not None and [one["path"] for one in offered.files] == ["b.txt"]
    stage.deliver()
    assert here.files("main") == ["a.txt", "b.txt", "mine.txt"]
    assert stage.folders.plain("rev-parse", "main^1") == mine


@pytest.mark.proves("A-26")
def test_changes_that_are_asked_for_wake_the_coordinator_and_are_offered_anew(stage: Stage) -> None:
    here, _, offered = completed(stage)
    desk_proposals.request_changes(stage.desk, ASKED, offered.id, "And a third one")
    assert stands(stage, offered) is ProposalStatus.REVISION_REQUESTED
    assert here.mission.state is MissionState.ACTIVE and here.mission.ended_at is None
    run = stage.launch()
    assert run.agent_id == here.coordinator.id and "And a third one" in run.assembled_prompt
    stage.finish(run, result={"status": "completed"})
    here.merged(here.task("Three"), d="d\n")
    again = here.complete()
    assert again is not None and again.id != offered.id and len(again.files) == 3
    stage.ask_deliver(again)
    stage.deliver()
    assert here.files("main") == ["a.txt", "b.txt", "c.txt", "d.txt"]


@pytest.mark.proves("A-26")
def test_what_nobody_but_a_person_plans_waits_for_that(stage: Stage) -> None:
    """It was over again at once, with the same offer, and no task could be added to it."""
    here, _, offered = completed(stage)
    with stage.store.transaction() as tx:
        set_columns(tx, "tasks", here.root.id, assignee_agent_id=None)
    desk_proposals.request_changes(stage.desk, ASKED, offered.id, "And a third one")
    assert here.mission.state is MissionState.PAUSED_INTAKE and here.root.status is TaskStatus.TODO
    added = here.task("Three")
    missions_control.on(stage.desk, ASKED, here.id, RunAction.RESUME)
    here.merged(added, d="d\n")
    again = here.complete()
    assert again is not None and len(again.files) == 3


@pytest.mark.proves("A-26")
def test_a_mission_that_is_turned_down_keeps_its_branch(stage: Stage) -> None:
    here, _, offered = completed(stage)
    desk_proposals.reject(stage.desk, ASKED, offered.id, "No")
    assert stands(stage, offered) is ProposalStatus.REJECTED
    assert here.mission.state is MissionState.COMPLETED
    assert here.files() == ["a.txt", "b.txt", "c.txt"] and here.files("main") == ["a.txt"]
    woken = {one["source"] for one in stage.ground.rows("agent_wakeup_requests")}
    assert "comment" not in woken, "nobody hears of it"


@pytest.mark.proves("A-26")
def test_a_mission_that_changed_nothing_says_so(stage: Stage) -> None:
    here = OnMission(stage)
    task = here.task()
    stage.finish(here.begun(task), result={"status": "completed"})
    assert here.complete() is None
    assert stage.ground.kinds()[-1] == "mission.unchanged"
    assert stage.proposals(here.root) == []


@pytest.mark.proves("A-26")
def test_a_branch_that_was_deleted_before_its_offer_loses_nothing(stage: Stage) -> None:
    here = OnMission(stage, delivery=DeliveryMode.AUTO)
    here.merged(here.task(), b="b\n")
    stage.folders.plain("branch", "-D", here.branch)
    offered = here.complete()
    assert offered is not None
    stage.deliver()
    assert stands(stage, offered) is ProposalStatus.DELIVERED
    assert here.files("main") == ["a.txt", "b.txt"]


@pytest.mark.proves("A-26")
def test_an_offer_that_a_kill_cut_short_is_made_once_after_the_restart(stage: Stage) -> None:
    here = OnMission(stage, delivery=DeliveryMode.AUTO)
    here.merged(here.task(), b="b\n")
    here.complete(offer=False)
    with killing(stage, "changes", "after"), pytest.raises(Killed):
        here.offer()
    assert stage.proposals(here.root) == []
    stage.restart()
    for _ in range(2):
        here.offer()
    [offered] = stage.proposals(here.root)
    stage.deliver()
    assert stands(stage, offered) is ProposalStatus.DELIVERED
