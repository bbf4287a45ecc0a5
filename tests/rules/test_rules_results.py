"""What a run's end amounts to, and who tries again, when and how often."""

from datetime import timedelta
from typing import Any

import pytest
from ground import NOW
from hypothesis import given
from hypothesis import strategies as st

from roundtable_desktop.model.messages import End, WorkerResult, worker_result
from roundtable_desktop.model.states import ErrorKind, RunOutcome, RunStatus, TaskStatus
from roundtable_desktop.phrases import SENTENCES
from roundtable_desktop.rules import results, retry
from roundtable_desktop.rules.retry import Layer
from roundtable_desktop.rules.signature import signature


def end(why: str = "exited", code: int | None = 0, **changes: Any) -> End:
    values: dict[str, Any] = {"seq": 9, "at": 1, "kind": "end", "why": why, "exit_code": code}
    return End.model_validate({**values, **changes})


def said(status: str, **more: Any) -> WorkerResult:
    return WorkerResult.model_validate({"status": status, **more})


BLOCKED = {"blocked": {"owner": "user", "action": "give me a key"}}
R, T, L = RunOutcome, TaskStatus, Layer
API = "[API Error: fetch failed]\n"
LEAVE = "I need your permission to run git commands."
_RESULT = '{"type":"system"}\n{"type":"result","subtype":"success","is_error":%s,"result":"%s"}\n'
GOOD, BAD = _RESULT % ("false", "All done."), _RESULT % ("true", "Prompt is too long")
QWEN, MAY_I = _RESULT % ("false", "[API Error: 401 no key]"), _RESULT % ("false", LEAVE)

# end · result · changed → outcome, layer, task
CASES = [
    (end(), said("completed"), True, R.DONE, L.NONE, T.IN_REVIEW),
    (end(), said("completed"), False, R.NO_CHANGES, L.NONE, T.DONE),
    (end(code=3), said("completed"), True, R.DONE, L.NONE, T.IN_REVIEW),
    (end(code=-9), said("completed"), False, R.NO_CHANGES, L.NONE, T.DONE),
    (end(), None, True, R.DONE, L.NONE, T.IN_REVIEW),
    (end(output_bytes=5), None, False, R.NO_CHANGES, L.NONE, T.DONE),
    (end(), None, False, R.NO_RESULT, L.ATTEMPT, None),
    (end(output_bytes=9, stderr="Oh no."), None, False, R.NO_RESULT, L.ATTEMPT, None),
    (end(output_bytes=9, stderr="Hm.", tail=" \n"), None, False, R.NO_RESULT, L.ATTEMPT, None),
    (end(output_bytes=9, stderr="Hm.", tail="Done."), None, False, R.NO_CHANGES, L.NONE, T.DONE),
    (end(output_bytes=9, stderr="Hm."), None, True, R.DONE, L.NONE, T.IN_REVIEW),
    (end(output_bytes=9, tail=API), None, False, R.CRASHED, L.WAKEUP, None),
    (end(output_bytes=9, tail=API), None, True, R.CRASHED, L.WAKEUP, None),
    (end(output_bytes=9, tail=API), said("completed"), True, R.DONE, L.NONE, T.IN_REVIEW),
    (end(output_bytes=9, tail=LEAVE), None, False, R.BLOCKED, L.NONE, T.BLOCKED),
    (end(output_bytes=9, tail=LEAVE), None, True, R.DONE, L.NONE, T.IN_REVIEW),
    (end(code=143, output_bytes=9, tail=GOOD), None, True, R.DONE, L.NONE, T.IN_REVIEW),
    (end(code=1, output_bytes=9, tail=GOOD), None, False, R.NO_CHANGES, L.NONE, T.DONE),
    (end(code=-15, output_bytes=9, tail=GOOD), None, False, R.NO_CHANGES, L.NONE, T.DONE),
    (end(code=0, output_bytes=9, tail=BAD), None, True, R.CRASHED, L.WAKEUP, None),
    (end(code=1, output_bytes=9, tail=BAD), None, False, R.TASK_FAILED, L.ATTEMPT, None),
    (end(code=0, output_bytes=9, tail=QWEN), None, False, R.CRASHED, L.WAKEUP, None),
    (end(code=7, output_bytes=9, tail=MAY_I), None, False, R.BLOCKED, L.NONE, T.BLOCKED),
    (end("silence", -9, output_bytes=9, tail=GOOD), None, True, R.DONE, L.NONE, T.IN_REVIEW),
    (end("silence", -9, output_bytes=9, tail=BAD), None, True, R.TIMED_OUT, L.WAKEUP, None),
    (end("cancelled", -9, output_bytes=9, tail=GOOD), None, True, R.CANCELLED, L.NONE, T.TODO),
    (end(code=1), None, False, R.TASK_FAILED, L.ATTEMPT, None),
    (end(code=1), None, True, R.TASK_FAILED, L.ATTEMPT, None),
    (end(code=-11), None, False, R.CRASHED, L.WAKEUP, None),
    (end(code=None), None, False, R.TASK_FAILED, L.ATTEMPT, None),
    (end(), said("failed"), False, R.TASK_FAILED, L.ATTEMPT, None),
    (end(), said("blocked", **BLOCKED), False, R.BLOCKED, L.NONE, T.BLOCKED),
    (end(), said("cancelled"), False, R.CANCELLED, L.NONE, T.CANCELLED),
    (end(), said("cancelled", resumable=True), False, R.CANCELLED, L.NONE, T.INTERRUPTED),
    (end("cancelled", None), None, False, R.CANCELLED, L.NONE, T.TODO),
    (end("cancelled", None), said("completed"), False, R.CANCELLED, L.NONE, T.TODO),
    (end("interrupted", None), None, False, R.INTERRUPTED, L.REQUEUE, T.INTERRUPTED),
    (end("silence", -9), None, False, R.TIMED_OUT, L.WAKEUP, None),
    (end("hard", -9), said("completed"), True, R.DONE, L.NONE, T.IN_REVIEW),
    (end("hard", -9), None, True, R.TIMED_OUT, L.WAKEUP, None),
    (end("memory", -9), said("completed"), True, R.DONE, L.NONE, T.IN_REVIEW),
    (end("spawn_failed", None), None, False, R.CRASHED, L.WAKEUP, None),
    (
        end("spawn_failed", None, error={"kind": "cli_missing", "text": "no such program"}),
        None,
        False,
        R.CRASHED,
        L.INCURABLE,
        T.BLOCKED,
    ),
]


