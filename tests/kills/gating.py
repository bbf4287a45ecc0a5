"""Gates: tasks that reviewers and a person look at, and whether each was asked, and asked once."""

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from kills.fires import ACCEPTED
from kills.posting import Wish
from kills.reading import Rows

Row = Mapping[str, Any]
ONCE = '@demo once\n@demo tool vote_cast {"verdict": "revise", "note": "Say more."}'
SLOWLY = '@demo sleep 0.4\n@demo tool vote_cast {"verdict": "approve_with_notes", "note": "Good."}'
JUDGED_BY = ("", SLOWLY, SLOWLY, ONCE)
"""The built-in agent approves where nobody says what it is to vote."""
AT_WORK = ("queued", "claimed")
TABLES = {
    "gates": "SELECT * FROM gates",
    "verdicts": "SELECT * FROM verdicts",
    "wakeups": "SELECT * FROM agent_wakeup_requests",
    "runs": "SELECT * FROM runs",
    "requests": "SELECT * FROM events WHERE kind = 'proposal.review_requested'",
    "questions": "SELECT * FROM events WHERE kind = 'gate.moved'",
    "tasks": "SELECT * FROM tasks",
    "approvals": "SELECT * FROM approvals",
    "proposals": "SELECT * FROM proposals",
    "items": "SELECT * FROM inbox_items WHERE status = 'open'",
}


class Gating:
    """Work of one agent that is judged by one reviewer or both, and perhaps by a person then."""

    def __init__(self, worker: str, reviewers: Sequence[str]) -> None:
        self._worker, self._reviewers = worker, reviewers

    def wish(self, key: str, dice: random.Random, body: dict[str, Any]) -> Wish:
        count = dice.choice((1, 2, 2))
        review = {"kind": "review", "agents": dice.sample(self._reviewers, count)}
        review["needed"] = dice.randint(1, count)
        behind = [{"kind": "approval"}] if dice.random() < 0.4 else []
        work = "nothing" if dice.random() < 0.2 else f"write {key}.txt"
        told = {
            "description": f"@work 0.1 {work}",
            "assignee_agent_id": self._worker,
            "acceptance": dice.choice(JUDGED_BY),
            "delivery": dice.choice(("auto", "approval")),
            "gates": [review, *behind],
        }
        return Wish("task", "/tasks", {**body, **told})


@dataclass
class Found:
    """never, twice: of reviewers and rounds; hanging: gates of which nobody was asked who could
    still answer; passed_by: work that is done and that a gate has not passed."""

    never: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    hanging: list[str] = field(default_factory=list)
    passed_by: list[str] = field(default_factory=list)


def asks_person(event: Row) -> bool:
    """Whether a gate of a person's was reached."""
    if event["kind"] != "gate.moved":
        return False
    data = json.loads(event["data"])
    return (data["kind"], data["to"]) == ("approval", "asked")


@dataclass(frozen=True)
class Asked:
    """What the database says, by tables; items: those that are open."""

    gates: Sequence[Row]
    verdicts: Sequence[Row]
    wakeups: Sequence[Row]
    runs: Sequence[Row]
    requests: Sequence[Row]
    questions: Sequence[Row]
    tasks: Sequence[Row]
    approvals: Sequence[Row]
    proposals: Sequence[Row]
    items: Sequence[Row]

    @classmethod
    def of(cls, rows: Rows) -> "Asked":
        told = {name: rows.all(sql) for name, sql in TABLES.items()}
        told["questions"] = [one for one in told["questions"] if asks_person(one)]
        return cls(**told)

    def named(self, table: str, id: object) -> Row | None:
        return next((one for one in getattr(self, table) if one["id"] == id), None)


def judge(told: Asked) -> Found:
    """To be called when all is at rest."""
    found = Found()
    good = Counter(_about(run) for run in told.runs if run["outcome"] in ACCEPTED)
    for request in told.requests:
        data = json.loads(request["data"])
        for agent in data["agents"]:
            _one(found, told, good, (data["gate_id"], data["round"], agent))
    for gate in told.gates:
        _asking(found, told, gate)
    for task in told.tasks:
        mine = [g for g in told.gates if g["task_id"] == task["id"] and g["status"] != "dropped"]
        if mine:
            _waiting(found, told, task, mine)
            _questions(found, told, task)
    return found


