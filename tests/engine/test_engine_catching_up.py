"""A mission whose base branch moved on takes that in, has settled what clashes, and fits again."""

from typing import Any

import pytest
from engine_stage import ASKED, Stage
from ground import set_columns
from test_engine_delivery import Killed, killing
from test_engine_renewed import client
from user_commits import DONE, Moved, items, last

from roundtable_desktop.engine.desk import inbox
from roundtable_desktop.engine.desk import proposals as desk_proposals
from roundtable_desktop.model.missions import MissionState
from roundtable_desktop.model.states import (
    DeliveryMode,
    DeliveryStatus,
    ProposalStatus,
    TaskStatus,
)


@pytest.mark.proves("A-27", "A-26", "C-97 missions")
@pytest.mark.parametrize("mode", [DeliveryMode.AUTO, DeliveryMode.APPROVAL])
def test_a_clash_with_the_base_becomes_a_repair_and_the_next_offer_fits(
    stage: Stage, mode: DeliveryMode
) -> None:
    here = Moved(stage, delivery=mode)
    offered = here.clashed()
    user, work = here.head("main"), offered.head_commit
    if mode is DeliveryMode.APPROVAL:
        assert here.repairs() == [] and here.mission.state is MissionState.COMPLETED
        [item] = items(stage)
        inbox.act(stage.desk, ASKED, item["id"], "request_changes", "Keep both words")
    held, joined = stage.tries(offered)
    assert (held.status, held.reason["code"]) == (DeliveryStatus.HELD, "conflict")
    assert (joined.status, joined.branch) == (DeliveryStatus.INTENDED, here.branch)
    assert here.told(offered).startswith("It does not fit onto main.")
    stage.deliver()
    new = here.head(here.branch)
    parents = stage.folders.plain("rev-list", "--parents", "-1", new).split()[1:]
    assert parents == [work, user] and here.head("main") == user, "one commit of both"
    joined = last(stage, offered)
    assert (joined.status, joined.new_commit) == (DeliveryStatus.DELIVERED, new)
    assert joined.reason["unsettled"] == [{"path": "a.txt", "clash": "lines", "holds": "marks"}]
    assert stage.proposals_of(offered).status is ProposalStatus.CONFLICTED
    assert items(stage) == [] and here.mission.state is MissionState.ACTIVE
    assert here.mission.outcome is None and here.mission.ended_at is None
    assert here.root.status is TaskStatus.IN_PROGRESS
    pages = client(stage)
    said = pages.get(f"/proposals/{offered.id}").get_data(as_text=True)
    assert "a task settles what clashes there: a.txt." in said and here.branch in said
    mission = pages.get(f"/missions/{here.id}").get_data(as_text=True)
    assert "a task settles what clashes there" in mission
    told = pages.get("/activity").get_data(as_text=True)
    assert "has what its base branch has by now." in told
    assert pages.get(f"/tasks/{here.root.id}").status_code == 200

    [repair] = here.repairs()
    assert repair.write_area == ("a.txt",) and repair.base_branch == here.branch
    assert repair.about_task_id == here.root.id and repair.assignee_agent_id is not None
    words = repair.description
    assert "- `a.txt`: both sides changed the same lines; it has git's conflict marks." in words
    assert work in words and user in words
    assert ("Keep both words" in words) == (mode is DeliveryMode.APPROVAL)
    run = here.begun(repair)
    assert "<<<<<<< " in (stage.copy(run) / "a.txt").read_text()
    assert here.worked(repair, run, a="both\n").status is ProposalStatus.APPROVED
    stage.deliver()
    assert here.now(repair).status is TaskStatus.DONE

    again = here.offered()
    assert again.base_commit == user and again.held is None
    assert [one["path"] for one in again.files] == ["a.txt"]
    if mode is DeliveryMode.APPROVAL:
        stage.ask_deliver(again)
    stage.deliver()
    assert stage.proposals_of(again).status is ProposalStatus.DELIVERED
    assert here.shown("a.txt", "main") == "both"
    assert here.is_in(user, "main") and here.is_in(work, "main")
    stage.folders.plain("fsck", "--strict")


