"""Budgets: what may be used by whom in which time, and what happens beyond it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class BudgetScope(StrEnum):
    """Whose use counts, in the order in which they are asked (K-44)."""

    WORKSPACE = "workspace"
    PROJECT = "project"
    AGENT = "agent"


class Meter(StrEnum):
    """What is counted: billionths of a dollar, tokens in and out, runs begun, or thousandths of a
    provider's own window (C-30)."""

    MONEY = "money"
    TOKENS = "tokens"
    RUNS = "runs"
    QUOTA = "quota"


class Period(StrEnum):
    """Days and months are the workspace's; `rolling` is always its last hours; `window` is the
    provider's own, of the meter `quota`."""

    DAY = "day"
    MONTH = "month"
    ROLLING = "rolling"
    TOTAL = "total"
    WINDOW = "window"


class OnExceed(StrEnum):
    NOTIFY_ONLY = "notify_only"
    PAUSE_AGENT = "pause_agent"
    BLOCK_NEW_TASKS = "block_new_tasks"


NEAR, REACHED = 80, 100
"""Percent of a budget at which somebody is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """scope_id: the project's label or the agent's id; "" for the workspace. hours: of `rolling`.
    most: in the meter's unit. extra: what a person added until `extra_until_at`. waived_until_at:
    until then it only tells."""

    id: str
    workspace_id: str
    scope: BudgetScope
    scope_id: str
    meter: Meter
    period: Period
    hours: int | None
    most: int
    action_on_exceed: OnExceed
    enabled: bool
    extra: int
    extra_until_at: datetime | None
    waived_until_at: datetime | None
    created_at: datetime
    updated_at: datetime
    revision: int


@dataclass(frozen=True, slots=True)
class Window:
    """since: what was used before does not count. until: when it begins anew; None: never, or not
    at one instant. label: names it, so that it is told of once."""

    since: datetime
    until: datetime | None
    label: str


@dataclass(frozen=True, slots=True)
class Standing:
    """A budget as it is now. spent: None where nobody knows. unknown: runs that it cannot see.
    included: runs that a flat rate pays."""

    budget: Budget
    window: Window
    spent: int | None
    allowed: int
    waived: bool
    unknown: int = 0
    included: int = 0

    @property
    def percent(self) -> int:
        if self.spent is None:
            return 0
        return self.spent * 100 // self.allowed if self.allowed else REACHED

    @property
    def binds(self) -> bool:
        """Nothing more starts under it."""
        tells = self.budget.action_on_exceed is OnExceed.NOTIFY_ONLY or self.waived
        return self.percent >= REACHED and not tells
