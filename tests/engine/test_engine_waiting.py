"""What waits in the queue waits for one reason at a time, costs nothing, and moves as promised."""

import itertools
import logging
from datetime import timedelta

import pytest
from engine_stage import ASKED, Stage
from ground import NOW, Ground

from roundtable_desktop.dashboard.api.explanations import explained
from roundtable_desktop.dashboard.api.held import held as shown_held
from roundtable_desktop.engine import explain, intake
from roundtable_desktop.engine.desk import control, held, pausing, tasks, waking
from roundtable_desktop.model.errors import Illegal
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import WAKEUP, TaskStatus, WakeupOutcome, WakeupStatus
from roundtable_desktop.model.verdicts import Explanation
from roundtable_desktop.phrases.recovery import STANDS
from roundtable_desktop.store import agents, db, journal, wakeups

W = WakeupStatus
MOVES = {
    W.QUEUED: {W.CLAIMED, W.COALESCED, W.SKIPPED, W.CANCELLED},
    W.CLAIMED: {W.QUEUED, W.FINISHED, W.SKIPPED, W.FAILED, W.CANCELLED},
}


@pytest.mark.proves("K-57")
@pytest.mark.parametrize(("source", "to"), list(itertools.product(W, W)))
def test_a_wakeup_makes_the_promised_moves_and_no_other(
    ground: Ground, source: WakeupStatus, to: WakeupStatus
) -> None:
    wakeup = ground.wakeup(ground.agent(ground.workspace()), status=source)
    with ground.store.transaction() as tx:
        if to in MOVES.get(source, ()):
            assert journal.move(tx, WAKEUP, wakeup, to=to, kind=Kind.WAKEUP_SETTLED)
        else:
            with pytest.raises(Illegal):
                journal.move(tx, WAKEUP, wakeup, to=to, kind=Kind.WAKEUP_SETTLED)
    assert ground.get_wakeup(wakeup.id).status is (to if to in MOVES.get(source, ()) else source)


@pytest.mark.proves("K-42")
def test_twenty_waiting_ones_go_one_by_one_and_it_costs_them_nothing(ground: Ground) -> None:
    agent = ground.agent(ground.workspace(), cooldown_sec=10)
    made = [ground.wakeup(agent).id for _ in range(20)]
    order = []
    while len(order) < 20:
        claimed = ground.claim()
        assert claimed is not None and ground.claim() is None
        with ground.store.transaction() as tx:
            wakeups.settle(tx, claimed, W.FINISHED, outcome=WakeupOutcome.EXECUTED)
            agents.touch_finished(tx, agent.id)
        order.append(claimed.id)
        if len(order) < 20:
            assert ground.claim() is None  # it rests
        ground.clock.forward(seconds=10.1)
    assert order == made
    assert {
        (row["retry_count"], row["held_by"]) for row in ground.rows("agent_wakeup_requests")
    } == {(0, None)}


def why_of(stage: Stage, task: Task) -> Explanation:
    fresh = stage.ground.get_task(task.id)
    with stage.ground.reader.snapshot() as view:
        return explain.of_task(view, fresh, stage.clock.now()).nearest


@pytest.mark.proves("C-22")
def test_the_first_gate_that_holds_is_the_one_that_is_told(stage: Stage) -> None:
    task = stage.assigned()
    stage.finish(stage.launch(), code=1, stderr="Retry-After: 18000, 429 Too Many Requests")
    control.pause(stage.desk, ASKED)
    told = []
    for change in ("", "resume", "promote"):
        if change == "resume":
            control.resume(stage.desk, ASKED)
        if change == "promote":
            with stage.store.transaction() as tx:
                wakeups.take_up(tx, "limit")
        told.append(why_of(stage, task).code)
    assert told == ["waits_intake", "waits_limit", "waits_account"]


@pytest.mark.proves("K-33")
@pytest.mark.parametrize(
    ("text", "source", "reset"),
    [
        ("429. Retry-After: 3600", "rate_limit_parsed", "2026-03-01T13:00:00"),
        ("429 rate limit exceeded", "backoff", "None"),
    ],
)
def test_the_log_says_where_the_next_try_comes_from(
    stage: Stage, caplog: pytest.LogCaptureFixture, text: str, source: str, reset: str
) -> None:
    stage.assigned()
    with caplog.at_level(logging.INFO):
        stage.finish(stage.launch(), code=1, stderr=text)
    (line,) = [one for one in caplog.messages if one.startswith("limited ")]
    assert f"source={source}" in line and f"parsed_reset_at={reset}" in line


@pytest.mark.proves("B-062")
def test_no_try_comes_between_a_limit_and_the_time_that_was_told(stage: Stage) -> None:
    task = stage.assigned()
    stage.finish(stage.launch(), code=1, stderr="429: Your quota will reset after 25h20m26s")
    until = timedelta(hours=25, minutes=20, seconds=56)
    for _ in range(25):
        stage.clock.forward(hours=1)
        assert not stage.step()
    why = why_of(stage, task)
    assert (why.code, why.values["until"]) == ("waits_limit", "2026-03-02T13:20:56.000000Z")
    stage.clock.forward(seconds=(NOW + until - stage.clock.now()).total_seconds() - 1)
    assert not stage.step()
    stage.clock.forward(seconds=1)
    assert stage.step()


