"""When a budget's time begins and ends, and what it says to a run that is to start (K-44)."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from roundtable_desktop.model.budgets import (
    NEAR,
    REACHED,
    Budget,
    BudgetScope,
    OnExceed,
    Period,
    Standing,
    Window,
)
from roundtable_desktop.model.states import WakeupOutcome
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.model.verdicts import Answer, Go, Skip

EVER = instant(0)
WAIVED = timedelta(days=1)
"""How long a budget without an end of its period is set aside, or a provider's window."""

_ORDER = {BudgetScope.WORKSPACE: 0, BudgetScope.PROJECT: 1, BudgetScope.AGENT: 2}


def window(budget: Budget, now: datetime, zone: ZoneInfo) -> Window:
    """A day begins at its first instant there; where midnight does not exist, right after it."""
    local = now.astimezone(zone)
    match budget.period:
        case Period.DAY:
            begins = local.date()
            ends = begins + timedelta(days=1)
        case Period.MONTH:
            begins = local.date().replace(day=1)
            ends = (begins + timedelta(days=32)).replace(day=1)
        case Period.ROLLING:
            span = timedelta(hours=budget.hours or 1)
            number = micros(now) // (span // timedelta(microseconds=1))
            return Window(now - span, None, f"{span // timedelta(hours=1)}h{number}")
        case _:
            return Window(EVER, None, str(budget.period))
    since, until = (_midnight(day, zone) for day in (begins, ends))
    return Window(since, until, begins.isoformat())


def _midnight(day: object, zone: ZoneInfo) -> datetime:
    begins = datetime.fromisoformat(f"{day}T00:00:00").replace(tzinfo=zone)
    return instant(micros(begins))


def allowed(budget: Budget, now: datetime) -> int:
    """What a person added holds for a time."""
    ends = budget.extra_until_at
    return budget.most + (budget.extra if ends is None or now < ends else 0)


def waived(budget: Budget, now: datetime) -> bool:
    return budget.waived_until_at is not None and now < budget.waived_until_at


def lasts_until(budget: Budget, window: Window, now: datetime) -> datetime:
    """Until when a person's word about it holds: its period's end, its hours, or a day."""
    if window.until is not None:
        return window.until
    return now + (timedelta(hours=budget.hours) if budget.hours else WAIVED)


def thresholds(standing: Standing) -> Sequence[int]:
    """Those that are reached."""
    return [one for one in (NEAR, REACHED) if standing.percent >= one]


def key(standing: Standing, threshold: int) -> str:
    """C-63; once for each window, and once more for another limit."""
    budget = standing.budget
    return f"{budget.id}:{standing.window.label}/{standing.allowed}:{threshold}"


def gate(standings: Sequence[Standing]) -> Answer:
    """All that apply are asked, workspace first; the first that binds decides."""
    in_turn = sorted(standings, key=lambda one: (_ORDER[one.budget.scope], one.budget.id))
    binding = next((one for one in in_turn if one.binds), None)
    if binding is not None:
        return Skip(WakeupOutcome.BUDGET_BLOCKED, facts(binding))
    if not in_turn:
        return Go({"form": "none"})
    fullest = max(in_turn, key=lambda one: one.percent)
    return Go({**facts(fullest), "budgets": len(in_turn)})


def facts(standing: Standing) -> dict[str, object]:
    """What is told of it; numbers in the meter's own unit."""
    budget, until = standing.budget, standing.window.until
    return {
        "budget_id": budget.id,
        "scope": str(budget.scope),
        "meter": str(budget.meter),
        "period": str(budget.period),
        "hours": budget.hours,
        "spent": standing.spent,
        "most": standing.allowed,
        "percent": standing.percent,
        "unknown": standing.unknown,
        "action_on_exceed": str(budget.action_on_exceed),
        "until": None if until is None else micros(until),
    }


def pauses(standing: Standing) -> bool:
    return standing.binds and standing.budget.action_on_exceed is OnExceed.PAUSE_AGENT
