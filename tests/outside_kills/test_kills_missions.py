"""The counters of missions count: each kind of fault, made by hand, is found."""

import json
from typing import Any

import pytest
from kills.ledgers import Acked
from kills.merging import Asked, Commit, Found, judge

BRANCH = "roundtable/m/key-of-2"
MISSION: dict[str, Any] = {
    "id": "mission",
    "goal": "key of 2",
    "state": "completed",
    "outcome": "completed",
    "delivery": "auto",
    "integration_branch": BRANCH,
    "base_commit": "base",
    "root_task_id": "root",
    "opened_at": 1,
    "report": "{}",
}


def task(number: int, **more: Any) -> dict[str, Any]:
    plain = {"id": f"task-{number}", "title": f"key-{number}", "status": "done", "number": number}
    plain |= {"mission_id": "mission", "purpose": "work", "optional": 0, "about_task_id": None}
    words = f"@work 0.1 write key-{number}.txt"
    return {**plain, "description": words, "write_area": '["key-*.txt"]', **more}


def run(number: int, base: str) -> dict[str, Any]:
    return {"id": f"run {number}", "task_id": f"task-{number}", "base_commit": base}


def proposal(number: int, status: str = "delivered") -> dict[str, Any]:
    about = {"task_id": f"task-{number}", "run_id": f"run {number}"}
    return {"id": f"proposal {number}", "status": status, **about}


def delivery(number: int, old: str, **more: Any) -> dict[str, Any]:
    plain = {"id": f"delivery {number}", "branch": BRANCH, "proposal_id": f"proposal {number}"}
    plain |= {"old_commit": old, "new_commit": f"commit {number}", "status": "delivered"}
    return {**plain, "reason": None, **more}


def event(kind: str, about: str = "mission", **data: str) -> dict[str, Any]:
    return {"kind": kind, "subject_id": about, "data": json.dumps(data)}


def commit(number: int, parent: str, *runs: str) -> Commit:
    return Commit(f"commit {number}", (parent,), runs or (f"run {number}",))


OFFERED = {"id": "proposal 9", "status": "delivered", "task_id": "root", "run_id": None}
OFFER = {"id": "offer", "mission_id": "mission", "status": "made", "proposal_id": "proposal 9"}
COMPLETED = event("orchestrator.completed")
DONE = [event("task.completed", f"task-{number}") for number in (0, 1)]
FIRST, SECOND = commit(0, "base"), commit(1, "commit 0")
LATE, OPTIONAL = task(1, status="blocked"), task(1, status="failed", optional=1)
BLOCKED = {
    **MISSION,
    "state": "blocked",
    "outcome": None,
    "report": json.dumps({"blocked": [{"task_id": "task-1"}]}),
}
WHOLE: dict[str, Any] = {
    "missions": [MISSION],
    "tasks": [{**task(9), "id": "root"}, task(0), task(1)],
    "edges": [{"task_id": "task-1", "depends_on_task_id": "task-0"}],
    "runs": [run(0, "base"), run(1, "commit 0")],
    "proposals": [proposal(0), proposal(1), OFFERED],
    "deliveries": [delivery(0, "base"), delivery(1, "commit 0")],
    "offers": [OFFER],
    "events": [COMPLETED, *DONE],
    "items": [],
    "chains": {BRANCH: [FIRST, SECOND]},
    "seen": {BRANCH: ["base", "commit 0", "commit 1"]},
    "wrote": {BRANCH: {"key-0.txt": "task-0", "key-1.txt": "task-1"}},
    "delivered": {"mission": 1},
    "spans": {"run 0": [(1.0, 2.0)], "run 1": [(3.0, 4.0)]},
}
ACK = Acked("key", "mission", "mission")


def judged(**more: Any) -> Found:
    return judge(Asked(**{**WHOLE, **more}), [ACK])


def but(table: str, place: int, **more: Any) -> dict[str, Any]:
    rows = list(WHOLE[table])
    rows[place] = {**rows[place], **more}
    return {table: rows}


STANDS: dict[str, Any] = {
    "missions": [BLOCKED],
    "tasks": [task(0), LATE],
    "events": [event("orchestrator.blocked"), DONE[0]],
    "items": [{"subject_id": "task-1", "data": "{}"}],
    "runs": WHOLE["runs"][:1],
    "proposals": [proposal(0, "merged")],
    "deliveries": WHOLE["deliveries"][:1],
    "offers": [],
    "chains": {BRANCH: [FIRST]},
    "seen": {BRANCH: ["base", "commit 0"]},
    "delivered": {},
}