@pytest.mark.proves("B-074", "C-38")
def test_an_agent_that_is_signed_out_is_asked_about_once(stage: Stage) -> None:
    workspace = stage.workspace()
    out, works = stage.agent(workspace, name="out"), stage.agent(workspace, name="works")
    task = stage.task(workspace, out)
    error = {"kind": "auth_required", "text": "401 OAuth token has expired. Please run /login"}
    run = stage.launch()
    stage.finish(run, why="spawn_failed", code=None, error=error)
    assert stage.ground.get_run(run.id).error_kind == "auth_required"
    assert stage.ground.get_task(task.id).status is TaskStatus.BLOCKED
    why = why_of(stage, task)
    assert why.code == "task_blocked_log_in"
    stage.clock.forward(hours=12)
    assert not stage.step()
    assert len(stage.ground.rows("inbox_items")) == 1
    stage.task(workspace, works)
    assert stage.step(), "others go on"


@pytest.mark.proves("N-03")
def test_no_retry_is_promised_while_its_agent_is_paused_or_all_is(stage: Stage) -> None:
    task = stage.assigned()
    stage.finish(stage.launch(), code=-9)
    assert why_of(stage, task).code == "waits_retry"
    agent_id = stage.wakeup(task).agent_id
    pausing.pause(stage.desk, ASKED, agent_id)
    assert why_of(stage, task).code == "waits_agent_paused"
    control.pause(stage.desk, ASKED)
    assert why_of(stage, task).code == "waits_intake"
    control.resume(stage.desk, ASKED)
    pausing.resume(stage.desk, ASKED, agent_id)
    assert why_of(stage, task).code == "waits_retry"


@pytest.mark.proves("N-03")
def test_who_waits_for_a_retry_does_not_work(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    assert of_task(stage, task).code == "task_in_progress"
    stage.finish(run, code=-9)
    told = of_task(stage, task)
    assert (told.code, told.nearest.code) == ("task_in_progress_waits", "waits_retry")
    stage.clock.forward(minutes=3)
    stage.launch()
    assert of_task(stage, task).code == "task_in_progress"


@pytest.mark.proves("N-03")
def test_who_works_on_a_task_does_so_also_while_a_comment_waits(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    tasks.comment(stage.desk, ASKED, task.id, "And the docs")
    assert why_of(stage, task).code == "wakeup_claimed"
    control.stop(stage.desk, ASKED)
    assert why_of(stage, task).code == "wakeup_claimed", "it ends by itself"
    control.resume(stage.desk, ASKED)
    stage.finish(run, code=-9)
    assert why_of(stage, task).code.startswith("waits_")


@pytest.mark.proves("N-03", "N-10 leave")
def test_what_was_broken_off_goes_on_by_itself_only_when_nothing_holds_it(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.launch()
    control.leave(stage.desk, ASKED, stage.clock.now() + timedelta(minutes=5))
    stage.clock.forward(minutes=5)
    with stage.store.transaction() as tx:
        assert intake.pass_time(tx) == [run.id]
    stage.finish(run, code=-9)
    assert of_task(stage, task).code == "task_interrupted_goes_on"
    assert why_of(stage, task).code == "waits_intake"
    control.resume(stage.desk, ASKED)
    assert why_of(stage, task).code == "task_interrupted_goes_on"
    pausing.pause(stage.desk, ASKED, run.agent_id)
    assert why_of(stage, task).code == "waits_agent_paused"


def of_task(stage: Stage, task: Task) -> Explanation:
    now, found = stage.clock.now(), stage.ground.get_task(task.id)
    with stage.ground.reader.snapshot() as view:
        return explain.of_task(view, found, now)


@pytest.mark.proves("B-069")
def test_only_who_waits_for_a_limit_is_named(stage: Stage) -> None:
    workspace = stage.workspace()
    first, other = (stage.agent(workspace, name=one, account="shared") for one in ("a", "b"))
    task = stage.task(workspace, first)
    run = stage.launch()
    stage.finish(run, code=1, stderr="429 Too Many Requests. Retry-After: 3600")
    later = stage.clock.now() + timedelta(hours=2)
    waking.wake(stage.desk, ASKED, other.id, at=later)
    with stage.ground.reader.snapshot() as view:
        (seen,) = held.accounts(view, stage.clock.now())
    assert [agent.id for agent in seen.agents] == [first.id]
    waking.cancel(stage.desk, ASKED, stage.wakeup(task).id)
    with stage.ground.reader.snapshot() as view:
        (seen,) = held.accounts(view, stage.clock.now())
    assert seen.agents == []
    assert shown_held([seen])[0].sentence.endswith("Nobody waits for it.")


@pytest.mark.proves("N-03 owner")
@pytest.mark.parametrize("code", sorted(STANDS))
def test_what_keeps_the_owner_from_starting_anything_is_said_of_each(
    stage: Stage, code: str
) -> None:
    """It is in no row: the reader asks who decides."""
    task = stage.assigned()
    assert why_of(stage, task).code == "waits_turn"
    stage.ground.reader.stands = lambda: code
    why = why_of(stage, task)
    assert why.code == f"waits_{code}" and [one["gate"] for one in why.gates] == ["owner"]
    told = explained(why)
    assert told.sentence == told.gates[0].sentence == STANDS[code]


@pytest.mark.proves("N-03 owner")
def test_the_owner_says_itself_why_it_starts_nothing(stage: Stage) -> None:
    parting, store = stage.desk.parting, stage.store
    stage.assigned()
    assert (parting.stands, store.stands) == (None, None)
    store.log_bytes = db.LONG
    assert (store.trouble, store.stands) == ("database_read", None), "it only grows yet"
    store.log_bytes = db.LOG_MOST
    assert store.stands == "log_full"
    store.log_bytes, store.fault = 0, "disk_full"
    assert store.stands == "disk_full"
    store.fault = None
    with store.transaction() as tx:
        parting.begin(tx.now)
    assert parting.stands == "session_ends" and not stage.step()
    stage.clock.forward(minutes=3)
    assert stage.step() and parting.stands is None
