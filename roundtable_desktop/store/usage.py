"""What agents used: entries as they are told, and sums of them. "Not said" is never 0."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from roundtable_desktop.model.records import Json, Run
from roundtable_desktop.model.times import micros
from roundtable_desktop.model.usage import CostSource, Total, UsageEntry, Used, dollars
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.fields import as_json
from roundtable_desktop.store.rows import read
from roundtable_desktop.store.tables import Runs
from roundtable_desktop.store.usage_tables import UsageEntries

FIGURES = ("input_tokens", "output_tokens", "cached_tokens")

# The first time of a reply decides its day, and its last line its figures (B-174). One that a run
# of before had counts there (B-175).
_PUT = """
INSERT INTO usage_entries (
    at, workspace_id, agent_id, run_id, task_id, project, routine_id, model, reply, thread, sums,
    input_tokens, output_tokens, cached_tokens, cost_nano, cost_source, raw
)
SELECT :at, r.workspace_id, r.agent_id, r.id, r.task_id, t.project,
    coalesce(:routine_id, t.routine_id), :model, :reply, :thread,
    :sums, :input_tokens, :output_tokens, :cached_tokens, :cost_nano, :cost_source, :raw
FROM runs AS r LEFT JOIN tasks AS t ON t.id = r.task_id WHERE r.id = :run_id
ON CONFLICT (agent_id, reply) DO UPDATE SET
    model = coalesce(excluded.model, model), thread = excluded.thread, sums = excluded.sums,
    input_tokens = coalesce(excluded.input_tokens, input_tokens),
    output_tokens = coalesce(excluded.output_tokens, output_tokens),
    cached_tokens = coalesce(excluded.cached_tokens, cached_tokens),
    cost_nano = CASE WHEN excluded.cost_source IS NULL THEN cost_nano ELSE excluded.cost_nano END,
    cost_source = coalesce(excluded.cost_source, cost_source),
    raw = excluded.raw
RETURNING run_id
"""

_SUMS_BEFORE = """
SELECT sums FROM usage_entries
WHERE agent_id = :agent_id AND thread = :thread AND sums IS NOT NULL AND reply <> :reply
ORDER BY id DESC LIMIT 1
"""

# One row for each run, whose figures are what is known of it; what is not known of all its parts
# is counted beside them.
_BY_RUN = """
SELECT u.run_id, u.agent_id, u.task_id, u.routine_id, max(u.model) AS model, min(u.at) AS at,
    sum(u.input_tokens) AS input_tokens, sum(u.output_tokens) AS output_tokens,
    sum(u.cached_tokens) AS cached_tokens, sum(u.cost_nano) AS cost_nano,
    max(u.cost_source IS 'price_table') AS estimated,
    max(u.cost_source IS 'included') AS included,
    max(u.input_tokens IS NULL OR u.output_tokens IS NULL) AS unknown_tokens,
    max(u.cost_source IS NULL) AS unknown_cost
FROM usage_entries AS u
WHERE {where}
GROUP BY {group}
"""

_TOTALS = """
SELECT {key} AS key, count(DISTINCT run_id) AS runs,
    sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
    sum(cached_tokens) AS cached_tokens, sum(cost_nano) AS cost_nano,
    count(DISTINCT CASE WHEN estimated THEN run_id END) AS estimated_runs,
    count(DISTINCT CASE WHEN included THEN run_id END) AS included_runs,
    count(DISTINCT CASE WHEN unknown_tokens THEN run_id END) AS unknown_tokens_runs,
    count(DISTINCT CASE WHEN unknown_cost THEN run_id END) AS unknown_cost_runs