@pytest.mark.proves("C-103", "C-90", "C-97", "B-080", "B-081", "C-04")
@pytest.mark.parametrize(("ended", "result", "changed", "outcome", "layer", "task"), CASES)
def test_an_end_amounts_to_one_thing(
    ended: End,
    result: WorkerResult | None,
    changed: bool,
    outcome: RunOutcome,
    layer: Layer,
    task: TaskStatus | None,
) -> None:
    found = results.settlement(ended, result, changed=changed)
    assert (found.outcome, found.layer, found.task) == (outcome, layer, task)
    assert (found.kind is not None) == (found.status is RunStatus.FAILED)


@pytest.mark.proves("C-103")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "done!",
        "[]",
        '{"status": "finished"}',
        '{"status": "completed", "mood": "good"}',
        '{"status": "blocked"}',
        '{"status": "completed", "summary": 5}',
        '{"status": "completed", "summary": "' + "x" * 9000 + '"}',
    ],
)
def test_a_result_that_does_not_fit_is_none(text: str) -> None:
    assert worker_result(text) is None


@pytest.mark.proves("C-103")
def test_only_a_run_that_ended_by_itself_proposes_its_changes() -> None:
    assert results.wants_collecting(end(), None)
    assert results.wants_collecting(end(code=7), said("completed"))
    assert not results.wants_collecting(end(code=7), None)
    assert not results.wants_collecting(end(), said("failed"))
    assert results.wants_collecting(end("hard"), said("completed"))
    assert results.wants_collecting(end("memory", code=-9), said("completed"))
    assert not results.wants_collecting(end("hard"), None)
    assert not results.wants_collecting(end("cancelled"), said("completed"))


@pytest.mark.proves("B-081")
def test_what_came_with_an_error_for_an_answer_stays_in_the_copy() -> None:
    assert not results.wants_collecting(end(tail=API), None)
    assert not results.wants_collecting(end(tail=BAD), None)
    assert results.wants_collecting(end(code=143, tail=GOOD), None)
    assert results.wants_collecting(end("silence", code=-9, tail=GOOD), None)
    assert results.wants_collecting(end(tail=API), said("completed"))


@pytest.mark.proves("B-081")
def test_a_turn_with_an_error_for_an_answer_is_tried_again_later() -> None:
    turn = end(stop_reason="end_turn", tail=API, output_bytes=9)
    for changed in (True, False):
        found = results.settlement(turn, None, changed=changed, speaks=True)
        assert (found.outcome, found.layer, found.text) == (R.CRASHED, L.WAKEUP, API.strip())


@pytest.mark.proves("C-58")
def test_lost_costs_a_retry_and_never_born_none() -> None:
    assert results.lost().layer is Layer.WAKEUP
    assert results.never_born().layer is Layer.REQUEUE


WAITING_CURES_NONE = (
    *("auth_required", "billing", "model_unavailable", "context_full"),
    *("cli_missing", "cli_outdated", "permission_denied", "special_file"),
)


@pytest.mark.proves("A-20")
@pytest.mark.parametrize("kind", ErrorKind)
def test_what_waiting_cannot_cure_blocks_and_the_rest_is_tried_again(kind: ErrorKind) -> None:
    found = results.unborn(kind, "text")
    incurable = kind in WAITING_CURES_NONE
    assert found.layer is (Layer.INCURABLE if incurable else Layer.WAKEUP)
    assert found.task is (TaskStatus.BLOCKED if incurable else None)


