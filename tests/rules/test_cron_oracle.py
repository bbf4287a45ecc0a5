"""Any expression in any zone fires when a second reading of cron says, and strictly rises."""

from datetime import UTC, datetime, timedelta

import cron_oracle
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.rules import zones
from roundtable_desktop.rules.cron import Cron, parse

# a zone and a day on which its clock is changed, or a common one
DAYS = [
    ("America/New_York", "2026-03-08"),
    ("America/New_York", "2026-11-01"),
    ("Europe/Berlin", "2026-03-29"),
    ("Europe/Dublin", "2026-10-25"),
    ("Australia/Lord_Howe", "2026-10-04"),
    ("Australia/Lord_Howe", "2026-04-05"),
    ("Africa/Cairo", "2026-04-24"),
    ("Africa/Cairo", "2026-10-30"),
    ("America/Havana", "2026-11-01"),
    ("Antarctica/Troll", "2026-03-29"),
    ("Antarctica/Troll", "2026-10-25"),
    ("Pacific/Apia", "2011-12-30"),
    ("Asia/Kathmandu", "2026-03-01"),
]


def numbers(low: int, high: int) -> st.SearchStrategy[str]:
    one = st.integers(low, high)
    pair = st.tuples(one, one).map(lambda two: f"{min(two)}-{max(two)}")
    return st.one_of(
        one.map(str),
        pair,
        st.tuples(pair, st.integers(1, high)).map(lambda two: f"{two[0]}/{two[1]}"),
        st.lists(one, min_size=2, max_size=4).map(lambda many: ",".join(map(str, many))),
    )


def field(low: int, high: int) -> st.SearchStrategy[str]:
    return st.one_of(st.just("*"), st.integers(1, high).map("*/{}".format), numbers(low, high))


EXPRESSIONS = st.tuples(
    field(0, 59),
    st.one_of(field(0, 23), numbers(0, 3)),  # clocks are changed at night
    st.one_of(st.just("*"), field(1, 31)),
    st.just("*"),
    st.one_of(st.just("*"), field(0, 7)),
).map(" ".join)

MINUTES = st.integers(1, 36 * 60).map(lambda many: timedelta(minutes=many))


def readable(expression: str) -> Cron:
    try:
        return parse(expression)
    except Invalid as refused:
        assume(refused.code != "cron_never")
        raise


@pytest.mark.proves("K-20 rule", "F-31 rule")
@settings(deadline=None, max_examples=80)
@given(EXPRESSIONS, st.sampled_from(DAYS), MINUTES, MINUTES)
def test_what_fires_is_what_a_second_reading_says(
    expression: str, where: tuple[str, str], back: timedelta, stretch: timedelta
) -> None:
    name, day = where
    zone = zones.zone(name)
    after = datetime.fromisoformat(f"{day}T12:00").replace(tzinfo=UTC) - back
    until = after + stretch
    cron, expected = readable(expression), cron_oracle.fires(expression, zone, after, until)

    assert cron.first(len(expected), after, zone) == expected
    assert expected == sorted(set(expected))
    following = cron.next(expected[-1] if expected else after, zone)
    assert following is None or following > until
    assert cron.count(after, until, zone) == len(expected)
    assert cron.last(after, until, zone) == (expected[-1] if expected else None)


@pytest.mark.proves("K-20 rule")
@settings(deadline=None, max_examples=60)
@given(EXPRESSIONS, st.sampled_from(DAYS), st.integers(0, 200 * 365 * 24 * 60))
def test_the_next_fire_does_not_depend_on_where_one_begins(
    expression: str, where: tuple[str, str], minutes: int
) -> None:
    """Asked from any time before it, the same instant comes; asked at it, the next one."""
    cron, zone = readable(expression), zones.zone(where[0])
    after = datetime(1990, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    found = cron.first(3, after, zone)
    assert found == sorted(set(found)) and all(at > after for at in found)
    asked = after
    for at in found:
        assert cron.next(asked, zone) == cron.next(at - timedelta(microseconds=1), zone) == at
        asked = at


@pytest.mark.proves("K-20 rule")
def test_the_calendar_ends_without_an_error() -> None:
    cron, zone = parse("0 0 1 1 *"), zones.zone("Pacific/Kiritimati")
    end = datetime(9999, 12, 30, tzinfo=UTC)
    assert list(cron.fires(end, zone)) == []
    assert cron.next(datetime.max.replace(tzinfo=UTC), zones.zone("America/New_York")) is None
    assert parse("*/30 * * * *").next(datetime.max.replace(tzinfo=UTC), zone) is None
