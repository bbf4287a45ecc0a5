"""Commands about budgets."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from roundtable_desktop.engine import budgets as engine
from roundtable_desktop.engine.desk import Asked, Desk, check_revision, done_before, once, remember
from roundtable_desktop.model.budgets import Budget, BudgetScope, Meter, Period
from roundtable_desktop.model.errors import Absent, Conflict, Invalid
from roundtable_desktop.model.records import InboxItem, Subject
from roundtable_desktop.rules import budgets as rule
from roundtable_desktop.store import agents, budgets, inbox, workspaces
from roundtable_desktop.store.db import Tx

MOST = 100
"""Budgets of one workspace: each is asked before every run."""
RAISE, RESUME = engine.ANSWERS


def add(desk: Desk, asked: Asked, workspace_id: str, **values: Any) -> Budget:
    """values: scope, scope_id, meter, period, hours, most, action_on_exceed, enabled."""
    with desk.store.transaction() as tx:

        def act() -> Subject:
            if workspaces.get(tx, workspace_id) is None:
                raise Absent("unknown_workspace", "/workspace_id")
            if len(budgets.every(tx, workspace_id)) >= MOST:
                raise Conflict("too_many_budgets", most=MOST)
            fitting = _fitting(tx, workspace_id, values)
            own = {"id": desk.ids.new(), "workspace_id": workspace_id}
            made = budgets.add(tx, asked.actor, **own, **fitting)
            return Subject("budget", made.id)

        return once(tx, asked, act, budgets.get)


def edit(desk: Desk, asked: Asked, budget_id: str, **changes: Any) -> Budget:
    """What is named is changed. Where it holds no more, what it held back is taken up (C-81). A new
    limit takes the place of what was added for a time."""
    with desk.store.transaction() as tx:

        def act() -> Subject:
            now = _get(tx, asked, budget_id)
            names = ("scope", "scope_id", "meter", "period", "hours", "most", "action_on_exceed")
            before = {name: getattr(now, name) for name in (*names, "enabled")}
            if "meter" in changes and "period" not in changes and now.period is Period.WINDOW:
                before["period"] = Period.TOTAL
            fitting = _fitting(tx, now.workspace_id, {**before, **changes})
            if changes.keys() & {"most", "meter", "period", "hours"}:
                fitting |= {"extra": 0, "extra_until_at": None, "waived_until_at": None}
            changed = budgets.change(tx, now, asked.actor, **fitting)
            engine.look_again(tx, desk.ids, changed, asked.actor)
            return Subject("budget", now.id)

        return once(tx, asked, act, budgets.get)


def remove(desk: Desk, asked: Asked, budget_id: str) -> None:
    """What it held back is taken up, and nothing is asked about it any more."""
    with desk.store.transaction() as tx:
        if done_before(tx, asked) is not None:
            return
        now = _get(tx, asked, budget_id)
        engine.free(tx, desk.ids, now, asked.actor)
        for item in inbox.open_about(tx, Subject("budget", now.id)):
            inbox.resolve(tx, item, {"by": "cause"}, asked.actor)
        budgets.remove(tx, now, asked.actor)
        remember(tx, asked, Subject("budget", now.id))


def answer(tx: Tx, desk: Desk, asked: Asked, item: InboxItem, action: str) -> None:
    """raise: as much again until its time is over. resume: until then it only tells. Either way
    what it held back is taken up."""
    now = _get(tx, asked, item.subject_id)
    workspace = workspaces.get(tx, now.workspace_id)
    assert workspace is not None, "foreign keys hold"
    window = rule.window(now, tx.now, ZoneInfo(workspace.timezone))
    until = _quota_ends(tx, now) or rule.lasts_until(now, window, tx.now)
    values: Mapping[str, Any]
    if action == RESUME:
        values = {"waived_until_at": until}
    elif now.period is Period.TOTAL:
        values = {"most": now.most + _step(now), "extra": 0, "extra_until_at": None}
    else:
        standing = rule.allowed(now, tx.now) - now.most
        values = {"extra": standing + _step(now), "extra_until_at": until}
    changed = budgets.change(tx, now, asked.actor, **values)
    engine.look_again(tx, desk.ids, changed, asked.actor)


def _step(budget: Budget) -> int:
    """As much again; of a window of a provider a tenth of it, and of nothing a little."""
    return 100 if budget.meter is Meter.QUOTA else budget.most or 1


def _quota_ends(tx: Tx, budget: Budget) -> datetime | None:
    if budget.meter is not Meter.QUOTA:
        return None
    return min(engine.resets(tx, budget, tx.now), default=None)


def _get(tx: Tx, asked: Asked, budget_id: str) -> Budget:
    found = budgets.get(tx, budget_id)
    if found is None:
        raise Absent("unknown_budget")
    check_revision(asked, found.revision)
    return found


def _fitting(tx: Tx, workspace_id: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The whole of it, as rows have it. Raises Invalid."""
    given = dict(values)
    scope, scope_id = BudgetScope(given["scope"]), given.get("scope_id") or ""
    if scope is BudgetScope.WORKSPACE:
        scope_id = ""
    elif not scope_id:
        raise Invalid("budget_of_whom", "/scope_id", scope=str(scope))
    if scope is BudgetScope.AGENT:
        agent = agents.get(tx, scope_id)
        if agent is None or agent.workspace_id != workspace_id:
            raise Invalid("unknown_agent", "/scope_id")
    meter, period = Meter(given["meter"]), Period(given.get("period") or Period.MONTH)
    if meter is Meter.QUOTA:
        period = Period.WINDOW
    elif period is Period.WINDOW:
        raise Invalid("budget_window_of_quota", "/period")
    hours = given.get("hours") if period is Period.ROLLING else None
    if period is Period.ROLLING and not hours:
        raise Invalid("budget_needs_hours", "/hours")
    return {**given, "scope": scope, "scope_id": scope_id, "period": period, "hours": hours}
