"""The counters: what was acknowledged and what agents did, held against the database.

All must be 0 but `relaunch`, which kills of agents and runners explain, and `waiting`, which are
queued with a reason and a time. What met a limit is tried again by right, and is no relaunch.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path

from kills import approving, gating, hooking
from kills.fires import Told, judge
from kills.ledgers import Acked, Launches, read_acks, read_launches
from kills.owners import belonging
from kills.reading import Rows

ACCEPTED = ("done", "no_changes", "no_result", "blocked", "task_failed")
"""Outcomes that take an agent's own word for what happened."""
HELD_FOR_EVER = 5_000_000
_RETRIED = """
SELECT subject_id FROM inbox_items
WHERE subject_type = 'task' AND json_extract(resolution, '$.option') = 'retry'
"""
_WAKES = """
SELECT id FROM agent_wakeup_requests
WHERE source = 'user' AND task_id IS NULL AND idempotency_key LIKE 'user:%'
"""
_TRIGGERS = """
SELECT t.id, r.created_at FROM office_routine_triggers AS t
JOIN office_routines AS r ON r.id = t.routine_id WHERE t.cron_expression = '* * * * *'
"""
_HELD = """
SELECT id, held_by FROM agent_wakeup_requests
WHERE status = 'queued' AND held_by IS NOT NULL AND coalesce(scheduled_retry_at, 0) < ?
"""


@dataclass
class Counters:
    lost: int = 0
    twice: int = 0
    stuck: int = 0
    double_live: int = 0
    phantom: int = 0
    double_accept: int = 0
    orphans: int = 0
    integrity: int = 0
    foreign_keys: int = 0
    relaunch: int = 0
    waiting: int = 0
    extra_fires: int = 0
    lost_fires: int = 0
    held: int = 0
    misfired: int = 0
    never_asked: int = 0
    asked_twice: int = 0
    hanging: int = 0
    passed_by: int = 0
    told: list[str] = field(default_factory=list)

    def zero(self) -> dict[str, int]:
        """Those that must be 0 and are not."""
        free = ("relaunch", "waiting", "told")
        return {name: count for name, count in asdict(self).items() if count and name not in free}


def unsettled(rows: Rows) -> list[str]:
    """What is not at its end; `quiet` once this is empty or only waits with a reason."""
    queries = {
        "wakeup": "SELECT id, status FROM agent_wakeup_requests"
        " WHERE status = 'claimed' OR (status = 'queued' AND held_by IS NULL)",
        "run": "SELECT id, status FROM runs WHERE ended_at IS NULL",
        "delivery": "SELECT id, status FROM deliveries WHERE status = 'intended'",
        "verdict": "SELECT v.id, w.status FROM verdicts AS v JOIN agent_wakeup_requests AS w"
        " ON w.id = v.wakeup_id WHERE v.status = 'asked' AND w.status NOT IN ('queued', 'claimed')",
        "lease": "SELECT l.run_id AS id, l.kind AS status FROM leases AS l JOIN runs AS r"
        " ON r.id = l.run_id WHERE r.ended_at IS NOT NULL",
        "mission": "SELECT id, state AS status FROM missions"
        " WHERE state NOT IN ('completed', 'blocked', 'stopped', 'failed')",
        "offer": "SELECT id, status FROM mission_offers WHERE status = 'intended'",
        # At work, but with nobody who would ever go on with it.
        "task": "SELECT id, status FROM tasks AS t WHERE status IN ('todo', 'in_progress')"
        " AND assignee_agent_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agent_wakeup_requests"
        " AS w WHERE w.task_id = t.id AND w.status IN ('queued', 'claimed')) AND NOT EXISTS"
        " (SELECT 1 FROM missions AS m WHERE m.id = t.mission_id AND m.state = 'blocked')",
    }
    return [
        f"{noun} {row['id']} {row['status']}"
        for noun, sql in queries.items()
        for row in rows.all(sql)
    ]


