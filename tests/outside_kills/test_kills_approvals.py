"""The counters of approvals count: each kind of fault, made by hand, is found."""

import json
from typing import Any

import pytest
from kills.approving import Asked, Found, judge
from kills.ledgers import Acked


def approval(name: str, status: str, **more: Any) -> dict[str, Any]:
    plain = {"id": name, "status": status, "run_id": f"run of {name}", "agent_id": None}
    rest = {"task_status": "in_review", "decision_note": None, "items": 1, "gated": 0}
    return {**plain, **rest, "task_id": "task", "resolved": int(status != "requested"), **more}


def run(name: str, outcome: str = "no_changes", **more: Any) -> dict[str, Any]:
    carried = {key: more.pop(key) for key in ("approval_id", "comment_id") if key in more}
    wakes = [{"payload": carried}] if carried else []
    plain = {"id": name, "outcome": outcome, "agent_id": "agent", "requires_approval": 1}
    rest = {"task_status": "in_review", "proposes": 0, "task_id": "task", "assembled_prompt": ""}
    return {**plain, **rest, "context_snapshot": json.dumps({"wakes": wakes}), **more}


def wake(key: str) -> dict[str, Any]:
    return {"id": key, "idempotency_key": key, "source": key.partition(":")[0], "outcome": None}


YES = approval("yes", "approved", decision_note="key-1", task_status="done")
NO = approval("no", "rejected", decision_note="key-2")
GONE = approval("gone", "withdrawn", task_status="cancelled")
OPEN = approval("open", "requested")
AGENTS = approval("agents", "approved", agent_id="agent", decision_note="key-4")
APPROVALS = [YES, NO, GONE, OPEN, AGENTS]
OF_AGENT = {"approval_id": "agents", "requires_approval": 0}
RUNS = [
    *(run(f"run of {name}") for name in ("yes", "gone", "open")),
    run("run of no"),
    run("run of agents", "blocked", requires_approval=0),
    run("after no", "crashed", comment_id="said"),
    run("again after no", "done", comment_id="said", proposes=1),
    run("after agents", "done", **OF_AGENT),
]
WAKES = [wake("comment:said"), wake("approval_resolved:agents")]
SAID = [{"id": "said", "task_id": "task", "text": "key-2"}]
ACKS = [
    Acked("key-1", "approve", "yes"),
    Acked("key-2", "reject", "no"),
    Acked("key-3", "withdraw", "gone"),
    Acked("key-4", "approve", "agents"),
]


def judged(**more: Any) -> Found:
    acks = more.pop("acks", ACKS)
    told = {"approvals": APPROVALS, "runs": RUNS, "wakes": WAKES, "comments": SAID, **more}
    return judge(Asked(**told), acks)


def without(rows: list[Any], one: Any, *more: Any) -> list[Any]:
    return [*(row for row in rows if row is not one), *more]


@pytest.mark.proves("F-08")
def test_what_was_asked_once_and_is_answered_as_it_was_acknowledged_is_no_fault() -> None:
    found = judged()
    assert (found.lost, found.twice) == ([], [])


REPLACED = {**WAKES[0], "outcome": "user_cancelled"}


@pytest.mark.proves("F-08")
def test_a_no_whose_wake_gave_way_to_a_person_s_run_is_told_to_that_run() -> None:
    runs, wakes = without(RUNS, RUNS[-2]), [REPLACED, *WAKES[1:]]
    told = run("asked for", "done", proposes=1, assembled_prompt="It was said: key-2")
    assert judged(runs=[*runs, told], wakes=wakes).lost == []
    assert judged(runs=runs, wakes=wakes).lost
    assert judged(runs=[*runs, told]).lost, "while its own wake is there, that one is to serve it"


LOST = {
    "an acknowledged one that is not there": {"acks": [*ACKS, Acked("key-5", "reject", "never")]},
    "another answer than was acknowledged": {
        "approvals": without(APPROVALS, YES, {**YES, "status": "rejected"})
    },
    "another note": {"approvals": without(APPROVALS, YES, {**YES, "decision_note": "key-9"})},
    "called off and still open": {"acks": [*ACKS, Acked("key-5", "withdraw", "open")]},
    "open although its task is over": {
        "approvals": without(APPROVALS, OPEN, {**OPEN, "task_status": "cancelled"})
    },
    "an end without its question": {"runs": [*RUNS, run("another")]},
    "an agent's run without its question": {"runs": [*RUNS, run("another", "blocked")]},
    "an agent that is not woken": {"wakes": WAKES[:1]},
    "a no that wakes nobody": {"wakes": WAKES[1:]},
    "an answer that nobody served": {"runs": RUNS[:-1]},
    "a no that nobody served": {"runs": without(RUNS, RUNS[-2])},
}
TWICE = {
    "an answer of nobody's": {"acks": ACKS[1:]},
    "two answers": {"acks": [*ACKS, Acked("key-5", "approve", "yes")]},
    "two questions of one run": {
        "approvals": [*APPROVALS, approval("more", "requested", run_id="run of yes")]
    },
    "an item that is open after the answer": {
        "approvals": without(APPROVALS, YES, {**YES, "resolved": 0})
    },
    "two good runs of one answer": {"runs": [*RUNS, run("another", "done", **OF_AGENT)]},
}


@pytest.mark.proves("F-08")
@pytest.mark.parametrize("case", LOST)
def test_what_is_lost_is_found(case: str) -> None:
    assert judged(**LOST[case]).lost


@pytest.mark.proves("F-08")
@pytest.mark.parametrize("case", TWICE)
def test_what_is_there_too_often_is_found(case: str) -> None:
    assert judged(**TWICE[case]).twice
