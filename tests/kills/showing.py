"""The table of a campaign: its counters, and what there was to count."""

import sqlite3
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from kills.counting import Counters
from kills.owners import Owners
from kills.reading import Rows

_FIRES = """
SELECT source, status, count(*) AS n FROM office_routine_runs GROUP BY source, status
"""
_APPROVALS = """
SELECT CASE WHEN agent_id IS NULL THEN 'task' ELSE 'agent' END AS source, status, count(*) AS n
FROM approvals GROUP BY source, status
"""
_MISSIONS = "SELECT state, outcome, count(*) AS n FROM missions GROUP BY state, outcome"
_MERGES = """
SELECT d.status, d.reason IS NULL AS plain, count(*) AS n FROM deliveries AS d
JOIN proposals AS p ON p.id = d.proposal_id JOIN tasks AS t ON t.id = p.task_id
WHERE t.mission_id IS NOT NULL AND p.run_id IS NOT NULL GROUP BY d.status, plain
"""
_GATES = "SELECT kind, status, count(*) AS n FROM gates GROUP BY kind, status"
_VERDICTS = "SELECT status, times, count(*) AS n FROM verdicts GROUP BY status, times"
ACTS = ("run.adopted", "wakeup.claimed")


class Ground(Protocol):
    """What a `Site` has of it."""

    owners: Owners
    home: Path


def table(made: Ground, counters: Counters, faults: list[str]) -> list[str]:
    rows = Rows(made.home)
    outcomes = rows.all("SELECT outcome, count(*) AS n FROM runs GROUP BY outcome ORDER BY n DESC")
    statuses = rows.all("SELECT status, count(*) AS n FROM tasks GROUP BY status ORDER BY n DESC")
    crashed = rows.all("SELECT id, error_text FROM runs WHERE outcome = 'crashed'")
    adopted = rows.one("SELECT count(*) FROM events WHERE kind = 'run.adopted'")
    told = "SELECT count(*) FROM deliveries WHERE status = 'delivered' AND reason IS NOT NULL"
    needless = rows.one(told)
    acts = [
        row["at"] / 1e6
        for row in rows.all(
            f"SELECT at FROM events WHERE kind IN ({', '.join('?' for _ in ACTS)}) ORDER BY at",
            *ACTS,
        )
    ]
    fires, approvals, gates = rows.all(_FIRES), rows.all(_APPROVALS), rows.all(_GATES)
    verdicts, missions, merges = rows.all(_VERDICTS), rows.all(_MISSIONS), rows.all(_MERGES)
    repeats = rows.one("SELECT coalesce(sum(repeats), 0) FROM webhook_deliveries")
    rows.close()
    lives = [life for life in made.owners.lives if life.ready is not None]
    starts = [life.ready - life.spawned for life in lives if life.ready is not None]
    first = [
        at - life.spawned
        for life in lives
        if (at := next((at for at in acts if at > life.spawned), None)) is not None
        and at < (life.died or at + 1)
    ]
    known = ("lost", "twice", "stuck", "double_live", "phantom", "double_accept", "orphans")
    more = ("extra_fires", "lost_fires", "held", "integrity", "foreign_keys", "relaunch", "waiting")
    judged = ("misfired", "never_asked", "asked_twice", "hanging", "passed_by")
    lines = [f"{name:<14}{getattr(counters, name):>6}" for name in (*known, *judged, *more)]
    lines.append(f"{'git and rest':<14}{len(faults):>6}")
    lines.append(f"{'adopted':<14}{adopted:>6}")
    lines.append(f"{'nothing left':<14}{needless:>6}")
    lines.append("runs: " + ", ".join(f"{row['outcome']} {row['n']}" for row in outcomes))
    lines.append("tasks: " + ", ".join(f"{row['status']} {row['n']}" for row in statuses))
    lines.append(
        "fires: " + ", ".join(f"{row['source']} {row['status']} {row['n']}" for row in fires)
    )
    lines.append(
        "approvals: "
        + ", ".join(f"of {row['source']}s {row['status']} {row['n']}" for row in approvals)
    )
    lines.append(f"deliveries that came again: {repeats}")
    lines.append(
        "gates: " + ", ".join(f"{row['kind']} {row['status']} {row['n']}" for row in gates)
    )
    lines.append(
        "verdicts: "
        + ", ".join(f"{row['status']} at time {row['times']} {row['n']}" for row in verdicts)
    )
    lines += _of_missions(missions, merges)
    lines.append(f"spawn to ready: {_quantiles(starts)}")
    lines.append(f"spawn to first adoption or claim: {_quantiles(first)}")
    lines += [f"crashed {row['id']}: {(row['error_text'] or '')[:200]}" for row in crashed]
    return [*lines, *counters.told[:20], *faults[:20]]


def _of_missions(missions: Sequence[sqlite3.Row], merges: Sequence[sqlite3.Row]) -> list[str]:
    ends = [f"{one['state']} {one['outcome'] or ''} {one['n']}" for one in missions]
    why = {True: "", False: " with a reason"}
    came = [f"{one['status']}{why[bool(one['plain'])]} {one['n']}" for one in merges]
    return ["missions: " + ", ".join(ends), "merges: " + ", ".join(came)]


def _quantiles(spans: list[float]) -> str:
    if len(spans) < 2:
        return f"{spans}"
    cuts = statistics.quantiles(spans, n=100, method="inclusive")
    return f"p50 {cuts[49]:.2f} s, p99 {cuts[98]:.2f} s, n {len(spans)}"
