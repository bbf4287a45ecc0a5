"""Merged work of a mission is looked at where that is wanted, and what is found has its follow-up:
on, repair, proof, assessment, or a person's decision."""

from typing import Any

import pytest
from engine_merged import MergedWork
from engine_reviews import DONE, review
from engine_stage import ASKED, Stage
from ground import JOAN, set_columns

from roundtable_desktop.engine.desk import Asked, board, inbox, pausing, settings
from roundtable_desktop.model.merged_reviews import ReviewStatus
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.states import AgentStatus, Role, TaskStatus

S, R = TaskStatus, ReviewStatus


@pytest.fixture
def work(stage: Stage) -> MergedWork:
    return MergedWork(stage)


def finding(severity: str, about: str | None = None, **more: Any) -> dict[str, Any]:
    said = {"path": "a.txt", "text": "It is off by one.", "severity": severity, **more}
    return {**said, "about": about} if about else said


@pytest.mark.proves("A-28", "A-15", "C-26")
def test_a_wave_of_reviewers_looks_at_one_snapshot_of_the_branch_and_approves(
    work: MergedWork,
) -> None:
    task = work.merged(a="one")
    assert task.status is S.DONE
    begun = work.look()
    assert begun.waits and begun.opened is not None and work.open() == 1
    carrier = work.carrier()
    assert (carrier.status, carrier.assignee_agent_id) == (S.IN_REVIEW, None)
    assert (carrier.mission_id, carrier.parent_id) == (work.mission_id, work.mission.root_task_id)
    head = str(work.stage.folders.plain("rev-parse", work.mission.integration_branch)).strip()
    assert (begun.opened.base_commit, begun.opened.head_commit) == (work.mission.base_commit, head)
    runs = [work.reviewing(one) for one in (work.first, work.second)]
    assert {one.base_commit for one in runs} == {head} and len({one.id for one in runs}) == 2
    assert f"git diff {work.mission.base_commit} {head}" in runs[0].assembled_prompt
    assert "T-2: Do it" in runs[0].assembled_prompt
    work.stage.leave(runs[0], a="mine now")
    work.vote(work.first, "approve")
    assert work.look().waits and len(work.reviewed()) == 1, "asking twice begins nothing twice"
    work.vote(work.second, "approve_with_notes", "Nice.", [finding("minor")])
    (done,) = work.reviewed()
    assert done.status is R.APPROVED and work.carrier().status is S.DONE and work.open() == 0
    assert not work.look().waits and not work.made() and not work.items()
    assert work.stage.folders.shown("a.txt", work.mission.integration_branch) == "one"
    kinds = [one["kind"] for one in work.stage.ground.rows("events")]
    assert kinds.count("mission.review") == 2


@pytest.mark.proves("A-28")
@pytest.mark.parametrize(
    ("setting", "files", "looked_at"),
    [
        ("off", {"auth": "x", "acceptance": ""}, []),
        ("risky", {"a": "one"}, []),
        ("risky", {"auth": "one"}, ["sensitive"]),
        ("risky", {"a": "one", "acceptance": ""}, ["no_acceptance"]),
        ("always", {"a": "one"}, ["always"]),
    ],
)
def test_no_review_where_none_is_required(
    stage: Stage, setting: str, files: dict[str, str], looked_at: list[str]
) -> None:
    work = MergedWork(stage, setting)
    work.merged(**files)
    assert work.look().waits is bool(looked_at)
    assert [list(one.reasons) for one in work.reviewed()] == ([looked_at] if looked_at else [])


@pytest.mark.proves("A-28")
def test_what_its_own_gate_has_passed_bears_no_risk(stage: Stage) -> None:
    work = MergedWork(stage, "risky")
    task = work.stage.task(
        work.workspace,
        work.worker,
        mission_id=work.mission_id,
        acceptance="It works.",
        gates=[review(work.third)],
    )
    work.stage.ask_run(task)
    work.worked(task, auth="one")
    work.go()
    work.vote(work.third, "approve")
    work.stage.deliver()
    assert work.now(task).status is S.DONE
    assert not work.look().waits and work.reviewed() == []