@pytest.mark.proves("K-34", "C-93", "C-04")
@given(st.floats(min_value=0, max_value=1, exclude_max=True), st.integers(0, 3))
def test_a_delay_lies_between_its_base_and_a_quarter_more(draw: float, count: int) -> None:
    base = timedelta(minutes=(2, 10, 30, 120)[count])
    at = retry.wakeup_retry_at(count, NOW, lambda: draw)
    assert at is not None and base <= at - NOW <= base * 1.25


@pytest.mark.proves("K-34")
def test_there_are_four_retries() -> None:
    given_ = [retry.wakeup_retry_at(count, NOW, lambda: 0.0) for count in range(6)]
    assert [at is not None for at in given_] == [True] * 4 + [False] * 2


def test_the_loops_delay_doubles_up_to_half_a_minute() -> None:
    delays = [retry.tick_delay(number, lambda: 0.5).total_seconds() for number in range(1, 12)]
    assert delays[:4] == [0.25, 0.5, 1.0, 2.0]
    assert max(delays) == 30.0
    assert retry.tick_delay(10**6, lambda: 1.0).total_seconds() == 37.5


@pytest.mark.proves("C-04")
def test_the_same_failure_twice_costs_two() -> None:
    def cost(spent: int, sign: str, last: str | None) -> tuple[int, bool]:
        found = retry.attempt_retry(budget=3, spent=spent, signature=sign, last_signature=last)
        return found.cost, found.again

    assert cost(0, "a", None) == (1, True)
    assert cost(1, "b", "a") == (1, True)
    assert cost(1, "a", "a") == (2, True)
    assert cost(2, "a", "a") == (2, False)
    assert cost(3, "b", "a") == (1, False)


def test_numbers_and_folders_make_no_other_failure() -> None:
    """A-07: line-number noise has the same signature."""
    first = signature("task_failed", "pytest", "/tmp-1/a/b.py:12: error 0xdeadbeef in 3.2 s")
    same = signature("task_failed", "pytest", "/other/place/b.py:98:  error 0xcafe in 14.9 s\n")
    assert first == same
    assert len(first) == 16
    assert signature("task_failed", "pytest", "/tmp-1/a/c.py:12: error") != first
    assert signature("crashed", "pytest", "/tmp-1/a/b.py:12: error 0xdeadbeef in 3.2 s") != first
    assert signature("task_failed", "tox", "/tmp-1/a/b.py:12: error 0xdeadbeef in 3.2 s") != first


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_no_number_makes_another_signature(one: int, other: int) -> None:
    def sign(number: int) -> str:
        return signature("crashed", "x", f"line {number} of /a{number}/b/file.py")

    assert sign(one) == sign(other)


def test_every_outcome_and_status_has_a_sentence() -> None:
    assert {f"run_{outcome}" for outcome in RunOutcome} <= set(SENTENCES)
    assert {f"run_{status}" for status in ("starting", "running")} <= set(SENTENCES)
    assert {f"task_{status}" for status in TaskStatus} <= set(SENTENCES)


@pytest.mark.proves("C-90")
def test_a_summary_of_what_was_printed_begins_at_a_whole_line() -> None:
    assert results.last_words("  one\ntwo\n") == "one\ntwo"
    long = "\n".join(f"line {number}" for number in range(500))
    first, second, *_, last = results.last_words(long).splitlines()
    assert first == "…" and second in long.splitlines() and last == "line 499"
    one_line = results.last_words("x" * 5000)
    assert one_line == "…" + "x" * results.SUMMARY


@pytest.mark.proves("F-37")
def test_too_much_memory_is_a_failed_attempt_with_the_same_signature_each_time() -> None:
    limited = [end("memory", -9, memory=used << 20, most_memory=100 << 20) for used in (130, 9000)]
    found = [results.settlement(one, None, changed=True) for one in limited]
    assert {(one.outcome, one.layer, one.kind) for one in found} == {
        (R.TASK_FAILED, L.ATTEMPT, ErrorKind.TASK_FAILED)
    }
    assert "130 MB at once, and one run may use 100 MB" in found[0].text
    assert len({signature("task_failed", "sh", one.text) for one in found}) == 1
    had_none = end("memory", -9, memory=5 << 20, most_memory=7 << 20)
    by_kernel = results.settlement(had_none, None, changed=False)
    assert "the machine had none left" in by_kernel.text and by_kernel.layer is L.ATTEMPT
    assert not any(results.wants_collecting(one, None) for one in limited)


@pytest.mark.proves("F-36")
def test_too_many_processes_are_a_failed_attempt_that_says_so() -> None:
    found = results.settlement(end("processes", -9), None, changed=True)
    assert (found.outcome, found.layer) == (R.TASK_FAILED, L.ATTEMPT)
    assert found.text.startswith("process limit") and not results.wants_collecting(
        end("processes", -9), None
    )
