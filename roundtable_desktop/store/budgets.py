"""Budgets as rows: what they say, what was used under them, and what they hold back."""

from datetime import datetime
from typing import Any

from roundtable_desktop.model.budgets import Budget, BudgetScope, Meter, Window
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Actor, Run, Subject
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.store import journal
from roundtable_desktop.store.db import Tx, View
from roundtable_desktop.store.rows import by_id, read
from roundtable_desktop.store.tables import Runs
from roundtable_desktop.store.usage_tables import BudgetBlocks, BudgetPauses, Budgets

_APPLYING = """
SELECT * FROM budgets WHERE workspace_id = :workspace_id AND enabled = 1 AND (
    scope = 'workspace'
    OR scope = 'project' AND scope_id = :project
    OR scope = 'agent' AND scope_id = :agent_id
) ORDER BY id
"""

# Those that hold something back, or about which something is open.
_WATCHED = """
SELECT * FROM budgets WHERE id IN (
    SELECT budget_id FROM budget_blocks
    UNION SELECT budget_id FROM budget_pauses
    UNION SELECT subject_id FROM inbox_items
        WHERE subject_type = 'budget' AND status IN ('open', 'snoozed')
) ORDER BY id
"""

# Who used it in that time. A run is unknown while no row of it tells, and so is what a row does
# not tell.
_MONEY = """
SELECT sum(u.cost_nano) AS spent,
    count(DISTINCT CASE WHEN u.cost_source IS NULL THEN u.run_id END) AS unknown,
    count(DISTINCT CASE WHEN u.cost_source IS 'included' THEN u.run_id END) AS included
FROM usage_entries AS u WHERE u.workspace_id = :workspace_id AND u.at >= :since AND {scope}
"""
_TOKENS = """
SELECT sum(coalesce(u.input_tokens, 0) + coalesce(u.output_tokens, 0)) AS spent,
    count(DISTINCT CASE
        WHEN u.input_tokens IS NULL OR u.output_tokens IS NULL THEN u.run_id
    END) AS unknown, 0 AS included
FROM usage_entries AS u WHERE u.workspace_id = :workspace_id AND u.at >= :since AND {scope}
AND (u.input_tokens IS NOT NULL OR u.output_tokens IS NOT NULL OR u.reply = u.run_id || ':none')
"""
_RUNS = """
SELECT count(*) AS spent, 0 AS unknown, 0 AS included
FROM runs AS u LEFT JOIN tasks AS t ON t.id = u.task_id
WHERE u.workspace_id = :workspace_id AND u.created_at >= :since AND {scope}
"""
_BY_METER = {Meter.MONEY: _MONEY, Meter.TOKENS: _TOKENS, Meter.RUNS: _RUNS}
_OLDEST = {
    Meter.RUNS: "SELECT min(u.created_at) AS at FROM runs AS u "
    "LEFT JOIN tasks AS t ON t.id = u.task_id "
    "WHERE u.workspace_id = :workspace_id AND u.created_at >= :since AND {scope}",
}
_OLDEST_USE = (
    "SELECT min(u.at) AS at FROM usage_entries AS u "
    "WHERE u.workspace_id = :workspace_id AND u.at >= :since AND {scope}"
)

_LIVE = """
SELECT r.* FROM runs AS r LEFT JOIN tasks AS t ON t.id = r.task_id
WHERE r.status IN ('starting', 'running') AND r.workspace_id = :workspace_id AND {scope}
ORDER BY r.id
"""


def add(tx: Tx, actor: Actor, **values: Any) -> Budget:
    tx.write(Budgets.insert(created_at=tx.now, updated_at=tx.now, **values))
    made = get(tx, values["id"])
    assert made is not None
    _tell(tx, Kind.BUDGET_ADDED, made, actor)
    return made


def change(tx: Tx, budget: Budget, actor: Actor, **values: Any) -> Budget:
    now = {"updated_at": tx.now, "revision": Budgets.revision + 1}
    tx.write(Budgets.update(**values, **now).where(Budgets.id == budget.id))
    changed = get(tx, budget.id)
    assert changed is not None
    _tell(tx, Kind.BUDGET_CHANGED, changed, actor)
    return changed


def remove(tx: Tx, budget: Budget, actor: Actor) -> None:
    """What it held back has been taken up before."""
    tx.write(Budgets.delete().where(Budgets.id == budget.id))
    _tell(tx, Kind.BUDGET_REMOVED, budget, actor)


def get(view: View, budget_id: str) -> Budget | None:
    return by_id(view, Budget, Budgets, budget_id)