@pytest.mark.proves("A-28", "B-110")
def test_whose_work_it_is_does_not_look_and_without_anybody_it_is_said(work: MergedWork) -> None:
    work.merged(work.first, a="one")
    pausing.stop(work.stage.desk, ASKED, work.second.id)
    begun = work.look()
    assert not begun.waits and work.open() == 0
    (skipped,) = work.unrun()
    assert (skipped.status, skipped.reasons) == (R.SKIPPED, ("always", "no_reviewer"))
    assert not work.look().waits and len(work.reviewed()) == 1, "it is told once"
    with work.stage.store.transaction() as tx:
        set_columns(tx, "agents", work.second.id, status=AgentStatus.ACTIVE)
    work.merged(work.first, b="two")
    assert work.look().waits
    assert [one.agent_id for one in work.live() if one.gate_id] == [work.second.id]
    last = work.reviewed()[-1]
    assert last.base_commit == skipped.head_commit and len(last.merged) == 1


@pytest.mark.proves("A-28", "C-97 missions")
def test_a_minor_issue_becomes_a_repair_for_whose_work_it_is(work: MergedWork) -> None:
    first, second = work.merged(a="one"), work.merged(work.third, b="two")
    work.look()
    work.vote(work.first, "revise", "Look again.", [finding("minor"), finding("info", path="b")])
    assert work.reviewed()[-1].status is R.ASKED, "all are heard"
    work.vote(work.second, "approve")
    (made,) = work.made()
    assert work.reviewed()[-1].status is R.REPAIRED and work.open() == 0
    assert (made.purpose, made.about_task_id) == (Purpose.REPAIR, first.id)
    assert (made.assignee_agent_id, made.write_area) == (work.worker.id, ("a.txt",))
    assert (made.parent_id, made.mission_id) == (work.mission.root_task_id, work.mission_id)
    assert (made.base_branch, made.status) == (work.mission.integration_branch, S.TODO)
    assert "a.txt (minor): It is off by one." in made.description
    assert "First asks for changes: Look again." in made.description
    assert work.carrier().status is S.DONE and work.states(work.carrier()) == "returned"
    assert work.now(first).status is S.DONE and work.now(second).status is S.DONE
    assert not work.items()


@pytest.mark.proves("A-28")
def test_where_nobody_can_tell_somebody_else_shows_it(work: MergedWork) -> None:
    task = work.merged(a="one")
    work.look()
    work.vote(work.first, "abstain", "I cannot run it.")
    work.vote(work.second, "revise", "", [finding("major", "evidence")])
    (made,) = work.made()
    assert work.reviewed()[-1].status is R.VERIFIED
    assert (made.purpose, made.about_task_id) == (Purpose.VERIFY, task.id)
    assert made.assignee_agent_id == work.third.id, "a worker, and not whose work it is"
    assert f"git diff {work.mission.base_commit} " in made.description
    assert "I cannot run it." in made.description


@pytest.mark.proves("A-28", "A-34", "C-66")
@pytest.mark.parametrize("who", ["architect", "coordinator"])
def test_a_doubt_of_the_design_is_assessed_by_who_knows_it(work: MergedWork, who: str) -> None:
    chair = work.stage.agent(work.workspace, name="Chair", role=Role.COORDINATOR)
    wanted = chair
    if who == "architect":
        wanted = work.third
        work.with_role(work.third, Role.ARCHITECT)
    work.merged(a="one")
    work.look()
    work.vote(work.first, "reject", "Not like this.")
    work.vote(work.second, "approve")
    (made,) = work.made()
    assert (made.assignee_agent_id, made.purpose) == (wanted.id, Purpose.VERIFY)
    assert work.reviewed()[-1].status is R.ASSESSED and work.carrier().status is S.DONE
    (item,) = work.items()
    assert (item.code, item.severity) == ("inbox_review_assessed", "info")
    with work.stage.store.transaction() as tx:
        set_columns(tx, "tasks", made.id, status=S.IN_PROGRESS)
    board.move(work.stage.desk, ASKED, made.id, S.DONE)
    assert not work.items(), "it is assessed"


@pytest.mark.proves("A-28", "A-34", "C-29", "C-66")
@pytest.mark.parametrize("answer", ["repair", "accept"])
def test_what_is_grave_blocks_until_a_person_decides_and_the_coordinator_hears_of_it(
    work: MergedWork, answer: str
) -> None:
    chair = work.stage.agent(work.workspace, name="Chair", role=Role.COORDINATOR)
    work.with_role(work.third, Role.ARCHITECT)
    task = work.merged(a="one")
    work.look()
    work.vote(work.second, "approve")
    work.vote(work.first, "revise", "A hole.", [finding("major", "security")])
    carrier = work.carrier()
    assert carrier.status is S.BLOCKED and carrier.blocked is not None
    assert (work.reviewed()[-1].status, work.open()) == (R.BLOCKED, 1)
    assert work.look().waits
    (item,) = work.items()
    assert (item.code, item.subject_id) == ("inbox_review_findings", carrier.id)
    assert "A hole." in str(item.data["text"]) and item.data["about"] == f"T-{task.number}"
    (woken,) = work.woken(chair)
    assert (woken.payload["trigger"], woken.payload["agent_id"]) == (
        "review_finding",
        work.first.id,
    )
    assert not work.woken(work.third), "it is not about the design"
    (turn,) = [one for one in work.live() if one.agent_id == chair.id]
    assert f"T-{carrier.number} is brought to you" in turn.assembled_prompt
    inbox.act(work.stage.desk, Asked(JOAN), item.id, answer)
    assert (work.carrier().status, work.open()) == (S.DONE, 0)
    if answer == "repair":
        (made,) = work.made()
        assert (made.purpose, made.assignee_agent_id) == (Purpose.REPAIR, work.worker.id)
        assert work.unrun() == []
    else:
        assert [one.status for one in work.unrun()] == [R.WAIVED] and not work.made()


