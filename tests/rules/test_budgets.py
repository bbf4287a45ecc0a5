"""Windows of budgets in their zone, what is reached, and who decides."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from roundtable_desktop.model.budgets import (
    Budget,
    BudgetScope,
    Meter,
    OnExceed,
    Period,
    Standing,
    Window,
)
from roundtable_desktop.model.verdicts import Go, Skip
from roundtable_desktop.rules import budgets

NOW = datetime(2026, 11, 30, 13, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


def budget(**changes: Any) -> Budget:
    plain = Budget(
        id="b",
        workspace_id="w",
        scope=BudgetScope.WORKSPACE,
        scope_id="",
        meter=Meter.TOKENS,
        period=Period.DAY,
        hours=None,
        most=1000,
        action_on_exceed=OnExceed.PAUSE_AGENT,
        enabled=True,
        extra=0,
        extra_until_at=None,
        waived_until_at=None,
        created_at=NOW,
        updated_at=NOW,
        revision=1,
    )
    return replace(plain, **changes)


def standing(spent: int | None, **changes: Any) -> Standing:
    one = budget(**changes)
    window = budgets.window(one, NOW, BERLIN)
    return Standing(one, window, spent, budgets.allowed(one, NOW), budgets.waived(one, NOW))


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("period", "now", "since", "until", "label"),
    [
        (Period.DAY, NOW, at(2026, 11, 29, 23), at(2026, 11, 30, 23), "2026-11-30"),
        (Period.MONTH, NOW, at(2026, 10, 31, 23), at(2026, 11, 30, 23), "2026-11-01"),
        # Summer time ends: a day of 25 hours.
        (Period.DAY, at(2026, 10, 25, 9), at(2026, 10, 24, 22), at(2026, 10, 25, 23), "2026-10-25"),
        (Period.MONTH, at(2026, 12, 31, 23, 30), at(2026, 12, 31, 23), at(2027, 1, 31, 23), None),
        (Period.TOTAL, NOW, at(1970, 1, 1), None, "total"),
    ],
)
def test_days_and_months_are_the_workspace_s(
    period: Period, now: datetime, since: datetime, until: datetime | None, label: str | None
) -> None:
    found = budgets.window(budget(period=period), now, BERLIN)
    assert found == Window(since, until, label or "2027-01-01")


def test_rolling_hours_have_no_end_and_a_name_for_as_long() -> None:
    one = budget(period=Period.ROLLING, hours=5)
    found = budgets.window(one, NOW, BERLIN)
    assert (found.since, found.until) == (at(2026, 11, 30, 8), None)
    later = budgets.window(one, at(2026, 11, 30, 18, 0), BERLIN)
    assert found.label != later.label


@pytest.mark.proves("K-44")
@pytest.mark.parametrize(
    ("spent", "percent", "reached", "binds"),
    [
        (0, 0, [], False),
        (799, 79, [], False),
        (800, 80, [80], False),
        (999, 99, [80], False),
        (1000, 100, [80, 100], True),
        (5000, 500, [80, 100], True),
        (None, 0, [], False),
    ],
)
def test_what_is_reached(spent: int | None, percent: int, reached: list[int], binds: bool) -> None:
    one = standing(spent)
    assert (one.percent, list(budgets.thresholds(one)), one.binds) == (percent, reached, binds)


def test_a_budget_of_nothing_is_used_up_at_once() -> None:
    assert standing(0, most=0).binds


def test_what_a_person_added_or_set_aside_holds_until_then() -> None:
    later, before = at(2026, 12, 1), at(2026, 11, 1)
    assert not standing(1000, extra=1, extra_until_at=later).binds
    assert standing(1000, extra=1, extra_until_at=before).binds
    assert not standing(1000, waived_until_at=later).binds
    assert standing(1000, waived_until_at=before).binds
    assert not standing(1000, action_on_exceed=OnExceed.NOTIFY_ONLY).binds


@pytest.mark.proves("K-44")
def test_all_that_apply_are_asked_workspace_first() -> None:
    full = [
        standing(1000, id="a", scope=BudgetScope.AGENT),
        standing(1000, id="p", scope=BudgetScope.PROJECT),
        standing(1000, id="w"),
    ]
    for left, decides in ((full, "w"), (full[:2], "p"), (full[:1], "a")):
        answer = budgets.gate(left)
        assert isinstance(answer, Skip) and answer.detail["budget_id"] == decides
    told = standing(1000, action_on_exceed=OnExceed.NOTIFY_ONLY)
    passed = budgets.gate([told, standing(1, id="x")])
    assert isinstance(passed, Go) and passed.detail["percent"] == 100
    assert budgets.gate([]) == Go({"form": "none"})


def test_a_threshold_has_a_name_for_each_window_and_limit() -> None:
    keys = {
        budgets.key(standing(900), 80),
        budgets.key(standing(900), 100),
        budgets.key(standing(900, most=1100), 80),
        budgets.key(standing(900, period=Period.MONTH), 80),
    }
    assert len(keys) == 4