@pytest.mark.proves("A-27")
def test_a_base_that_moves_again_meanwhile_makes_another_round(stage: Stage) -> None:
    here = Moved(stage, delivery=DeliveryMode.AUTO)
    here.clashed()
    stage.deliver()
    [first] = here.repairs()
    run = here.begun(first)
    moved = here.user(a="user again\n")
    here.worked(first, run, a="both\n")
    stage.deliver()
    again = here.offered()
    stage.deliver()
    stage.deliver()
    assert stage.proposals_of(again).status is ProposalStatus.CONFLICTED
    [_, second] = here.repairs()
    here.merged(second, a="all three\n")
    final = here.offered()
    assert final.base_commit == moved
    stage.deliver()
    assert stage.proposals_of(final).status is ProposalStatus.DELIVERED
    assert here.shown("a.txt", "main") == "all three" and here.is_in(moved, "main")


@pytest.mark.proves("A-27")
def test_by_itself_it_is_tried_three_times_and_then_a_person_says_how(stage: Stage) -> None:
    here = Moved(stage, delivery=DeliveryMode.AUTO)
    offered = here.clashed()
    for number in range(3):
        stage.deliver()
        assert len(here.repairs()) == number + 1 and items(stage) == []
        here.merged(here.repairs()[-1], a=f"settled {number}\n")
        here.user(a=f"user {number}\n")
        offered = here.offered()
        stage.deliver()
    [item] = items(stage)
    assert item["kind"] == "delivery_blocked" and len(here.repairs()) == 3
    assert here.mission.state is MissionState.COMPLETED
    inbox.act(stage.desk, ASKED, item["id"], "request_changes", "")
    stage.deliver()
    assert len(here.repairs()) == 4, "a person's word counts for more"
    here.merged(here.repairs()[-1], a="at last\n")
    offered = here.offered()
    stage.deliver()
    assert stage.proposals_of(offered).status is ProposalStatus.DELIVERED
    assert here.shown("a.txt", "main") == "at last"


@pytest.mark.proves("A-26")
def test_a_base_that_does_not_clash_is_joined_and_offered_anew_at_once(stage: Stage) -> None:
    here = Moved(stage, delivery=DeliveryMode.APPROVAL)
    here.merged(here.task(), b="b\n")
    offered = here.offered()
    user = here.user(mine="mine\n")
    desk_proposals.rebase(stage.desk, ASKED, offered.id)
    stage.deliver()
    assert here.mission.state is MissionState.COMPLETED and here.repairs() == []
    assert here.told(offered).startswith("The mission's branch has what main has by now")
    here.offer()
    [_, again] = stage.proposals(here.root)
    assert again.base_commit == user and [one["path"] for one in again.files] == ["b.txt"]
    parents = stage.folders.plain("rev-list", "--parents", "-1", again.head_commit).split()[1:]
    assert parents == [offered.head_commit, user]
    stage.ask_deliver(again)
    stage.deliver()
    assert here.files("main") == ["a.txt", "b.txt", "mine.txt"]


@pytest.mark.proves("A-26")
def test_what_a_person_has_merged_by_hand_is_offered_as_it_is(stage: Stage) -> None:
    here = Moved(stage, delivery=DeliveryMode.APPROVAL)
    offered = here.clashed()
    plain, user = stage.folders.plain, here.head("main")
    plain("checkout", "-q", here.branch)
    plain("merge", "-q", "-X", "ours", "-m", "by hand", "main")
    plain("checkout", "-q", "elsewhere")
    by_hand = here.head(here.branch)
    desk_proposals.rebase(stage.desk, ASKED, offered.id)
    stage.deliver()
    here.offer()
    again = stage.proposals(here.root)[-1]
    assert (again.base_commit, again.head_commit) == (user, by_hand) and here.repairs() == []
    stage.ask_deliver(again)
    stage.deliver()
    assert here.shown("a.txt", "main") == "mission" and here.is_in(user, "main")