def every(view: View, workspace_id: str | None = None) -> list[Budget]:
    """Oldest first."""
    here = "WHERE workspace_id = :workspace_id" if workspace_id else ""
    words = {"workspace_id": workspace_id} if workspace_id else {}
    rows = view.sql(f"SELECT * FROM budgets {here} ORDER BY id", words)
    return [read(Budget, Budgets, row) for row in rows]


def applying(view: View, workspace_id: str, project: str | None, agent_id: str) -> list[Budget]:
    words = {"workspace_id": workspace_id, "project": project, "agent_id": agent_id}
    return [read(Budget, Budgets, row) for row in view.sql(_APPLYING, words)]


def watched(view: View) -> list[Budget]:
    return [read(Budget, Budgets, row) for row in view.sql(_WATCHED)]


def used(view: View, budget: Budget, window: Window) -> tuple[int, int, int]:
    """(what was used, runs that it cannot see, runs that a flat rate pays), of a meter of ours."""
    project = "t.project" if budget.meter is Meter.RUNS else "u.project"
    text = _BY_METER[budget.meter].format(scope=_in_scope(budget, "u", project))
    row = view.sql(text, _words(budget, window.since))[0]
    return int(row["spent"] or 0), int(row["unknown"]), int(row["included"])


def oldest(view: View, budget: Budget, since: datetime) -> datetime | None:
    """When the oldest use was that still counts."""
    project = "t.project" if budget.meter is Meter.RUNS else "u.project"
    text = _OLDEST.get(budget.meter, _OLDEST_USE).format(scope=_in_scope(budget, "u", project))
    at = view.sql(text, _words(budget, since))[0]["at"]
    return None if at is None else instant(at)


def live_under(view: View, budget: Budget) -> list[Run]:
    """Runs that go on and whose use counts under it."""
    text = _LIVE.format(scope=_in_scope(budget, "r", "t.project"))
    return [read(Run, Runs, row) for row in view.sql(text, _words(budget, instant(0)))]


def _in_scope(budget: Budget, table: str, project: str) -> str:
    match budget.scope:
        case BudgetScope.AGENT:
            return f"{table}.agent_id = :scope_id"
        case BudgetScope.PROJECT:
            return f"{project} = :scope_id"
        case BudgetScope.WORKSPACE:
            return ":scope_id = ''"


def _words(budget: Budget, since: datetime) -> dict[str, object]:
    named = {"workspace_id": budget.workspace_id, "scope_id": budget.scope_id}
    return {**named, "since": micros(since)}


# --- what it holds back -------------------------------------------------------------------------


def block(tx: Tx, budget_id: str, wakeup_id: str, agent_id: str) -> None:
    held = {"budget_id": budget_id, "agent_id": agent_id, "since_at": tx.now}
    tx.write(BudgetBlocks.replace(wakeup_id=wakeup_id, **held))


def pause(tx: Tx, budget_id: str, agent_id: str) -> None:
    tx.write(BudgetPauses.replace(agent_id=agent_id, budget_id=budget_id, since_at=tx.now))


def blocked(view: View, budget_id: str) -> list[str]:
    """Wakeups, oldest first."""
    sql = "SELECT wakeup_id FROM budget_blocks WHERE budget_id = ? ORDER BY wakeup_id"
    return [str(row["wakeup_id"]) for row in view.sql(sql, (budget_id,))]


def blocked_of(view: View, agent_id: str) -> list[str]:
    sql = "SELECT wakeup_id FROM budget_blocks WHERE agent_id = ? ORDER BY wakeup_id"
    return [str(row["wakeup_id"]) for row in view.sql(sql, (agent_id,))]


def paused(view: View, budget_id: str) -> list[str]:
    sql = "SELECT agent_id FROM budget_pauses WHERE budget_id = ? ORDER BY agent_id"
    return [str(row["agent_id"]) for row in view.sql(sql, (budget_id,))]


def free_wakeup(tx: Tx, wakeup_id: str) -> bool:
    """False when somebody was faster: it comes back once."""
    return tx.write(BudgetBlocks.delete().where(BudgetBlocks.wakeup_id == wakeup_id)) == 1


def free_agent(tx: Tx, agent_id: str) -> None:
    tx.write(BudgetPauses.delete().where(BudgetPauses.agent_id == agent_id))


def _tell(tx: Tx, kind: Kind, budget: Budget, actor: Actor) -> None:
    data = {
        "scope": budget.scope,
        "scope_id": budget.scope_id,
        "meter": budget.meter,
        "period": budget.period,
        "most": budget.most,
        "action_on_exceed": budget.action_on_exceed,
        "enabled": budget.enabled,
    }
    subject, where = Subject("budget", budget.id), budget.workspace_id
    journal.tell(tx, kind, subject, workspace_id=where, actor=actor, data=data)
    tx.nudge("queue")