def waiting(rows: Rows) -> int:
    sql = "SELECT count(*) FROM agent_wakeup_requests WHERE status = 'queued'"
    return int(rows.one(f"{sql} AND held_by IS NOT NULL AND scheduled_retry_at IS NOT NULL"))


def count(home: Path, acks: Path, ledger: Path) -> Counters:
    """To be called when the last owner has stopped."""
    rows, counters, ended = Rows(home), Counters(), time.time()
    try:
        launches, acked = read_launches(ledger), read_acks(acks)
        _requests(counters, rows, acked)
        _fires(counters, rows, acked, launches, ended)
        _approvals(counters, rows, acked)
        _hooks(counters, rows, acked)
        _gates(counters, rows)
        _held(counters, rows, ended)
        _starts(counters, rows, launches)
        _results(counters, rows)
        left = unsettled(rows)
        counters.stuck, counters.waiting = len(left), waiting(rows)
        counters.told += left
        orphans = belonging(home)
        counters.orphans = len(orphans)
        counters.told += [f"orphan {_shown(pid)}" for pid in orphans]
        if (said := rows.one("PRAGMA integrity_check")) != "ok":
            counters.integrity, counters.told = 1, [*counters.told, str(said)]
        counters.foreign_keys = len(rows.all("PRAGMA foreign_key_check"))
    finally:
        rows.close()
    return counters


def _requests(counters: Counters, rows: Rows, acks: list[Acked]) -> None:
    """Each acknowledged task is there once and was queued; each ask to run is one wakeup."""
    titles = Counter(
        row["title"] for row in rows.all("SELECT title FROM tasks WHERE mission_id IS NULL")
    )
    woken: dict[str, Counter[str]] = defaultdict(Counter)
    # Others of a person's are one of before again: after a pause, or when it was set aside.
    mine = "source <> 'user' OR idempotency_key LIKE 'user:%'"
    for row in rows.all(f"SELECT task_id, source FROM agent_wakeup_requests WHERE {mine}"):
        woken[row["task_id"]][row["source"]] += 1
    asked = Counter(ack.task for ack in acks if ack.kind == "run")
    asked.update(row["subject_id"] for row in rows.all(_RETRIED))
    for ack in acks:
        if ack.kind == "task" and (titles[ack.key] == 0 or not woken[ack.task]["task_assigned"]):
            counters.lost += 1
            counters.told.append(f"lost {ack.key}")
    for key, number in titles.items():
        if number > 1:
            counters.twice += number - 1
            counters.told.append(f"twice {key}")
    for task, number in asked.items():
        more = woken[task]["user"] - number
        counters.lost += max(0, -more)
        counters.twice += max(0, more)
        counters.told += [f"asked {number} times, woken {woken[task]['user']}: {task}"] * bool(more)

    texts = Counter(row["text"] for row in rows.all("SELECT text FROM comments"))
    for ack in acks:
        if ack.kind == "comment" and texts[ack.key] != 1:
            counters.lost += not texts[ack.key]
            counters.twice += max(0, texts[ack.key] - 1)
            counters.told.append(f"{texts[ack.key]} comments {ack.key}")
    wakes = {row["id"] for row in rows.all(_WAKES)}
    asked_for = {ack.task for ack in acks if ack.kind == "wake"}
    counters.lost += len(asked_for - wakes)
    counters.twice += len(wakes - asked_for)
    counters.told += [f"wake {one}" for one in wakes ^ asked_for]


def _fires(
    counters: Counters, rows: Rows, acks: list[Acked], launches: Launches, ended: float
) -> None:
    told = Told(
        rows.all("SELECT * FROM office_routine_runs"),
        rows.all(_TRIGGERS),
        rows.all("SELECT id, outcome, context_snapshot FROM runs"),
        {row["id"]: row for row in rows.all("SELECT * FROM agent_wakeup_requests")},
        {row["id"]: row["status"] for row in rows.all("SELECT id, status FROM tasks")},
    )
    found = judge(told, acks, launches, ended)
    counters.extra_fires, counters.lost_fires = len(found.extra), len(found.lost)
    counters.told += [f"extra {one}" for one in found.extra]
    counters.told += [f"lost {one}" for one in found.lost]


