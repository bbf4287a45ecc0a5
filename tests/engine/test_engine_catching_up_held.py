"""A mission that takes its base in: what waits for a person, and why."""

from pathlib import Path

import pytest
from engine_stage import ASKED, Stage
from test_engine_renewed import client
from user_commits import DONE, Moved, items, last

from roundtable_desktop.engine import by_rule
from roundtable_desktop.engine.desk import inbox
from roundtable_desktop.engine.desk import proposals as desk_proposals
from roundtable_desktop.model.missions import MissionState
from roundtable_desktop.model.states import (
    DeliveryMode,
    DeliveryStatus,
    ProposalStatus,
    TaskStatus,
)


@pytest.mark.proves("A-27")
def test_marks_that_a_repair_left_are_not_merged_and_go_back_to_its_agent(stage: Stage) -> None:
    here = Moved(stage, delivery=DeliveryMode.AUTO)
    here.clashed()
    stage.deliver()
    [repair] = here.repairs()
    before = here.head(here.branch)
    made = here.merged(repair, b="something else\n")
    [held] = stage.tries(made)
    assert held.status is DeliveryStatus.HELD and here.head(here.branch) == before
    assert held.reason == {"code": "conflict_marks", "paths": ["a.txt"]}
    [item] = items(stage)
    inbox.act(stage.desk, ASKED, item["id"], "request_changes", "Both, please")
    while (run := stage.launch()).task_id != repair.id:
        pass  # the coordinator, who is told that all of its tasks were over
    assert "still have git's conflict marks (a.txt)" in run.assembled_prompt
    here.worked(repair, run, a="both\n")
    stage.deliver()
    assert here.now(repair).status is TaskStatus.DONE and here.shown("a.txt") == "both"


@pytest.mark.proves("A-27", "C-104")
def test_an_offer_that_still_has_marks_is_held_for_a_look(stage: Stage) -> None:
    """Its repair ended without changing anything."""
    here = Moved(stage, delivery=DeliveryMode.AUTO)
    here.merged(here.task(), b="<<<<<<< not of a merge\n>>>>>>> but of the work itself\n")
    stage.ask_deliver(stage.proposals(here.all_tasks()[-1])[-1], override=True, note="It is so")
    stage.deliver()
    here.clashed()
    stage.deliver()
    [repair] = here.repairs()
    stage.finish(here.begun(repair), result=DONE)
    assert here.now(repair).status is TaskStatus.DONE
    again = here.offered()
    assert again.held == {"code": "conflict_marks", "paths": ["a.txt"]}, "not those of b.txt"
    stage.deliver()
    assert stage.tries(again) == [] and "a.txt" in here.told(again)
    with pytest.raises(Exception, match="proposal_held"):
        stage.ask_deliver(again)
    page = client(stage).get(f"/proposals/{again.id}").get_data(as_text=True)
    assert "Have it reworked" in page
    desk_proposals.rebase(stage.desk, ASKED, again.id)
    stage.deliver()
    [_, second] = here.repairs()
    assert second.write_area == ("a.txt",) and repair.description == second.description
    stage.finish(here.begun(second), result=DONE)
    again = here.offered()
    assert again.held == {"code": "conflict_marks", "paths": ["a.txt"]}
    here.stage.ask_deliver(again, override=True, note="I want them")
    stage.deliver()
    assert stage.proposals_of(again).status is ProposalStatus.DELIVERED


@pytest.mark.proves("A-26")
def test_a_branch_that_somebody_works_on_is_left_alone_and_tried_again(stage: Stage) -> None:
    here = Moved(stage, delivery=DeliveryMode.APPROVAL)
    offered = here.clashed()
    desk_proposals.rebase(stage.desk, ASKED, offered.id, "Keep both words")
    beside = Path(stage.folders.root) / "beside"
    stage.folders.plain("worktree", "add", "-q", str(beside), here.branch)
    stage.deliver()
    held = last(stage, offered)
    assert held.reason["code"] == "mission_checked_out" and str(beside) in held.reason["command"]
    assert (beside / "a.txt").read_text() == "mission\n"
    assert here.head(here.branch) == offered.head_commit and here.repairs() == []
    assert "could not take in what that has" in here.told(offered)
    page = client(stage).get(f"/proposals/{offered.id}").get_data(as_text=True)
    assert "Have it reworked" in page and "Nothing is to be decided" not in page
    [item] = items(stage)
    with pytest.raises(Exception, match="unknown_action"):
        inbox.act(stage.desk, ASKED, item["id"], "request_changes")
    inbox.act(stage.desk, ASKED, item["id"], "retry")
    stage.deliver()
    assert here.repairs() == [], "no word of anybody moves files there"
    stage.folders.plain("worktree", "remove", str(beside))
    desk_proposals.rebase(stage.desk, ASKED, offered.id)
    stage.deliver()
    [repair] = here.repairs()
    assert "Keep both words" in repair.description and items(stage) == []


@pytest.mark.proves("A-26")
def test_one_that_was_on_its_way_at_a_restore_waits_for_a_person(stage: Stage) -> None:
    here = Moved(stage, delivery=DeliveryMode.AUTO)
    offered = here.clashed()
    with stage.store.transaction() as tx:
        assert by_rule.stand_back_all(tx, stage.ids, by_rule.RESTORED) == 1
    stage.deliver()
    assert here.repairs() == [] and last(stage, offered).reason == {"code": "restored"}
    [item] = items(stage)
    inbox.act(stage.desk, ASKED, item["id"], "retry")
    stage.deliver()
    assert len(here.repairs()) == 1 and items(stage) == []


@pytest.mark.proves("A-26")
def test_a_base_that_is_gone_is_said_and_can_be_turned_down(stage: Stage) -> None:
    here = Moved(stage, delivery=DeliveryMode.AUTO)
    offered = here.clashed()
    stage.folders.plain("branch", "-m", "main", "trunk")
    stage.deliver()
    assert last(stage, offered).reason["code"] == "base_missing"
    assert "“main” is gone" in here.told(offered)
    [item] = items(stage)
    inbox.act(stage.desk, ASKED, item["id"], "discard")
    assert stage.proposals_of(offered).status is ProposalStatus.REJECTED
    assert here.mission.state is MissionState.COMPLETED and items(stage) == []
