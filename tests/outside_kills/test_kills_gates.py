"""The counters of gates count: each kind of fault, made by hand, is found."""

import json
from typing import Any

import pytest
from kills.gating import Asked, Found, judge


def gate(name: str, status: str, **more: Any) -> dict[str, Any]:
    plain = {"id": name, "task_id": f"task of {name}", "status": status, "round": 1}
    return {**plain, "kind": "review", "stuck": None, "approval_id": None, **more}


def verdict(of: str, agent: str, status: str, **more: Any) -> dict[str, Any]:
    plain = {"gate_id": of, "round": 1, "author_id": agent, "status": status, "times": 1}
    decided = 50 if status == "given" else None
    rest = {"wakeup_id": f"{of} {agent}", "why": None, "decided_at": decided}
    return {**plain, **rest, **more}


def wake(of: str, agent: str, times: int = 1, **more: Any) -> dict[str, Any]:
    plain = {"id": f"{of} {agent}", "task_id": None, "requested_at": 10 * times}
    plain |= {"status": "finished", "outcome": "executed"}
    return {**plain, "idempotency_key": f"review:{of}:1:{agent}:{times}", **more}


def run(of: str, agent: str) -> dict[str, Any]:
    payload = json.dumps({"gate_id": of, "round": 1})
    return {"outcome": "no_changes", "agent_id": agent, "payload": payload}


def request(of: str, *agents: str) -> dict[str, Any]:
    return {"data": json.dumps({"gate_id": of, "round": 1, "agents": agents})}


def task(of: str, status: str = "in_review") -> dict[str, Any]:
    return {"id": f"task of {of}", "status": status}


LATER = {"status": "queued", "outcome": None}
ITEM = {"subject_id": "stuck"}
PASSED, OPEN = gate("passed", "passed"), gate("open", "asked")
STUCK = gate("stuck", "asked", stuck='{"code": "gate_too_few"}')
PERSON = gate("person", "asked", kind="approval", approval_id="question")
QUESTION = {"id": "question", "task_id": "task of person", "status": "requested", "agent_id": None}
REACHED = {"data": json.dumps({"task_id": "task of person"})}
SECOND = verdict("stuck", "b", "missing", times=2)
AGAIN = wake("stuck", "b", 2)
WHOLE: dict[str, list[Any]] = {
    "gates": [PASSED, OPEN, STUCK, PERSON],
    "verdicts": [
        verdict("passed", "a", "given"),
        verdict("open", "a", "asked"),
        verdict("stuck", "a", "missing", why="author", wakeup_id=None),
        SECOND,
    ],
    "wakeups": [wake("passed", "a"), wake("open", "a", **LATER), wake("stuck", "b"), AGAIN],
    "runs": [run("passed", "a"), run("stuck", "b"), run("stuck", "b")],
    "requests": [request("passed", "a"), request("open", "a"), request("stuck", "a", "b")],
    "questions": [REACHED],
    "tasks": [task("passed", "done"), task("open"), task("stuck"), task("person")],
    "approvals": [QUESTION],
    "proposals": [],
    "items": [ITEM],
}


def judged(**more: Any) -> Found:
    return judge(Asked(**{**WHOLE, **more}))


def without(table: str, one: Any, *more: Any) -> dict[str, list[Any]]:
    return {table: [*(row for row in WHOLE[table] if row != one), *more]}


def and_one(table: str, *more: Any) -> dict[str, list[Any]]:
    return {table: [*WHOLE[table], *more]}


@pytest.mark.proves("F-08", "W-16")
def test_whoever_was_asked_once_and_can_still_answer_is_no_fault() -> None:
    assert judged() == Found()


FAULTS: dict[str, tuple[str, dict[str, list[Any]]]] = {
    "a reviewer without a verdict to give": ("never", and_one("requests", request("open", "b"))),
    "a reviewer who is not woken": ("never", without("wakeups", wake("passed", "a"))),
    "a second time that nobody is woken for": ("never", without("wakeups", AGAIN)),
    "woken twice": ("twice", and_one("wakeups", wake("passed", "a", 2))),
    "two good runs of one": ("twice", and_one("runs", run("passed", "a"))),
    "again after its vote": (
        "twice",
        without("verdicts", SECOND, {**SECOND, "status": "given", "decided_at": 15}),
    ),
    "again while the first waits": (
        "twice",
        without("wakeups", wake("stuck", "b"), wake("stuck", "b", **LATER)),
    ),
    "about its own work": ("twice", and_one("wakeups", wake("stuck", "a"))),
    "a gate whose question is not there": ("never", and_one("questions", REACHED)),
    "two questions of one gate": ("twice", and_one("approvals", {**QUESTION, "id": "more"})),
    "a question that is answered": (
        "hanging",
        {"approvals": [{**QUESTION, "status": "approved"}]},
    ),
    "a reviewer who is over": (
        "hanging",
        without("wakeups", wake("open", "a", **LATER), wake("open", "a")),
    ),
    "stuck with nobody told": ("hanging", {"items": []}),
    "asked of a task that is over": (
        "hanging",
        without("tasks", task("open"), task("open", "done")),
    ),
    "in review with nobody asked": (
        "hanging",
        without("gates", OPEN, gate("open", "waiting")),
    ),
    "all passed, and it is left there": (
        "hanging",
        without("tasks", task("passed", "done"), task("passed")),
    ),
    "done past its gate": ("passed_by", without("gates", PASSED, gate("passed", "returned"))),
}


@pytest.mark.proves("F-08", "W-16")
@pytest.mark.parametrize("case", FAULTS)
def test_what_is_wrong_with_a_gate_is_found(case: str) -> None:
    counter, told = FAULTS[case]
    assert getattr(judged(**told), counter)
