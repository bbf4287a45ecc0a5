"""The API's routes about what was used."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field

from roundtable_desktop.dashboard.api.shapes import Instant, Moment, Ref, Shown
from roundtable_desktop.dashboard.reading import Asked, Words
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.engine.desk import Desk
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_usage import WindowSeen
from roundtable_desktop.model.usage import Expected, Total, dollars

By = Literal["agent", "task", "routine", "model", "day", "all"]
DAYS = timedelta(days=30)
FARTHEST = timedelta(days=3660)


class UsageAsked(Asked):
    """since: the last 30 days if nothing is named; until: now. by: day is of `timezone`, the
    workspace's, or this machine's."""

    by: By = "agent"
    workspace_id: Ref | None = None
    since: Instant | None = None
    until: Instant | None = None


class UsageRow(Shown):
    """Sums of what is known; null: nothing is. unknown_tokens_runs, unknown_cost_runs: how many of
    the runs told nothing of it, or not all; estimated_runs: reckoned by the list of prices;
    included_runs: paid by a flat rate."""

    key: str | None
    name: str
    runs: int
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None
    estimated_runs: int
    included_runs: int
    unknown_tokens_runs: int
    unknown_cost_runs: int


class WindowRow(Shown):
    """A provider's own window, as one of its agents told of it at `seen_at`. used_percent: null
    where nobody knows it now."""

    account: str
    name: str
    agents: list[str]
    status: str
    used_percent: float | None
    resets_at: Moment | None
    seen_at: Moment


class Usage(Words):
    since: Moment
    until: Moment
    by: str
    items: list[UsageRow]
    total: UsageRow | None
    windows: list[WindowRow]


class AheadAsked(Words):
    days: Annotated[float, Field(gt=0, le=31)] = 7
    workspace_id: Ref | None = None


class ExpectedRow(Shown):
    """p50: half of such runs stay below; p90: nine of ten do. null: no run of before told it.
    known_runs: how many of before it is reckoned from."""

    routine_id: str
    name: str
    runs: int
    tokens_p50: int | None
    tokens_p90: int | None
    cost_usd_p50: float | None
    cost_usd_p90: float | None
    known_runs: int
    included: bool


class Forecast(Words):
    """unknown_routines: they are not in the sums, for none of their runs told anything. complete:
    false when the time for an answer was over before all of the days were seen."""

    since: Moment
    until: Moment
    complete: bool
    items: list[ExpectedRow]
    tokens_p50: int | None
    tokens_p90: int | None
    cost_usd_p50: float | None
    cost_usd_p90: float | None
    unknown_routines: int


def window_row(seen: WindowSeen) -> WindowRow:
    used = None if seen.used_permille is None else seen.used_permille / 10
    return WindowRow.of(seen.window, agents=list(seen.agents), used_percent=used)


def expected_row(one: Expected) -> ExpectedRow:
    return ExpectedRow.of(
        one,
        tokens_p50=one.tokens[0],
        tokens_p90=one.tokens[1],
        cost_usd_p50=dollars(one.cost_nano[0]),
        cost_usd_p90=dollars(one.cost_nano[1]),
        known_runs=one.known[0],
    )


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", "/api/v1/usage", errors=(404,))
    def show_usage(query: UsageAsked) -> Usage:
        """What was used by whom, and the windows of the providers. Unknown is never 0."""
        now = look.now()
        until = min(query.until or now, now + FARTHEST)
        since = max(query.since or until - DAYS, until - FARTHEST)
        chosen = look.workspace(query.workspace_id) if query.workspace_id else None
        where = chosen.id if chosen else None
        if query.by == "day":
            zone = chosen.timezone if chosen else desk.local_zone
            found = look.usage.days(since, until, zone, where)
        else:
            found = look.usage.totals(query.by, since, until, where)
        total: list[Total] = look.usage.totals("all", since, until, where)
        return Usage.model_validate(
            {
                "since": since,
                "until": until,
                "by": query.by,
                "items": [UsageRow.of(one) for one in found],
                "total": UsageRow.of(total[0]) if total else None,
                "windows": [window_row(one) for one in look.usage.windows()],
            },
            strict=False,
        )

    @api.route("POST", "/api/v1/usage/forecast", errors=(404,))
    def show_forecast(body: AheadAsked) -> Forecast:
        """What routines will use if nobody does anything: the runs that the scheduler itself
        foresees, times what each one's last runs used."""
        seen = look.foreseen(timedelta(days=body.days), body.workspace_id)
        found = look.usage.expected(seen.routine_runs)
        tokens, cost = found.tokens, found.cost_nano
        return Forecast.model_validate(
            {
                "since": seen.since,
                "until": seen.until,
                "complete": seen.complete,
                "items": [expected_row(one) for one in found.items],
                "tokens_p50": tokens[0],
                "tokens_p90": tokens[1],
                "cost_usd_p50": dollars(cost[0]),
                "cost_usd_p90": dollars(cost[1]),
                "unknown_routines": found.unknown,
            },
            strict=False,
        )