def _approvals(counters: Counters, rows: Rows, acks: list[Acked]) -> None:
    found = approving.judge(approving.Asked.of(rows), acks)
    counters.lost += len(found.lost)
    counters.twice += len(found.twice)
    counters.told += [f"lost {one}" for one in found.lost]
    counters.told += [f"twice {one}" for one in found.twice]


def _hooks(counters: Counters, rows: Rows, acks: list[Acked]) -> None:
    firings = rows.all("SELECT * FROM office_routine_runs")
    wrong = hooking.judge(firings, rows.all("SELECT * FROM webhook_deliveries"), acks)
    counters.misfired = len(wrong)
    counters.told += [f"misfired {one}" for one in wrong]


def _gates(counters: Counters, rows: Rows) -> None:
    found = gating.judge(gating.Asked.of(rows))
    counters.never_asked, counters.asked_twice = len(found.never), len(found.twice)
    counters.hanging, counters.passed_by = len(found.hanging), len(found.passed_by)
    counters.told += [f"never asked: {one}" for one in found.never]
    counters.told += [f"asked twice: {one}" for one in found.twice]
    counters.told += [f"hanging: {one}" for one in found.hanging]
    counters.told += [f"passed by: {one}" for one in found.passed_by]


def _held(counters: Counters, rows: Rows, ended: float) -> None:
    """What waits with nobody and nothing that would ever let it go on."""
    left = rows.all(_HELD, int(ended * 1e6) - HELD_FOR_EVER)
    counters.held = len(left)
    counters.told += [f"held {row['id']} {row['held_by']}" for row in left]


def _starts(counters: Counters, rows: Rows, launches: Launches) -> None:
    """A START that nobody decided, two of one run, or two at one time."""
    sql = "SELECT id, wakeup_id, coalesce(attempt_index, 0) AS attempt, outcome FROM runs"
    known = {row["id"]: row for row in rows.all(sql)}
    of_wakeup: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for run, spans in launches.spans().items():
        if run not in known:
            counters.phantom += 1
            counters.told.append(f"phantom {run}")
            continue
        of_wakeup[known[run]["wakeup_id"]] += spans
    for record in launches.of("START"):
        if record.run in known and known[record.run]["attempt"] != record.attempt:
            counters.phantom += 1
            counters.told.append(f"phantom attempt {record.attempt} of {record.run}")
    limited = Counter(
        known[run]["wakeup_id"]
        for run in launches.spans()
        if run in known and known[run]["outcome"] == "limited"
    )
    for wakeup, spans in of_wakeup.items():
        counters.relaunch += max(0, len(spans) - 1 - limited[wakeup])
        counters.double_live += (found := _overlaps(spans))
        counters.told += [f"overlap {wakeup} {spans}"] * bool(found)
    doubles = launches.of("DOUBLE")
    counters.double_live += len(doubles)
    counters.told += [f"double {record.task} {record.run} at {record.at}" for record in doubles]


def _overlaps(spans: Iterable[tuple[float, float]]) -> int:
    ordered = sorted(spans)
    return sum(later[0] < first[1] for first, later in pairwise(ordered))


def _results(counters: Counters, rows: Rows) -> None:
    marks = ", ".join("?" for _ in ACCEPTED)
    sql = f"SELECT wakeup_id, count(*) AS n FROM runs WHERE outcome IN ({marks})"
    for row in rows.all(f"{sql} GROUP BY wakeup_id HAVING n > 1", *ACCEPTED):
        counters.double_accept += row["n"] - 1
        counters.told.append(f"accepted {row['n']} times: {row['wakeup_id']}")


def _shown(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        words = b"?"
    return f"{pid} {words.decode(errors='replace')[:200]}"
