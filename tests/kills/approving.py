"""Approvals: what a load asks about them, and what became of them, held against the answers.

A task asks when it is done, an agent within its run. Whoever is answered no, or was an agent, is
woken with it; moving on withdraws what nobody answered.
"""

import json
import random
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kills.fires import ACCEPTED
from kills.ledgers import Acked
from kills.posting import Wish
from kills.reading import Rows

QUIETLY = "@work 0.1 nothing"
ASKING = '@demo tool approval_request {"text": "%s"}\n@demo block wait for the answer'
ANSWERS = {"approve": "approved", "reject": "rejected"}
KINDS = (*ANSWERS, "withdraw")
OVER = ("done", "cancelled", "failed")
_OPEN = """
SELECT a.id, a.task_id, a.agent_id, i.id AS item FROM approvals AS a
JOIN inbox_items AS i ON i.key = 'approval:' || a.id WHERE a.status = 'requested'
"""
_RUNS = """
SELECT r.id, r.outcome, r.agent_id, r.context_snapshot, r.assembled_prompt, r.task_id,
    t.requires_approval,
    t.status AS task_status,
    EXISTS (SELECT 1 FROM proposals AS p WHERE p.run_id = r.id) AS proposes
FROM runs AS r JOIN tasks AS t ON t.id = r.task_id
"""
_APPROVALS = """
SELECT a.*, t.status AS task_status,
    EXISTS (SELECT 1 FROM gates AS g WHERE g.task_id = a.task_id) AS gated,
    (SELECT count(*) FROM inbox_items AS i WHERE i.key = 'approval:' || a.id) AS items,
    (SELECT count(*) FROM inbox_items AS i
        WHERE i.key = 'approval:' || a.id AND i.status = 'resolved') AS resolved
FROM approvals AS a JOIN tasks AS t ON t.id = a.task_id
"""
_WAKES = """
SELECT id, idempotency_key, source, outcome FROM agent_wakeup_requests
WHERE source IN ('approval_resolved', 'comment')
"""
_COMMENTS = "SELECT id, task_id, text FROM comments"


class Approving:
    """One agent whose tasks ask at their end, and one that asks by itself: what a load asks."""

    def __init__(self, home: Path, quiet: str, asking: str) -> None:
        self._home, self._quiet, self._asking = home, quiet, asking

    def wish(self, key: str, dice: random.Random, body: dict[str, Any]) -> Wish:
        """An answer to one that is open, or a task that will ask. Nobody cares who else answers
        the same one right now: one of them is heard, the others are told so."""
        rows = Rows(self._home)
        waiting = rows.all(_OPEN)
        rows.close()
        if waiting and dice.random() < 0.65:
            agents = [one for one in waiting if one["agent_id"] is not None]
            rare = dice.random() < 0.5  # they come late, as their agents are slow
            return _answer(key, dice, dice.choice(agents if agents and rare else waiting))
        if dice.random() < 0.3:
            told = {"description": ASKING % key, "assignee_agent_id": self._asking}
        else:
            told = {"description": QUIETLY, "assignee_agent_id": self._quiet}
        by_itself = told["assignee_agent_id"] == self._quiet
        return Wish("task", "/tasks", {**body, **told, "requires_approval": by_itself})


def _answer(key: str, dice: random.Random, one: sqlite3.Row) -> Wish:
    draw, about = dice.random(), one["id"]
    if draw < 0.15:
        return Wish("withdraw", f"/tasks/{one['task_id']}/cancel", {}, about)
    kind = "approve" if draw < 0.5 else "reject"
    if dice.random() < 0.3:
        return Wish(kind, f"/inbox/{one['item']}/act", {"action": kind}, about)
    return Wish(kind, f"/approvals/{about}/{kind}", {"note": key}, about)


@dataclass
class Found:
    """served: how many runs that ended well carried a comment, or the answer to an approval."""

    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    served: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Asked:
    """What the database says, by tables."""

    approvals: Sequence[sqlite3.Row]
    runs: Sequence[sqlite3.Row]
    wakes: Sequence[sqlite3.Row]
    comments: Sequence[sqlite3.Row]

    @classmethod
    def of(cls, rows: Rows) -> "Asked":
        return cls(rows.all(_APPROVALS), rows.all(_RUNS), rows.all(_WAKES), rows.all(_COMMENTS))


def judge(told: Asked, acks: Sequence[Acked]) -> Found:
    found = Found()
    for run in told.runs:
        if run["outcome"] in ACCEPTED:
            found.served.update(_carried(run))
    _questions(found, told)
    _answers(found, told, acks)
    _wakes(found, told)
    return found