@pytest.mark.proves("A-27", "F-07")
@pytest.mark.parametrize("place", ["join", "keep_ref", "deliver"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_one_that_dies_on_the_way_ends_once_after_the_restart(
    stage: Stage, place: str, when: str
) -> None:
    here = Moved(stage, delivery=DeliveryMode.AUTO)
    offered = here.clashed()
    user, work = here.head("main"), offered.head_commit
    with killing(stage, place, when), pytest.raises(Killed):
        stage.deliver()
    head = here.head(here.branch)
    assert head in (work, last(stage, offered).new_commit), "it is exactly old or new"
    assert here.repairs() == [] and here.mission.state is MissionState.COMPLETED
    stage.restart()
    stage.play()
    stage.deliver()
    assert len(here.repairs()) == 1 and here.mission.state is MissionState.ACTIVE
    log = stage.folders.plain("rev-list", "--parents", "-1", here.branch).split()[1:]
    assert log == [work, user] and here.head("main") == user
    assert [one.status for one in stage.tries(offered)] == ["held", "delivered"]


@pytest.mark.proves("A-27", "F-07")
def test_one_that_dies_before_it_has_an_aim_takes_in_what_its_base_has_then(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Moved(stage, delivery=DeliveryMode.APPROVAL)
    offered = here.clashed()
    desk_proposals.rebase(stage.desk, ASKED, offered.id, "Keep both words")

    def die(*words: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(stage.deliveries, "_put", die)
        with pytest.raises(Killed):
            stage.deliver()
    assert last(stage, offered).new_commit is None
    assert here.head(here.branch) == offered.head_commit
    user = here.user(a="user again\n")
    stage.restart()
    stage.play()
    parents = stage.folders.plain("rev-list", "--parents", "-1", here.branch).split()[1:]
    assert parents == [offered.head_commit, user]
    [repair] = here.repairs()
    assert user in repair.description and "Keep both words" in repair.description


@pytest.mark.proves("A-27", "F-07")
def test_one_that_dies_before_its_last_decision_makes_its_repair_after_the_restart(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Moved(stage, delivery=DeliveryMode.AUTO)
    here.clashed()

    def die(*words: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(stage.deliveries, "_end", die)
        with pytest.raises(Killed):
            stage.deliver()
    before = here.head(here.branch)
    here.user(a="user again\n")
    stage.restart()
    stage.play()
    assert here.head(here.branch) == before, "it was there, and is not made again"
    [repair] = here.repairs()
    assert "a.txt" in repair.description


@pytest.mark.proves("A-27")
def test_clashes_without_marks_are_told_with_what_is_there(stage: Stage) -> None:
    here = Moved(stage, delivery=DeliveryMode.AUTO)
    here.user(bin=b"\0\1", gone="1\n2\n3\n", kept="1\n2\n3\n")
    stage.folders.plain("branch", "-f", here.branch, "main")
    task = here.task()
    run = here.begun(task)
    folder = stage.copy(run)
    (folder / "bin.txt").write_bytes(b"\0\1mission")
    (folder / "gone.txt").unlink()
    here.worked(task, run, kept="1\n2\nmission\n")
    stage.deliver()
    here.user(bin=b"\0\1user", gone="1\n2\nuser\n", kept=None)
    here.offered()
    stage.deliver()
    stage.deliver()
    [repair] = here.repairs()
    assert sorted(repair.write_area) == ["bin.txt", "gone.txt", "kept.txt"]
    for told in (
        "- `bin.txt`: both sides changed it, and it has no lines; it is there as this mission had",
        "- `gone.txt`: one side took it away, the other one changed it; it is there as main had it",
        "- `kept.txt`: one side took it away, the other one changed it; it is there as this",
    ):
        assert told in repair.description
    assert stage.folders.plain("show", f"{here.branch}:gone.txt") == "1\n2\nuser"
    stage.finish(here.begun(repair), result=DONE)  # they are well as they are
    again = here.offered()
    assert again.held is None
    stage.deliver()
    assert stage.proposals_of(again).status is ProposalStatus.DELIVERED


@pytest.mark.proves("A-27")
def test_where_nobody_else_is_there_its_wave_names_who_settles_it(stage: Stage) -> None:
    here = Moved(stage, delivery=DeliveryMode.AUTO)
    here.clashed()
    for one in (here.worker, here.other):
        with stage.store.transaction() as tx:
            set_columns(tx, "agents", one.id, status="stopped")
    stage.deliver()
    [repair] = here.repairs()
    assert repair.assignee_agent_id is None and here.mission.state is MissionState.ACTIVE


@pytest.mark.proves("A-27")
def test_a_repair_of_the_base_counts_no_conflicts_of_the_whole_mission(stage: Stage) -> None:
    """Its own first clash is as trivial as that of any other task."""
    here = Moved(stage, delivery=DeliveryMode.AUTO)
    here.clashed()
    stage.deliver()
    [repair] = here.repairs()
    run = here.begun(repair)
    here.merged(here.task("Beside", agent=here.worker), a="another\n")
    here.worked(repair, run, a="both\n")
    stage.deliver()
    assert here.now(repair).status is not TaskStatus.BLOCKED and items(stage) == []
