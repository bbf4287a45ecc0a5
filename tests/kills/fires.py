"""Each firing, held against the clock, the acknowledgements and what agents say they did."""

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kills.ledgers import Acked, Launches

MINUTE = 60_000_000
LATEST = 3_000_000
"""Microseconds before its last owner's end in which an instant need not have fired."""
ACCEPTED = ("done", "no_changes", "no_result", "blocked")
OVER = ("done", "failed", "cancelled")


@dataclass
class Fires:
    """served: how many runs that ended well carried a firing."""

    extra: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    served: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Told:
    """What the database says, by tables; each of its schedules is `* * * * *`."""

    firings: Sequence[sqlite3.Row]
    triggers: Sequence[sqlite3.Row]
    runs: Sequence[sqlite3.Row]
    wakeups: Mapping[str, sqlite3.Row]
    tasks: Mapping[str, str]


def judge(told: Told, acks: Sequence[Acked], launches: Launches, ended: float) -> Fires:
    """ended: when the last owner did, in seconds."""
    found = Fires()
    for run in told.runs:
        if run["outcome"] in ACCEPTED:
            found.served.update(_carried(run))
    _by_key(found, told, acks)
    _by_clock(found, told, int(ended * 1e6) - LATEST)
    for firing in told.firings:
        _one(found, told, firing)
    _by_agents(found, told, acks, launches)
    return found


def _carried(run: sqlite3.Row) -> set[str]:
    causes = json.loads(run["context_snapshot"]).get("wakes", [])
    payloads = (cause.get("payload") for cause in causes)
    named = {str(one.get("firing_id")) for one in payloads if isinstance(one, dict)}
    return named - {"None"}


def _by_key(found: Fires, told: Told, acks: Sequence[Acked]) -> None:
    """An acknowledged fire is there; one that is there was acknowledged, and once."""
    there = {row["id"] for row in told.firings if row["source"] == "manual"}
    acked = Counter(ack.task for ack in acks if ack.kind == "fire")
    found.lost += [f"no firing {one}" for one in acked if one not in there]
    found.extra += [f"nobody's firing {one}" for one in there if one not in acked]
    found.extra += [f"one firing of {n} keys {one}" for one, n in acked.items() if n > 1]


def _by_clock(found: Fires, told: Told, until: int) -> None:
    """Each minute since a trigger was there has fired, or is counted in a row."""
    for trigger in told.triggers:
        ours = [row for row in told.firings if row["trigger_id"] == trigger["id"]]
        fired = Counter(row["scheduled_at"] for row in ours)
        left_out = sum(
            json.loads(row["missed"] or "{}").get("left_out", {}).get("count", 0) for row in ours
        )
        first = (trigger["created_at"] // MINUTE + 1) * MINUTE
        due = set(range(first, until + 1, MINUTE))
        missing = due - set(fired)
        found.lost += [f"{trigger['id']} at {at}" for at in sorted(missing)][left_out:]
        found.extra += [f"{trigger['id']} at {at}" for at, n in fired.items() if n > 1]
        found.extra += [
            f"{trigger['id']} not due at {at}"
            for at in fired
            if at % MINUTE or at < first or at > until + LATEST + MINUTE
        ]


def _one(found: Fires, told: Told, firing: sqlite3.Row) -> None:
    """It has ended as what it set off did, and a light one was carried by one good run: what was
    set aside or kept back by a pause is tried again by then."""
    name = f"{firing['id']} {firing['status']} {firing['reason']}"
    if firing["status"] == "received":
        found.lost.append(f"never ended: {name}")
    if firing["status"] == "task_created" and told.tasks.get(firing["linked_task_id"]) in (
        None,
        *OVER,
    ):
        found.lost.append(f"never ended: {name}")
    if firing["linked_task_id"] or firing["reason"] == "still_at_work" == _skipped(firing):
        return
    if not found.served[firing["id"]] and not _made_up_for(found, told, firing):
        found.lost.append(f"nobody served {name}")
    if found.served[firing["id"]] > 1:
        found.extra.append(f"{found.served[firing['id']]} good runs of {name}")


def _made_up_for(found: Fires, told: Told, firing: sqlite3.Row) -> bool:
    """A time of a routine that was set aside is asked about no more once a later one ran well."""
    if firing["source"] != "cron" or firing["reason"] != "quarantined":
        return False
    return any(
        found.served[later["id"]] and later["started_at"] > firing["started_at"]
        for later in told.firings
        if later["routine_id"] == firing["routine_id"]
    )


def _skipped(firing: sqlite3.Row) -> str:
    return str(firing["reason"]) if firing["status"] == "skipped" else ""


def _by_agents(found: Fires, told: Told, acks: Sequence[Acked], launches: Launches) -> None:
    """What the agents themselves wrote: which key each of their runs was for."""
    good = {run["id"] for run in told.runs if run["outcome"] in ACCEPTED}
    did: dict[str, set[str]] = {}
    for record in launches.of("FIRED"):
        did.setdefault(record.task, set()).add(record.run)
    for ack in dict.fromkeys(acks):
        if ack.kind not in ("fire", "hook", "wake"):
            continue
        runs = did.get(ack.key, set())
        if len(runs & good) > 1:
            found.extra.append(f"{len(runs & good)} good runs did {ack.key}")
        if ack.kind == "wake" and not runs:
            row = told.wakeups.get(ack.task)
            found.lost.append(f"nobody did {ack.key}: {dict(row) if row else None}")
    keys = {ack.task: ack.key for ack in acks if ack.kind in ("fire", "hook")}
    for firing in told.firings:
        key = keys.get(firing["id"])
        if key and firing["status"] == "done" and not did.get(key):
            found.lost.append(f"done, and no agent did {key}")