def _carried(run: sqlite3.Row) -> set[str]:
    causes = json.loads(run["context_snapshot"]).get("wakes", [])
    payloads = [one["payload"] for one in causes if isinstance(one.get("payload"), dict)]
    named = {str(one.get(name)) for one in payloads for name in ("approval_id", "comment_id")}
    return named - {"None"}


def _questions(found: Found, told: Asked) -> None:
    """Each run that came to its end asked once, if it was to; none asked twice. A gate asks about
    work, which may be of the run of before: `gating` counts those."""
    asked = Counter(
        (one["run_id"], one["agent_id"])
        for one in told.approvals
        if one["agent_id"] is not None or not one["gated"]
    )
    found.twice += [f"{n} questions of run {run}" for (run, _), n in asked.items() if n > 1]
    askers = {one["agent_id"] for one in told.approvals} - {None}
    for run in told.runs:
        at_end = run["requires_approval"] and run["outcome"] in ("done", "no_changes")
        by_task = at_end and not run["proposes"] and run["task_status"] != "cancelled"
        by_agent = run["outcome"] == "blocked" and run["agent_id"] in askers
        if by_task and not asked[run["id"], None]:
            found.lost.append(f"no question at the end of run {run['id']}")
        if by_agent and not asked[run["id"], run["agent_id"]]:
            found.lost.append(f"no question of the agent in run {run['id']}")


def _answers(found: Found, told: Asked, acks: Sequence[Acked]) -> None:
    """What was acknowledged is what stands there, and nothing else does."""
    given: dict[str, list[Acked]] = defaultdict(list)
    for ack in acks:
        if ack.kind in KINDS:
            given[ack.task].append(ack)
    there = {one["id"]: one for one in told.approvals}
    found.lost += [f"no approval {one}" for one in given if one not in there]
    for one in told.approvals:
        name = f"approval {one['id']} {one['status']}"
        heard = [ack for ack in given[one["id"]] if ack.kind in ANSWERS]
        found.answers[one["status"]] += 1
        if len(heard) > 1:
            found.twice.append(f"{len(heard)} answers to {name}")
        if one["status"] in ANSWERS.values() and not heard:
            found.twice.append(f"nobody's answer: {name}")
        if any(ANSWERS[ack.kind] != one["status"] for ack in heard):
            found.lost.append(f"{heard}, and {name}")
        if heard and one["decision_note"] not in (None, heard[0].key):
            found.lost.append(f"{heard}, and its note is {one['decision_note']}")
        if given[one["id"]] and not heard and one["status"] != "withdrawn":
            found.lost.append(f"called off, and {name}")
        if (one["items"], one["resolved"]) != (1, one["status"] != "requested"):
            found.twice.append(f"{one['resolved']} of {one['items']} items resolved: {name}")
        if one["task_status"] in OVER and one["status"] == "requested":
            found.lost.append(f"its task is {one['task_status']}: {name}")


def _wakes(found: Found, told: Asked) -> None:
    """An agent that asked is woken once by the answer, a task's own by what was said with a no.
    Served once as well, but where its task was over before that. A person who has the task run
    takes the place of a comment that waits: then it is told to that run."""
    woken: dict[str, list[sqlite3.Row]] = defaultdict(list)
    for wake in told.wakes:
        woken[str(wake["idempotency_key"])].append(wake)
    said = {one["text"]: one for one in told.comments}
    for one in told.approvals:
        if one["status"] not in ANSWERS.values():
            continue
        about, key = one["id"], f"approval_resolved:{one['id']}"
        if one["agent_id"] is None:
            note = said.get(one["decision_note"])
            if note is None or one["status"] == "approved":
                continue
            about, key = note["id"], f"comment:{note['id']}"
        name = f"the answer to {one['id']} ({key})"
        source = key.partition(":")[0]
        if [wake["source"] for wake in woken[key]] != [source]:
            found.lost.append(f"woken {len(woken[key])} times by {name}")
        elif found.served[about] > 1:
            found.twice.append(f"{found.served[about]} good runs of {name}")
        elif source == "comment" and _replaced(woken[key][0]) and _heard(told, one):
            continue
        elif not found.served[about] and one["task_status"] not in OVER:
            found.lost.append(f"nobody served {name}: {dict(woken[key][0])}")


def _replaced(wake: sqlite3.Row) -> bool:
    return str(wake["outcome"]) == "user_cancelled"


def _heard(told: Asked, approval: sqlite3.Row) -> bool:
    """Whether a good run of its task was told the note of its answer."""
    return any(
        run["task_id"] == approval["task_id"]
        and run["outcome"] in ACCEPTED
        and approval["decision_note"] in run["assembled_prompt"]
        for run in told.runs
    )
