"""The API's routes about budgets."""

from typing import Annotated, Any, Literal

from pydantic import Field

from roundtable_desktop.dashboard.api.other_names import OfAgent
from roundtable_desktop.dashboard.api.shapes import Moment, Ref, Shown, asked
from roundtable_desktop.dashboard.reading import Listed, Once, Paging, Words, example, listed
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, budgets
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_usage import Seen
from roundtable_desktop.model.budgets import BudgetScope, Meter, OnExceed, Period
from roundtable_desktop.model.settings import Label
from roundtable_desktop.model.usage import NANO

Scopes = Literal["workspace", "project", "agent"]
Meters = Literal["money", "tokens", "runs", "quota"]
Periods = Literal["day", "month", "rolling", "total", "window"]
Actions = Literal["notify_only", "pause_agent", "block_new_tasks"]
Limit = Annotated[float, Field(ge=0, le=1e12)]
Hours = Annotated[int, Field(ge=1, le=8784)]
UNITS = {Meter.MONEY: NANO, Meter.TOKENS: 1, Meter.RUNS: 1, Meter.QUOTA: 10}
"""How many of ours are one of the API's: dollars, tokens, runs, percent."""


class NewBudget(Words, OfAgent):
    """limit: US dollars, tokens (in and out), runs, or percent of a provider's own window (quota).
    period: of `quota` it is always that window; rolling: always the last `hours`.
    agent_id, project: whose it is, for these scopes."""

    model_config = example(
        workspace_id="01k7m3zq8v0000000000000000",
        scope="workspace",
        meter="money",
        period="day",
        limit=5,
        action_on_exceed="pause_agent",
    )

    workspace_id: Ref
    scope: Scopes = "workspace"
    agent_id: Ref | None = None
    project: Label | None = None
    meter: Meters
    period: Periods | None = None
    hours: Hours | None = None
    limit: Limit
    action_on_exceed: Actions = "pause_agent"
    enabled: bool = True


class BudgetChange(Words, OfAgent):
    """What is left out stays. A limit that is raised takes up what was held back."""

    scope: Scopes | None = None
    agent_id: Ref | None = None
    project: Label | None = None
    meter: Meters | None = None
    period: Periods | None = None
    hours: Hours | None = None
    limit: Limit | None = None
    action_on_exceed: Actions | None = None
    enabled: bool | None = None


class BudgetsAsked(Paging):
    workspace_id: Ref | None = None


class BudgetRow(Shown):
    """limit, allowed, spent: in the meter's unit; allowed: with what was added for a time. spent:
    null where nobody knows, and unknown_runs says how many runs it cannot see. since, until: the
    time that counts now. raised_until, waived_until: a person's word holds until then."""

    id: str
    workspace_id: str
    scope: str
    agent_id: str | None
    project: str | None
    named: str
    meter: str
    period: str
    hours: int | None
    limit: float
    action_on_exceed: str
    enabled: bool
    allowed: float | None
    spent: float | None
    percent: int | None
    unknown_runs: int | None
    included_runs: int | None
    degraded: bool
    since: Moment | None
    until: Moment | None
    raised_until: Moment | None
    waived_until: Moment | None
    blocked_wakeups: int
    paused_agents: list[str]
    created_at: Moment
    updated_at: Moment
    revision: int


def in_units(meter: Meter, amount: int | None) -> float | None:
    return None if amount is None else amount / UNITS[meter]


def row(seen: Seen) -> BudgetRow:
    one, now = seen.budget, seen.standing
    agent = one.scope is BudgetScope.AGENT
    return BudgetRow.of(
        one,
        agent_id=one.scope_id if agent else None,
        project=one.scope_id if one.scope is BudgetScope.PROJECT else None,
        named=seen.named,
        limit=in_units(one.meter, one.most),
        allowed=in_units(one.meter, now.allowed) if now else None,
        spent=in_units(one.meter, now.spent) if now else None,
        percent=None if now is None or now.spent is None else now.percent,
        unknown_runs=now.unknown if now else None,
        included_runs=now.included if now else None,
        degraded=now is None,
        since=now.window.since if now and one.period not in (Period.TOTAL, Period.WINDOW) else None,
        until=now.window.until if now else None,
        raised_until=one.extra_until_at if one.extra else None,
        waived_until=one.waived_until_at,
        blocked_wakeups=seen.blocked,
        paused_agents=list(seen.paused),
    )


def add(desk: Desk, look: Look, who: Any, body: NewBudget) -> Any:
    workspace = look.workspace(body.workspace_id)
    return budgets.add(desk, who, workspace.id, **_values(look, body, Meter(body.meter)))


def change(desk: Desk, look: Look, who: Any, seen: Seen, body: BudgetChange) -> Any:
    meter = Meter(body.meter) if body.meter else seen.budget.meter
    return budgets.edit(desk, who, seen.budget.id, **_values(look, body, meter))


def _values(look: Look, body: NewBudget | BudgetChange, meter: Meter) -> dict[str, Any]:
    """As rows have it; what was left out is left out."""
    given: dict[str, Any] = body.model_dump(exclude_unset=True, exclude={"workspace_id"})
    values = {name: value for name, value in given.items() if value is not None}
    agent, project = values.pop("agent_id", None), values.pop("project", None)
    if isinstance(body, NewBudget):
        values = {"scope": body.scope, "action_on_exceed": body.action_on_exceed, **values}
    if agent is not None:
        values["scope_id"] = look.agent(agent).id
    if project is not None:
        values["scope_id"] = project
    if "limit" in values:
        values["most"] = round(values.pop("limit") * UNITS[meter])
    codes = {"meter": Meter, "action_on_exceed": OnExceed, "scope": BudgetScope, "period": Period}
    return {name: codes[name](one) if name in codes else one for name, one in values.items()}


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", "/api/v1/budgets")
    def list_budgets(query: BudgetsAsked) -> Listed[BudgetRow]:
        """Each with what was used under it, newest first."""
        return listed(Listed[BudgetRow], query, look.usage.page, row)

    @api.route("POST", "/api/v1/budgets", status=201, errors=(404, 409))
    def add_budget(caller: Caller, body: NewBudget, once: Once | None) -> BudgetRow:
        """From now on no run starts beyond it, and one that goes on is ended (K-44)."""
        made = add(desk, look, asked(caller, once), body)
        return row(look.usage.budget(made.id))

    @api.route("GET", "/api/v1/budgets/<ref>")
    def show_budget(ref: str) -> BudgetRow:
        """One of them."""
        return row(look.usage.budget(ref))

    @api.route("PATCH", "/api/v1/budgets/<ref>", errors=(404, 409, 412))
    def change_budget(
        caller: Caller, ref: str, body: BudgetChange, expected_revision: int | None
    ) -> BudgetRow:
        """Where it has room then, what it held back is taken up again (C-81)."""
        seen = look.usage.budget(ref)
        change(desk, look, asked(caller, revision=expected_revision), seen, body)
        return row(look.usage.budget(seen.budget.id))

    @api.route("DELETE", "/api/v1/budgets/<ref>", status=204, errors=(404, 409, 412))
    def remove_budget(caller: Caller, ref: str, expected_revision: int | None) -> None:
        """What it held back is taken up again."""
        seen = look.usage.budget(ref)
        budgets.remove(desk, asked(caller, revision=expected_revision), seen.budget.id)
