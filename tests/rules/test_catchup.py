"""After an outage of any length: every instant that was due fires, or is counted as missed."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtable_desktop.model.states import CatchUpPolicy, ConcurrencyPolicy
from roundtable_desktop.rules import zones
from roundtable_desktop.rules.catchup import MOST, Missed, Plan, Schedule, catch_up
from roundtable_desktop.rules.cron import parse

COALESCE, SKIP, ALWAYS = (
    ConcurrencyPolicy.COALESCE_IF_ACTIVE,
    ConcurrencyPolicy.SKIP_IF_ACTIVE,
    ConcurrencyPolicy.ALWAYS_ENQUEUE,
)
ENQUEUE, SKIP_MISSED = CatchUpPolicy.ENQUEUE_MISSED_WITH_CAP, CatchUpPolicy.SKIP_MISSED


def utc(text: str) -> datetime:
    return datetime.fromisoformat(f"2026-{text}").replace(tzinfo=UTC)


def schedule(
    expression: str,
    concurrency: ConcurrencyPolicy = COALESCE,
    policy: CatchUpPolicy = ENQUEUE,
    zone: str = "UTC",
    cap: int = 25,
) -> Schedule:
    return Schedule(parse(expression), zones.zone(zone), policy, concurrency, cap)


def missed(count: int, first: str, last: str) -> Missed:
    return Missed(count, utc(first), utc(last))


@pytest.mark.proves("K-17 rule")
@pytest.mark.parametrize("concurrency", ConcurrencyPolicy)
@pytest.mark.parametrize("policy", CatchUpPolicy)
def test_a_tick_that_comes_in_time_fires_and_nothing_was_missed(
    concurrency: ConcurrencyPolicy, policy: CatchUpPolicy
) -> None:
    plan = catch_up(
        schedule("*/5 * * * *", concurrency, policy), utc("05-01T10:05"), utc("05-01T10:05:59")
    )
    assert plan == Plan((utc("05-01T10:05"),), None, None, utc("05-01T10:10"))


@pytest.mark.proves("K-17 rule", "B-021 rule", "C-61", "C-40")
@pytest.mark.parametrize(
    ("concurrency", "told"),
    [
        (COALESCE, missed(36, "05-01T10:05", "05-01T13:00")),
        (ALWAYS, missed(11, "05-01T12:10", "05-01T13:00")),
        (SKIP, missed(35, "05-01T10:10", "05-01T13:00")),
    ],
)
def test_three_hours_of_five_minutes(concurrency: ConcurrencyPolicy, told: Missed) -> None:
    """36 were due; 25 have a firing of their own, oldest first, and 11 are counted."""
    plan = catch_up(schedule("*/5 * * * *", concurrency), utc("05-01T10:05"), utc("05-01T13:01"))
    assert plan.fires == tuple(utc("05-01T10:05") + timedelta(minutes=5) * n for n in range(25))
    assert plan.left_out == missed(11, "05-01T12:10", "05-01T13:00")
    assert plan.told == told
    assert plan.next_run_at == utc("05-01T13:05")


@pytest.mark.proves("F-30 rule", "C-61", "C-40")
def test_eight_hours_of_sleep_are_one_wake_that_missed_96() -> None:
    plan = catch_up(schedule("*/5 * * * *"), utc("05-01T22:05"), utc("05-02T06:00:30"))
    assert plan.told == missed(96, "05-01T22:05", "05-02T06:00")
    assert len(plan.fires) == 25 and plan.next_run_at == utc("05-02T06:05")


@pytest.mark.proves("K-17 rule")
@pytest.mark.parametrize("concurrency", ConcurrencyPolicy)
def test_fewer_than_the_cap_all_fire(concurrency: ConcurrencyPolicy) -> None:
    plan = catch_up(schedule("0 * * * *", concurrency), utc("05-01T10:00"), utc("05-01T12:30"))
    assert plan.fires == (utc("05-01T10:00"), utc("05-01T11:00"), utc("05-01T12:00"))
    assert plan.left_out is None
    expected = {
        COALESCE: missed(3, "05-01T10:00", "05-01T12:00"),
        SKIP: missed(2, "05-01T11:00", "05-01T12:00"),
        ALWAYS: None,
    }
    assert plan.told == expected[concurrency]


@pytest.mark.proves("K-17 rule")
@pytest.mark.parametrize("cap", [0, 1])
def test_one_fires_whatever_the_cap(cap: int) -> None:
    plan = catch_up(schedule("0 * * * *", ALWAYS, cap=cap), utc("05-01T10:00"), utc("05-01T12:30"))
    assert plan.fires == (utc("05-01T10:00"),)
    assert plan.left_out == plan.told == missed(2, "05-01T11:00", "05-01T12:00")


@pytest.mark.proves("K-17 rule")
def test_no_cap_lets_a_year_of_minutes_fire() -> None:
    late = schedule("* * * * *", ALWAYS, cap=10**9)
    plan = catch_up(late, utc("01-01T00:00"), utc("12-31T23:59"))
    assert len(plan.fires) == MOST
    assert plan.left_out is not None and plan.left_out.count == 365 * 1440 - MOST


@pytest.mark.proves("C-39", "B-020 rule")
@pytest.mark.parametrize(
    ("now", "fires", "left_out"),
    [
        ("05-01T10:30", (), missed(1, "05-01T09:00", "05-01T09:00")),
        ("05-01T09:00:20", ("05-01T09:00",), None),
        ("05-01T09:01", (), missed(1, "05-01T09:00", "05-01T09:00")),
        ("05-04T08:00", (), missed(3, "05-01T09:00", "05-03T09:00")),
        ("05-04T09:00:59", ("05-04T09:00",), missed(3, "05-01T09:00", "05-03T09:00")),
    ],
)
def test_skip_missed_fires_the_tick_of_this_minute_only(
    now: str, fires: tuple[str, ...], left_out: Missed | None
) -> None:
    plan = catch_up(schedule("0 9 * * *", policy=SKIP_MISSED), utc("05-01T09:00"), utc(now))
    assert plan.fires == tuple(map(utc, fires))
    assert plan.left_out == plan.told == left_out
    assert plan.next_run_at is not None and plan.next_run_at > utc(now)
    assert f"{plan.next_run_at:%H:%M}" == "09:00"


@pytest.mark.proves("K-17 rule", "F-29 rule")
@pytest.mark.parametrize("policy", CatchUpPolicy)
def test_a_clock_that_was_set_back_repeats_nothing(policy: CatchUpPolicy) -> None:
    plan = catch_up(schedule("*/5 * * * *", policy=policy), utc("05-01T10:05"), utc("05-01T08:00"))
    assert plan == Plan((), None, None, utc("05-01T10:05"))


@pytest.mark.proves("K-17 rule")
def test_an_instant_that_the_schedule_no_longer_has_does_not_fire() -> None:
    """The zone's law changed, or the expression: what is stored is no instant of it any more."""
    plan = catch_up(schedule("0 9 * * *"), utc("05-01T08:00"), utc("05-01T08:00:10"))
    assert plan == Plan((), None, None, utc("05-01T09:00"))


