"""A provider's refusal is no fault of the work: the same wakeup goes on when the limit ends."""

from datetime import timedelta

import pytest
from engine_stage import Stage
from ground import NOW

from roundtable_desktop.model.states import TaskStatus, WakeupOutcome, WakeupStatus
from roundtable_desktop.store import claims

# Times in the texts are meant in the machine's zone, which is Berlin on this stage (UTC+1).
STATED = [
    ("You've hit your session limit · resets 3:45pm", timedelta(hours=2, minutes=45, seconds=30)),
    ("429 Too Many Requests\nRetry-After: 3600", timedelta(seconds=3630)),
    ("Rate limit reached. Please try again in 5 minutes.", timedelta(minutes=5, seconds=30)),
]


@pytest.mark.proves("K-32", "C-38 rule", "C-04")
@pytest.mark.parametrize(("text", "wait"), STATED, ids=["clock", "header", "span"])
def test_a_stated_reset_is_when_it_goes_on(stage: Stage, text: str, wait: timedelta) -> None:
    task = stage.assigned()
    run = stage.finish(stage.launch(), code=1, stderr=text)
    assert (run.status, run.outcome) == ("failed", "limited")
    wakeup = stage.wakeup(task)
    assert (wakeup.status, wakeup.held_by, wakeup.retry_count) == ("queued", "limit", 1)
    assert wakeup.scheduled_retry_at is not None
    assert abs(wakeup.scheduled_retry_at - (NOW + wait)) < timedelta(seconds=2)
    about = stage.ground.get_task(task.id)
    assert (about.status, about.attempts_spent) == (TaskStatus.IN_PROGRESS, 0)


@pytest.mark.proves("K-32", "C-04")
def test_a_limit_without_a_time_backs_off_and_spends_no_attempt(stage: Stage) -> None:
    task = stage.assigned()
    run = stage.finish(stage.launch(), code=1, stderr="HTTP 429: rate limit exceeded")
    assert run.outcome == "limited" and run.error_kind in ("rate_limited", "quota_limited")
    wakeup = stage.wakeup(task)
    assert (wakeup.held_by, wakeup.retry_count) == ("retry", 1)
    assert stage.ground.get_task(task.id).attempts_spent == 0


@pytest.mark.proves("K-35", "C-05")
def test_a_limit_that_never_ends_is_escalated_after_the_fourth_retry(stage: Stage) -> None:
    task = stage.assigned()
    for _ in range(5):
        stage.finish(stage.launch(), code=1, stderr="Please try again in 20s. 429")
        stage.clock.forward(minutes=1)
        with stage.store.transaction() as tx:
            claims.promote_due(tx)
    wakeup = stage.wakeup(task)
    assert (wakeup.status, wakeup.outcome) == (WakeupStatus.FAILED, WakeupOutcome.EXHAUSTED)
    (item,) = stage.ground.rows("inbox_items")
    assert (item["kind"], item["subject_id"], item["status"]) == ("agent.error", task.id, "open")


@pytest.mark.proves("C-38")
def test_what_waiting_cannot_cure_blocks_at_once(stage: Stage) -> None:
    task = stage.assigned()
    text = "Your credit balance is too low to access the API. Please go to Plans & Billing."
    run = stage.finish(stage.launch(), code=1, stderr=text)
    assert (run.outcome, run.error_kind) == ("limited", "billing")
    assert stage.ground.get_task(task.id).status is TaskStatus.BLOCKED
    assert stage.wakeup(task).outcome is WakeupOutcome.INCURABLE
    assert [row["kind"] for row in stage.ground.rows("inbox_items")] == ["agent.error"]


@pytest.mark.proves("C-36")
def test_an_answer_that_is_nothing_but_a_limit_is_one_whatever_the_exit(stage: Stage) -> None:
    task = stage.assigned()
    text = "You've hit your limit · resets 8pm (Europe/Berlin)"
    run = stage.finish(stage.launch(), code=0, tail=text, output_bytes=len(text))
    assert run.outcome == "limited"
    assert stage.wakeup(task).held_by == "limit"


@pytest.mark.proves("C-36", "B-065 rule")
@pytest.mark.parametrize(
    "words",
    [
        {"code": 0, "tail": "I now handle 429 and Retry-After: 3600 in the client."},
        {"code": 0, "tail": "try again in 5 minutes", "result": {"status": "completed"}},
        {
            "code": 1,
            "stderr": "429 Too Many Requests",
            "result": {"status": "failed", "error": {"kind": "task_failed", "text": "no"}},
        },
    ],
    ids=["talks of limits", "reported done", "reported failed"],
)
def test_who_only_speaks_of_limits_or_reports_is_not_limited(
    stage: Stage, words: dict[str, object]
) -> None:
    stage.assigned()
    run = stage.finish(stage.launch(), **{"output_bytes": 60, **words})  # type: ignore[arg-type]
    assert run.outcome in ("no_changes", "task_failed")
