"""The page of what was used, what may be used, and what the week to come will use."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from flask import Flask, render_template
from pydantic import Field

from roundtable_desktop.dashboard.api import budgets as api
from roundtable_desktop.dashboard.api.shapes import Ref
from roundtable_desktop.dashboard.api.usage import By
from roundtable_desktop.dashboard.forms import filled, read_form
from roundtable_desktop.dashboard.pages import filtering
from roundtable_desktop.dashboard.pages.filtering import Choice, Filtered
from roundtable_desktop.dashboard.pages.frame import from_form, page_query, tried
from roundtable_desktop.dashboard.reading import Words
from roundtable_desktop.engine.desk import Desk, budgets
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_usage import Seen
from roundtable_desktop.model.usage import Total
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.marking import N_

HERE = "/usage"
Span = Literal["today", "week", "month"]
SPANS: Mapping[Span, str] = {"today": N_("Today"), "week": N_("7 days"), "month": N_("30 days")}
DAYS: Mapping[Span, int] = {"today": 0, "week": 6, "month": 29}
WAYS: Mapping[By, str] = {
    "agent": N_("Agent"),
    "routine": N_("Routine"),
    "task": N_("Task"),
    "model": N_("Model"),
    "day": N_("Day"),
}
LINKS = {"agent": "/agents/", "task": "/tasks/", "routine": "/routines/"}
METERS = {
    "money": N_("Money, in US dollars"),
    "tokens": N_("Tokens, in and out"),
    "runs": N_("Runs"),
    "quota": N_("A provider's own window, in percent"),
}
PERIODS = {
    "day": N_("a day"),
    "month": N_("a month"),
    "rolling": N_("the last hours"),
    "total": N_("altogether"),
    "window": N_("the provider's window"),
}
ACTIONS = {
    "pause_agent": N_("The agent is paused"),
    "block_new_tasks": N_("Nothing new starts"),
    "notify_only": N_("You are told, and it goes on"),
}
WEEK = timedelta(days=7)
Short = Annotated[str, Field(max_length=200)]


class UsageShown(Filtered):
    """ahead: the coming week is reckoned, too, which takes a moment."""

    span: Span = "today"
    by: By = "agent"
    workspace: Ref | None = None
    ahead: Literal["1"] | None = None


class Written(Words):
    """A budget as it is typed. budget: the one that is changed; "" for a new one."""

    do: Literal["save", "remove"] = "save"
    budget: Short = ""
    workspace: Short = ""
    whose: Short = ""
    project: Short = ""
    meter: Short = ""
    period: Short = ""
    hours: Short = ""
    limit: Short = ""
    action_on_exceed: Short = ""
    enabled: Short = ""


def pages(desk: Desk, look: Look, zone: str) -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        @app.get(HERE)
        def show_usage() -> str:
            return _page(look, ZoneInfo(zone), page_query(UsageShown))

        @app.post("/usage/budgets")
        def keep_budget() -> Any:
            written, asked = read_form(Written), from_form()
            return tried(
                lambda: _keep(desk, look, asked, written),
                f"{HERE}#budgets",
                lambda why: _page(look, ZoneInfo(zone), UsageShown(), why, written),
                page=HERE,
            )

    return add


def _keep(desk: Desk, look: Look, asked: Any, written: Written) -> None:
    """Adds, changes or removes one, as the form's button says."""
    if not written.budget:
        api.add(desk, look, asked, filled(api.NewBudget, _given(written)))
        return
    seen = look.usage.budget(written.budget)
    if written.do == "remove":
        budgets.remove(desk, asked, seen.budget.id)
        return
    body = {
        "limit": written.limit,
        "action_on_exceed": written.action_on_exceed,
        "enabled": written.enabled == "true",
    }
    api.change(desk, look, asked, seen, filled(api.BudgetChange, body))


def _given(written: Written) -> dict[str, object]:
    """whose: "workspace", "project", or an agent's id."""
    plain = ("workspace", "project")
    scope = written.whose if written.whose in plain else "agent"
    return {
        "workspace_id": written.workspace,
        "scope": scope,
        "agent_id": written.whose if scope == "agent" else None,
        "project": written.project if scope == "project" else None,
        **{name: getattr(written, name) for name in ("meter", "limit", "action_on_exceed")},
        "period": None if written.meter == "quota" else written.period,
        "hours": written.hours if written.period == "rolling" else None,
    }


def _page(
    look: Look,
    zone: ZoneInfo,
    query: UsageShown,
    refused: str = "",
    written: Written | None = None,
) -> str:
    now = look.now()
    chosen = look.workspace(query.workspace) if query.workspace else None
    where = chosen.id if chosen else None
    since = _midnight(now, zone) - timedelta(days=DAYS[query.span])
    until = now + timedelta(seconds=1)
    if query.by == "day":
        found = look.usage.days(since, until, zone.key, where)
    else:
        found = look.usage.totals(query.by, since, until, where)
    kept = {name: value for name, value in query.chosen().items() if name != "ahead"}
    workspaces = look.workspaces(None, 200)
    form_in = look.workspace(written.workspace) if written and written.workspace else chosen
    place = form_in or (workspaces[0] if workspaces else None)
    return render_template(
        "usage.html",
        rows=[(one, _link(query.by, one)) for one in found],
        total=next(iter(look.usage.totals("all", since, until, where)), None),
        spans=_ways(kept, "span", SPANS, query.span),
        ways=_ways(kept, "by", WAYS, query.by),
        way=_(WAYS.get(query.by, N_("Agent"))),
        workspaces=workspaces,
        chosen=chosen,
        place=place,
        agents=look.agents(None, 200, workspace_id=place.id) if place else [],
        given=written or Written(whose="workspace", meter="money", period="day"),
        refused=refused,
        budgets=[(one, _in_units(one)) for one in look.usage.budgets(where)],
        windows=look.usage.windows(),
        words=_words(),
        ahead=_ahead(look, query) if query.ahead else None,
        ahead_at=filtering.address(HERE, kept, ahead="1") + "#ahead",
    )


def _midnight(now: datetime, zone: ZoneInfo) -> datetime:
    local = now.astimezone(zone)
    return datetime(local.year, local.month, local.day, tzinfo=zone)


def _ways(
    kept: Mapping[str, str], name: str, words: Mapping[Any, str], now: str
) -> list[tuple[Choice, bool]]:
    """A tab for each; the address says which one it is."""
    return [
        (Choice(filtering.address(HERE, {**kept, name: one}), _(word)), one == now)
        for one, word in words.items()
    ]


def _link(by: str, one: Total) -> str:
    return f"{LINKS[by]}{one.key}" if by in LINKS and one.key else ""


def _words() -> dict[str, list[tuple[str, str]]]:
    tables = {"meter": METERS, "period": PERIODS, "action": ACTIONS}
    return {name: [(one, _(word)) for one, word in table.items()] for name, table in tables.items()}


def _in_units(seen: Seen) -> str:
    """Its limit as it is typed."""
    return f"{api.in_units(seen.budget.meter, seen.budget.most):g}"


def _ahead(look: Look, query: UsageShown) -> dict[str, object]:
    seen = look.foreseen(WEEK, query.workspace)
    found = look.usage.expected(seen.routine_runs)
    return {
        "routines": found.items,
        "runs": sum(one.runs for one in found.items),
        "tokens": found.tokens,
        "cost": found.cost_nano,
        "unknown": found.unknown,
        "complete": seen.complete,
        "until": seen.until,
    }