@pytest.mark.proves("A-34", "C-66", "C-29")
def test_the_architect_hears_of_what_is_grave_in_the_design_and_without_anybody_a_person_does(
    work: MergedWork,
) -> None:
    work.with_role(work.third, Role.ARCHITECT)
    work.merged(a="one")
    work.look()
    work.vote(work.first, "veto", "Never.", [finding("critical", "architecture")])
    work.go()
    (woken,) = work.woken(work.third)
    assert woken.payload["error"] and len(work.items()) == 1
    with work.stage.store.transaction() as tx:
        set_columns(tx, "agents", work.third.id, status=AgentStatus.RETIRED)
    (item,) = work.items()
    inbox.act(work.stage.desk, Asked(JOAN), item.id, "accept")
    for run in work.live():
        work.stage.finish(run, result=DONE)
    work.go()
    work.merged(b="two")
    work.look()
    work.vote(work.first, "reject", "Not like this.")
    work.vote(work.second, "approve")
    assert work.reviewed()[-1].status is R.BLOCKED, "nobody can assess it"
    assert len(work.items()) == 1


@pytest.mark.proves("A-28", "B-113")
def test_after_three_repairs_in_a_row_a_person_decides(work: MergedWork) -> None:
    for number in range(4):
        work.merged(a=str(number))
        work.look()
        work.vote(work.first, "revise", f"Again {number}.")
        work.vote(work.second, "approve")
    assert [str(one.status) for one in work.reviewed()] == ["repaired"] * 3 + ["blocked"]


@pytest.mark.proves("A-28", "W-37")
def test_a_review_whose_task_is_taken_away_is_over(work: MergedWork) -> None:
    work.merged(a="one")
    work.look()
    live = [one.id for one in work.live() if one.gate_id]
    board.move(work.stage.desk, ASKED, work.carrier().id, S.CANCELLED)
    assert {one for one, _ in work.stage.launcher.heard} == set(live)
    assert not work.look().waits and work.open() == 0
    assert [one.status for one in work.unrun()] == [R.WAIVED]


@pytest.mark.proves("A-28", "C-26")
def test_a_reviewer_that_does_not_answer_asks_a_person_who_lets_it_pass(work: MergedWork) -> None:
    work.merged(a="one")
    work.look()
    work.vote(work.second, "approve")
    for _ in range(2):
        work.stage.finish(work.reviewing(work.first), result=DONE)
        work.go()
    (item,) = work.items()
    assert item.code == "inbox_gate_too_few"
    inbox.act(work.stage.desk, Asked(JOAN), item.id, "pass_gate")
    assert work.reviewed()[-1].status is R.WAIVED and work.carrier().status is S.DONE


@pytest.mark.proves("A-28")
def test_a_kill_while_reviewers_are_at_work_loses_nothing(work: MergedWork) -> None:
    work.merged(a="one")
    work.look()
    work.vote(work.first, "approve", end=False)
    work.stage.restart()
    work.agency = type(work.agency)(work.stage.desk, work.stage.ground.reader)
    work.go()
    assert work.look().waits and len(work.reviewed()) == 1
    work.vote(work.second, "approve")
    assert work.reviewed()[-1].status is R.APPROVED


@pytest.mark.proves("A-28")
def test_what_was_merged_before_it_was_switched_on_is_looked_at_then(stage: Stage) -> None:
    work = MergedWork(stage, "off")
    first = work.merged(a="one")
    assert not work.look().waits
    settings.change_in(stage.desk, ASKED, work.workspace.id, {"mission_review": "always"})
    second = work.merged(b="two")
    assert work.look().waits
    assert [one["task_id"] for one in work.reviewed()[-1].merged] == [first.id, second.id]
