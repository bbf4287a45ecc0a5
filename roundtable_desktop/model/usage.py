"""What agents use: one entry for each reply or turn that they gave figures of, and sums of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from roundtable_desktop.model.records import Json

NANO = 1_000_000_000
"""Money is counted in whole billionths of a US dollar, so that sums are exact."""


class CostSource(StrEnum):
    """Where a cost comes from. Without one nobody knows it."""

    PROVIDER = "provider"
    PRICE_TABLE = "price_table"
    INCLUDED = "included"


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageEntry:
    """reply: names what the figures are of; a later line about it takes the place of the first.
    thread, sums: the conversation, and what it had used in all by then, of agents that say so.
    None is "not said", never 0."""

    id: int
    at: datetime
    workspace_id: str
    agent_id: str
    run_id: str
    task_id: str | None
    project: str | None
    routine_id: str | None
    model: str | None
    reply: str
    thread: str | None
    sums: Json | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost_nano: int | None
    cost_source: CostSource | None
    raw: Json


@dataclass(frozen=True, slots=True)
class Total:
    """What was used by `key`, of one way to look at it. Sums are of what is known: `unknown_*` says
    how many runs told nothing, or not all, of it. included: runs that a flat rate pays."""

    key: str | None
    name: str
    runs: int
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost_nano: int | None
    estimated_runs: int
    included_runs: int
    unknown_tokens_runs: int
    unknown_cost_runs: int

    @property
    def cost_usd(self) -> float | None:
        return dollars(self.cost_nano)


@dataclass(frozen=True, slots=True)
class Used:
    """Of one run; None is "not said". included: a flat rate pays it."""

    tokens: int | None
    cost_nano: int | None
    included: bool = False


Range = tuple[int | None, int | None]
"""(half of the runs stay below, nine of ten do); None where nothing is known."""


@dataclass(frozen=True, slots=True)
class Expected:
    """known: how many runs of before it is reckoned from, for tokens and for money. included: those
    of before cost nothing more."""

    routine_id: str
    name: str
    runs: int
    tokens: Range
    cost_nano: Range
    known: tuple[int, int]
    included: bool


@dataclass(frozen=True, slots=True)
class Ahead:
    """What routines will use; unknown: of how many of them nothing is known."""

    items: Sequence[Expected]
    tokens: Range
    cost_nano: Range
    unknown: int


def dollars(nano: int | None) -> float | None:
    return None if nano is None else nano / NANO


def nanos(usd: float | None) -> int | None:
    return None if usd is None else round(usd * NANO)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaWindow:
    """A window of a provider, as one of its agents told of it at `seen_at`. used_permille: of what
    it allows; None where only its end is known."""

    account: str
    name: str
    status: str
    used_permille: int | None
    resets_at: datetime | None
    seen_at: datetime
    run_id: str

    def used_now(self, now: datetime) -> int | None:
        """After its end nobody knows how much of the next one is used; a window that refuses is
        used up."""
        if self.resets_at is not None and self.resets_at <= now:
            return None
        if self.used_permille is None and self.status == REJECTED and self.resets_at is not None:
            return 1000
        return self.used_permille


REJECTED = "rejected"