def _questions(found: Found, told: Asked, task: Row) -> None:
    """Each time that a gate of a person's was reached is one question of its own."""
    reached = sum(json.loads(one["data"])["task_id"] == task["id"] for one in told.questions)
    asked = sum(one["task_id"] == task["id"] and one["agent_id"] is None for one in told.approvals)
    name = f"{asked} questions of task {task['id']}, whose gates asked {reached} times"
    (found.never if asked < reached else found.twice).extend([name] * (asked != reached))


def _about(run: Row) -> tuple[str | None, int | None, str]:
    payload = json.loads(run["payload"])
    return payload.get("gate_id"), payload.get("round"), run["agent_id"]


def _one(found: Found, told: Asked, good: Mapping[Any, int], asked: tuple[str, int, str]) -> None:
    """A reviewer of one round: woken once, and once more only if a turn ended without a word."""
    gate, number, agent = asked
    name = f"{agent} in round {number} of gate {gate}"
    verdict = next(
        (v for v in told.verdicts if (v["gate_id"], v["round"], v["author_id"]) == asked), None
    )
    start = f"review:{gate}:{number}:{agent}:"
    woken = [one for one in told.wakeups if str(one["idempotency_key"]).startswith(start)]
    woken.sort(key=lambda one: int(one["requested_at"]))
    if verdict is None:
        found.never.append(f"no verdict was asked of {name}")
        return
    if verdict["why"] == "author":
        found.twice += [f"asked about its own work: {name}"] * bool(woken)
        return
    if len(woken) < verdict["times"]:
        found.never.append(f"woken {len(woken)} of {verdict['times']} times: {name}")
    if len(woken) > verdict["times"] or good[asked] > verdict["times"]:
        found.twice.append(f"woken {len(woken)}, good runs {good[asked]}: {name}")
    for before, again in pairwise(woken):
        if (before["status"], before["outcome"]) != ("finished", "executed"):
            found.twice.append(f"again after {before['status']} {before['outcome']}: {name}")
        if verdict["decided_at"] and verdict["decided_at"] < again["requested_at"]:
            found.twice.append(f"again after its vote: {name}")


def _asking(found: Found, told: Asked, gate: Row) -> None:
    """Whoever is waited for can still answer, or a person is asked."""
    if gate["status"] != "asked":
        return
    name = f"gate {gate['id']} round {gate['round']}"
    task = told.named("tasks", gate["task_id"])
    if task is None or task["status"] != "in_review":
        found.hanging.append(f"asked, and its task is {task and task['status']}: {name}")
    elif gate["kind"] == "approval":
        approval = told.named("approvals", gate["approval_id"])
        if approval is None or approval["status"] != "requested":
            found.hanging.append(f"no question: {name}")
    else:
        here = (gate["id"], gate["round"])
        left = [v for v in told.verdicts if (v["gate_id"], v["round"]) == here]
        answering = [v for v in left if v["status"] == "asked" and _at_work(told, v["wakeup_id"])]
        item = any(one["subject_id"] == gate["id"] for one in told.items)
        if not answering and not (gate["stuck"] and item):
            found.hanging.append(f"{[(v['status'], v['why']) for v in left]}: {name}")


def _at_work(told: Asked, wakeup: object) -> bool:
    row = told.named("wakeups", wakeup)
    return row is not None and row["status"] in AT_WORK


def _waiting(found: Found, told: Asked, task: Row, mine: Sequence[Row]) -> None:
    """A task in review that asks at no gate waits for a person or for its agent."""
    statuses = {one["status"] for one in mine}
    name = f"task {task['id']} with gates {sorted(statuses)}"
    if task["status"] == "done" and statuses != {"passed"}:
        found.passed_by.append(f"done: {name}")
    if task["status"] != "in_review" or "asked" in statuses:
        return
    woken = any(one["task_id"] == task["id"] and one["status"] in AT_WORK for one in told.wakeups)
    asked = any(
        one["task_id"] == task["id"] and one["status"] == "requested" for one in told.approvals
    )
    offers = [one for one in told.proposals if one["task_id"] == task["id"]]
    offered = (
        statuses == {"passed"}
        and offers
        and offers[-1]["status"]
        in (
            "pending",
            "in_review",
            "approved",
            "conflict",
        )
    )
    if not (woken or asked or offered):
        found.hanging.append(f"nobody is asked: {name}")