@pytest.mark.proves("K-17 rule")
def test_the_last_fire_of_the_calendar_has_no_next() -> None:
    last = datetime(9999, 1, 1, tzinfo=UTC)
    plan = catch_up(schedule("0 0 1 1 *"), last, last + timedelta(seconds=5))
    assert plan == Plan((last,), None, None, None)


@pytest.mark.proves("K-17 rule", "F-29 rule")
@pytest.mark.parametrize("policy", CatchUpPolicy)
@pytest.mark.parametrize("expression", ["* * * * *", "* * * 2 MON#5"])
def test_ten_years_are_no_loop(policy: CatchUpPolicy, expression: str) -> None:
    late = schedule(expression, policy=policy, zone="Europe/Berlin")
    began = time.process_time()
    plan = catch_up(late, utc("01-01T00:00"), utc("01-01T00:00").replace(year=2036))
    assert time.process_time() - began < 2
    assert len(plan.fires) <= 25
    listed = 10 * 1440 * 365 + 2 * 1440 + 1 if expression == "* * * * *" else 0
    assert len(plan.fires) + (plan.left_out.count if plan.left_out else 0) == listed


INSTANTS = st.integers(0, 3 * 24 * 60 * 60).map(
    lambda many: datetime(2026, 3, 27, tzinfo=UTC) + timedelta(seconds=many)
)


@pytest.mark.proves("K-17 rule", "F-30 rule")
@settings(deadline=None, max_examples=120)
@given(
    st.sampled_from(["* * * * *", "*/5 * * * *", "0 * * * *", "30 2 * * *", "*/7 1-3 * * *"]),
    st.sampled_from(["UTC", "Europe/Berlin", "Africa/Cairo"]),
    st.sampled_from(ConcurrencyPolicy),
    st.sampled_from(CatchUpPolicy),
    st.integers(1, 30),
    st.lists(INSTANTS, min_size=1, max_size=6).map(sorted),
)
def test_each_instant_is_accounted_for_exactly_once(
    expression: str,
    zone: str,
    concurrency: ConcurrencyPolicy,
    policy: CatchUpPolicy,
    cap: int,
    looks: list[datetime],
) -> None:
    """However often one looks: what fired and what was left out is what was due, in order."""
    routine = schedule(expression, concurrency, policy, zone, cap)
    cron, at_home = routine.cron, routine.zone
    begin = datetime(2026, 3, 26, 23, 30, tzinfo=UTC)
    due = cron.first(cron.count(begin, looks[-1], at_home), begin, at_home)
    next_run_at = cron.next(begin, at_home)
    fired: list[datetime] = []
    left_out = 0
    for now in looks:
        assert next_run_at is not None
        here = [at for at in due if next_run_at <= at <= now]
        plan = catch_up(routine, next_run_at, now)
        rest = [at for at in here if at not in plan.fires]
        assert plan.left_out == (Missed(len(rest), rest[0], rest[-1]) if rest else None)
        assert len(plan.fires) <= cap and set(plan.fires) <= set(here)
        fired += plan.fires
        left_out += len(rest)
        assert plan.next_run_at is not None and plan.next_run_at > now
        next_run_at = plan.next_run_at
    assert fired == sorted(set(fired))
    assert len(fired) + left_out == len(due)