@pytest.mark.proves("F-08", "R-14", "A-36")
def test_a_mission_that_is_done_or_stands_and_says_so_is_no_fault() -> None:
    assert judged() == Found()
    assert judged(**STANDS) == Found()
    again = [event("orchestrator.blocked"), event("mission.moved", **{"from": "blocked"})]
    assert judged(events=[*again, COMPLETED, *DONE]) == Found()
    nothing_left = delivery(1, "commit 0", new_commit=None, reason='{"code": "nothing_left"}')
    same = {**WHOLE["wrote"][BRANCH], "key-1.txt": "task-1"}
    assert (
        judged(
            deliveries=[delivery(0, "base"), nothing_left],
            chains={BRANCH: [FIRST]},
            seen={BRANCH: ["commit 0"]},
            wrote={BRANCH: same},
        )
        == Found()
    )


FAULTS: dict[str, tuple[str, dict[str, Any]]] = {
    "no such mission": ("undone", {"missions": []}),
    "a task that is not there": ("undone", {"tasks": WHOLE["tasks"][:2]}),
    "a task that is there twice": ("undone", {"tasks": [*WHOLE["tasks"], task(1, id="more")]}),
    "done twice": ("undone", {"events": [COMPLETED, *DONE, DONE[0]]}),
    "blocked, and nobody was told": ("undone", {**STANDS, "items": []}),
    "blocked, and not in the report": (
        "undone",
        {**STANDS, "missions": [{**BLOCKED, "report": "{}"}]},
    ),
    "begun before what comes first": ("undone", but("runs", 1, base_commit="base")),
    "beside what writes the same": (
        "undone",
        {"spans": {"run 0": [(1.0, 3.5)], "run 1": [(3.0, 4.0)]}},
    ),
    "not over": ("undecided", but("missions", 0, state="active")),
    "over twice": ("undecided", {"events": [COMPLETED, COMPLETED, *DONE]}),
    "told of as another end": ("undecided", {"events": [event("orchestrator.failed"), *DONE]}),
    "completed while work is left": ("undecided", but("tasks", 2, status="todo")),
    "blocked while nothing stands": ("undecided", {**STANDS, "tasks": [task(0), task(1)]}),
    "completed though a task failed": ("undecided", but("tasks", 2, status="failed")),
    "completed without what it could do without": ("undecided", {"tasks": [task(0), OPTIONAL]}),
    "a merge that the branch has not": (
        "merge_lost",
        {"chains": {BRANCH: [FIRST]}, "seen": {}},
    ),
    "a file that is not there": ("merge_lost", {"wrote": {BRANCH: {"key-0.txt": "task-0"}}}),
    "a file as others left it": (
        "merge_lost",
        {"wrote": {BRANCH: {"key-0.txt": "task-0", "key-1.txt": "one"}}},
    ),
    "said to be merged": ("merge_lost", but("deliveries", 1, status="held")),
    "merged, and not said": ("merge_lost", but("proposals", 1, status="approved")),
    "a wish to offer it that nobody saw to": ("merge_lost", but("offers", 0, status="intended")),
    "completed and not offered": ("merge_lost", {"offers": []}),
    "delivered and not there": ("merge_lost", {"delivered": {}}),
    "offered, and left there": (
        "merge_lost",
        {**but("proposals", 2, status="pending"), "delivered": {}},
    ),
    "two merges of one run": (
        "merged_twice",
        {"chains": {BRANCH: [FIRST, commit(1, "commit 0", "run 0")]}},
    ),
    "two merges of one proposal": (
        "merged_twice",
        {"deliveries": [*WHOLE["deliveries"], delivery(2, "x", proposal_id="proposal 1")]},
    ),
    "delivered twice": ("merged_twice", {"delivered": {"mission": 2}}),
    "a commit that is no merge": (
        "torn",
        {"chains": {BRANCH: [FIRST, SECOND, commit(2, "commit 1")]}},
    ),
    "a merge onto another commit": ("torn", but("deliveries", 1, old_commit="base")),
    "a merge of another run": ("torn", {"chains": {BRANCH: [FIRST, commit(1, "commit 0", "x")]}}),
    "a branch that was elsewhere": ("torn", {"seen": {BRANCH: ["base", "elsewhere"]}}),
    "a branch that went back": ("torn", {"seen": {BRANCH: ["commit 0", "base"]}}),
}


@pytest.mark.proves("F-08", "R-14", "A-36")
@pytest.mark.parametrize("case", FAULTS)
def test_what_is_wrong_with_a_mission_is_found(case: str) -> None:
    counter, told = FAULTS[case]
    assert getattr(judged(**told), counter)