FROM ({by_run}) GROUP BY 1 ORDER BY cost_nano DESC NULLS LAST, input_tokens DESC, 1 LIMIT :most
"""

_KEYS = {
    "agent": "agent_id",
    "task": "task_id",
    "routine": "routine_id",
    "model": "model",
    "all": "NULL",
}
"""The ways to look at it, but by days, which a zone makes."""


def put(tx: Tx, run: Run, values: Mapping[str, Any]) -> str:
    """The run that the reply counts for. values: at, model, reply, thread, sums, the figures,
    cost_nano, cost_source, raw."""
    sums, raw = values["sums"], values["raw"]
    routine = run.payload.get("routine_id")
    words = {
        **values,
        "routine_id": routine if isinstance(routine, str) else None,
        "at": micros(values["at"]),
        "run_id": run.id,
        "sums": as_json(dict(sums)) if sums else None,
        "raw": as_json(dict(raw)),
    }
    return str(tx.sql(_PUT, words)[0]["run_id"])


def sums_before(view: View, agent_id: str, thread: str, reply: str) -> Json | None:
    """What the thread had used in all when it was last told, of another reply than this."""
    words = {"agent_id": agent_id, "thread": thread, "reply": reply}
    rows = view.sql(_SUMS_BEFORE, words)
    sums = UsageEntries.sums.python_value(rows[0]["sums"]) if rows else None
    return sums if isinstance(sums, dict) else None


def cover(tx: Tx, run_id: str, reply: str) -> None:
    """The agent says what the whole run cost: it is not added to what its parts were reckoned."""
    sql = (
        "UPDATE usage_entries SET cost_nano = NULL, cost_source = 'provider' "
        "WHERE run_id = ? AND reply <> ? AND cost_source IS NOT 'included'"
    )
    tx.write_sql(sql, (run_id, reply))


def of_run(view: View, run_id: str) -> list[UsageEntry]:
    rows = view.sql("SELECT * FROM usage_entries WHERE run_id = ? ORDER BY id", (run_id,))
    return [read(UsageEntry, UsageEntries, row) for row in rows]


def sum_up(tx: Tx, run_id: str) -> None:
    """Keeps with the run what is known of it (`Run.usage`)."""
    entries = of_run(tx, run_id)
    known: dict[str, object] = {}
    for figure in FIGURES:
        parts = [getattr(one, figure) for one in entries]
        told = [part for part in parts if part is not None]
        known[figure] = sum(told) if told else None
    costs = [one.cost_nano for one in entries if one.cost_nano is not None]
    known["cost_usd"] = dollars(sum(costs)) if costs else None
    known["cost_source"] = _source(entries)
    # Cached ones are told by some turns alone; the others' are part of their input.
    unknown = [name for name in FIGURES[:2] if any(getattr(one, name) is None for one in entries)]
    unknown += ["cost_usd"] if any(one.cost_source is None for one in entries) else []
    known["unknown"], known["raw"] = unknown, [one.raw for one in entries]
    tx.write(Runs.update(usage=known).where(Runs.id == run_id))


def _source(entries: Sequence[UsageEntry]) -> CostSource | None:
    """The least certain of them: what is partly reckoned is reckoned."""
    known = {one.cost_source for one in entries}
    order = (CostSource.PRICE_TABLE, CostSource.PROVIDER, CostSource.INCLUDED)
    return next((one for one in order if one in known), None)


def nothing_told(tx: Tx, run: Run) -> bool:
    """Whether no row tells of the run yet: then it is unknown, and that is a row, too (B-180)."""
    return not tx.sql("SELECT 1 FROM usage_entries WHERE run_id = ? LIMIT 1", (run.id,))


def totals(
    view: View,
    by: str,
    since: datetime,
    until: datetime,
    workspace_id: str | None = None,
    *,
    most: int = 200,
) -> list[Total]:
    """Of what was used from `since` until before `until`, the dearest first. by: one of `_KEYS`.
    Their names are not known here."""
    here = "AND u.workspace_id = :workspace_id" if workspace_id else ""
    where = f"u.at >= :since AND u.at < :until {here}"
    group = "u.run_id, u.model" if by == "model" else "u.run_id"
    text = _TOTALS.format(key=_KEYS[by], by_run=_BY_RUN.format(where=where, group=group))
    words = {"since": micros(since), "until": micros(until), "most": most}
    named = {**words, "workspace_id": workspace_id} if workspace_id else words
    return [_total(row) for row in view.sql(text, named)]


def _total(row: Mapping[str, Any]) -> Total:
    key = row["key"]
    return Total(**{"name": str(key or ""), **dict(row)})


LAST = 50
"""Runs of before that say what the next ones may use."""

_OF_LAST = """
SELECT u.run_id,
    CASE WHEN max(u.input_tokens IS NULL OR u.output_tokens IS NULL) THEN NULL
        ELSE sum(u.input_tokens) + sum(u.output_tokens) END AS tokens,
    sum(u.input_tokens) AS input_tokens, sum(u.output_tokens) AS output_tokens,
    CASE WHEN max(u.cost_source IS NULL) THEN NULL ELSE sum(u.cost_nano) END AS cost_nano,
    min(u.cost_source IS 'included') AS included
FROM usage_entries AS u JOIN runs AS r ON r.id = u.run_id
WHERE r.ended_at IS NOT NULL AND {whose} GROUP BY u.run_id ORDER BY u.run_id DESC LIMIT :last
"""


def of_routine(view: View, routine_id: str) -> list[Used]:
    """What its last runs used, as far as each told the whole of it."""
    text = _OF_LAST.format(whose="u.routine_id = :id")
    rows = view.sql(text, {"id": routine_id, "last": LAST})
    return [Used(row["tokens"], row["cost_nano"], bool(row["included"])) for row in rows]


def typical(view: View, agent_id: str) -> dict[str, object]:
    """What a run of the agent uses, the middle of its last ones, as a runner would say it; empty
    where none told the whole of it."""
    text = _OF_LAST.format(whose="u.agent_id = :id")
    rows = [row for row in view.sql(text, {"id": agent_id, "last": LAST}) if row["tokens"]]
    if not rows:
        return {}
    rows.sort(key=lambda row: int(row["tokens"]))
    row = rows[len(rows) // 2]
    figures = {"input_tokens": row["input_tokens"], "output_tokens": row["output_tokens"]}
    return {**figures, "cost_usd": dollars(row["cost_nano"])}
