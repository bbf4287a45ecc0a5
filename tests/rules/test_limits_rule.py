"""The rule behind the texts: whom to believe, which day is meant, and what no text can do to it."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtable_desktop.rules.limits import Channel, Meaning, Said, Verdict, limit_verdict
from roundtable_desktop.rules.limits.hearing import endings, heard

NOW = datetime(2026, 7, 7, 8, 3, tzinfo=UTC)
HOUR = timedelta(hours=1)


def read(text: str, now: datetime = NOW, zone: str = "UTC") -> Verdict:
    return limit_verdict(Said(f"rate limit: {text}"), now, ZoneInfo(zone))


def structured(fields: Mapping[str, object], text: str = "", status: int | None = None) -> Verdict:
    return limit_verdict(Said(text, Channel.RESULT, status, fields), NOW, UTC)


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


EPOCH = int(NOW.timestamp()) + 7200


# --- whom to believe ---------------------------------------------------------------------------


@pytest.mark.proves("C-12", "K-33 rule")
@pytest.mark.parametrize(
    ("fields", "text", "seconds"),
    [
        ({"status": "rejected", "resetsAt": EPOCH}, "You've hit your limit · resets 3pm", 7200),
        ({"status": "rejected", "resetsAt": float(EPOCH)}, "", 7200),
        ({"info": {"status": "rejected", "resetsAt": EPOCH}}, "", 7200),
        ({"resetsAt": EPOCH * 1000}, "", 7200),
        ({"headers": {"Retry-After": "20"}}, "", 20),
        ({"headers": [{"retry-after-ms": 1500}]}, "", 1.5),
        ({"details": [{"retryDelay": "91.5s"}]}, "", 91.5),
        ({"error": "rate_limit", "retry_delay_ms": 586.52498071229}, "", 0.586525),
        (
            {"error": "rate_limit", "retry_delay_ms": 500},
            "You've hit your limit · resets 9am",
            3420,
        ),
        ({"resets_in_seconds": 8899, "error": {"type": "usage_limit_reached"}}, "", 8899),
    ],
)
def test_a_field_beats_the_prose_and_both_beat_an_agents_own_wait(
    fields: Mapping[str, object], text: str, seconds: float
) -> None:
    verdict = structured(fields, text, status=429)
    assert verdict.meaning is Meaning.LIMIT
    assert verdict.reset_at is not None
    assert abs(verdict.reset_at - at(seconds)) < timedelta(milliseconds=1)
    assert verdict.retry_at == verdict.reset_at + timedelta(seconds=30)
    assert verdict.source == "rate_limit_parsed"


@pytest.mark.proves("C-12", "C-38 rule")
@pytest.mark.parametrize(
    ("status", "fields", "text", "meaning", "error"),
    [
        (429, {}, "", "limit", "rate_limited"),
        (529, {}, "", "overloaded", "overloaded"),
        (503, {}, "rate limit", "overloaded", "overloaded"),
        (402, {}, "rate limit, try again in 5 minutes", "incurable", "billing"),
        (413, {}, "", "incurable", "context_full"),
        (401, {}, "rate limit exceeded", "not_a_limit", None),
        (400, {}, "Credit balance is too low", "incurable", "billing"),
        (429, {}, "Credit balance is too low", "incurable", "billing"),
        (None, {"errorKind": "billing_error"}, "", "incurable", "billing"),
        (None, {"errorKind": "rate_limit"}, "", "limit", "rate_limited"),
        (None, {"codexErrorInfo": "usageLimitExceeded"}, "", "limit", "quota_limited"),
        (None, {"category": "rate_limited", "detail": "HTTP 429"}, "", "limit", "rate_limited"),
        (None, {"error": "overloaded", "error_status": 529}, "", "overloaded", "overloaded"),
        (None, {"error": "authentication_failed", "retry_delay_ms": 5}, "", "not_a_limit", None),
        (None, {"api_error_status": 429}, "", "limit", "rate_limited"),
        (None, {"status": "allowed_warning", "resetsAt": EPOCH}, "", "not_a_limit", None),
        (None, {"status": "allowed_warning", "resetsAt": EPOCH}, "All done.", "not_a_limit", None),
        (None, {"code": 10**5000}, "", "not_a_limit", None),
    ],
)
def test_the_protocol_says_what_it_is(
    status: int | None, fields: Mapping[str, object], text: str, meaning: str, error: str | None
) -> None:
    verdict = structured(fields, text, status)
    assert (verdict.meaning, verdict.error) == (meaning, error)


# --- which day ---------------------------------------------------------------------------------


@pytest.mark.proves("C-35", "K-32", "B-059 rule")
@pytest.mark.parametrize(
    ("text", "reset", "retried"),
    [
        ("resets 9am", at(57 * 60), True),
        ("resets 8am", at(-180), False),
        ("resets 7:04am", at(-59 * 60), False),
        ("resets 7:03am", at(23 * 3600), True),
        ("resets at 8:02:40 AM", at(-20), True),
        ("resets in 0s", NOW, True),
        ("resets Jul 7, 7am", None, False),
        ("resets tomorrow at 7am", at(23 * 3600 - 180), True),
        ("resets Tuesday at 9am", at(57 * 60), True),
        ("resets on Thu, Jul 9, 8:03am", at(48 * 3600), True),
        ("resets at noon", at(4 * 3600 - 180), True),
    ],
)
def test_an_hour_decides_between_just_passed_and_the_next(
    text: str, reset: datetime | None, retried: bool
) -> None:
    verdict = read(text)
    assert verdict.reset_at == reset
    assert (verdict.retry_at is not None) is retried


@pytest.mark.proves("C-35", "B-060 rule", "C-13")
@pytest.mark.parametrize(
    ("zone", "now", "text", "reset"),
    [
        ("Europe/Berlin", "2026-03-29T00:30", "resets 2:30am", "2026-03-29T01:30"),  # no such hour
        ("Europe/Berlin", "2026-10-24T23:30", "resets 2:30am", "2026-10-25T00:30"),  # twice: first
        ("Europe/Berlin", "2026-10-25T01:40", "resets 2:30am", "2026-10-25T01:30"),  # the second
        ("Europe/Berlin", "2026-10-25T01:20", "resets 2:30am", "2026-10-25T00:30"),
        ("America/New_York", "2026-07-02T03:00", "resets 2:30am", "2026-07-02T06:30"),
        ("Pacific/Kiritimati", "2026-07-02T09:30", "resets 1am", "2026-07-02T11:00"),
        ("UTC", "2026-12-31T23:50", "resets 12:10am", "2027-01-01T00:10"),
        ("UTC", "2026-12-31T23:50", "resets Jan 3", "2027-01-03T00:00"),
        ("UTC", "2027-01-01T00:20", "resets Dec 31, 11:50pm", "2026-12-31T23:50"),
        ("UTC", "2028-02-20T00:00", "resets Feb 29, 1am", "2028-02-29T01:00"),
        ("Asia/Tokyo", "2026-07-02T03:00", "resets 5pm EST", "2026-07-02T21:00"),
        ("UTC", "2026-07-02T03:00", "resets at 22:15+05:30", "2026-07-02T16:45"),
        ("Asia/Tokyo", "2026-07-02T03:00", "resets 5pm (Mars/Base)", "2026-07-02T08:00"),
        ("UTC", "2026-07-02T03:00", "resets Thu, 02 Jul 2026 08:49:37 GMT", "2026-07-02T08:49:37"),
        ("UTC", "2026-07-02T03:00", "resets at 8pm on Jul 3 (Asia/Tokyo)", "2026-07-03T11:00"),
        ("UTC", "2026-07-02T03:00", "try again at 3 July 2026 20:15", "2026-07-03T20:15"),
    ],
)
def test_a_clock_is_read_where_it_hangs(zone: str, now: str, text: str, reset: str) -> None:
    verdict = read(text, datetime.fromisoformat(f"{now}+00:00"), zone)
    assert verdict.reset_at == datetime.fromisoformat(f"{reset}+00:00")


@pytest.mark.proves("F-33 rule", "K-32")
@pytest.mark.parametrize(
    "text",
    [
        "Retry-After: 99999999999",
        "Retry-After: -5",
        "Retry-After: 99999999999999999999999999",
        "try again in \N{MINUS SIGN}5 minutes",
        "try again in 9999999 weeks",
        "try again in 36 days",
        "resets at 9999-12-31T00:00:00Z",
        "resets at 0001-01-01T00:00:00Z",
        "resets Feb 30, 1am",
        "resets at 25:61",
        "reset_time: 253402300799",
        "reset_time: 9999999999",
        "resets on 2026-06-01",
        "resets " + "9" * 1_000_000,
    ],
)
def test_a_reset_that_cannot_be_meant_is_none(text: str) -> None:
    assert read(text).meaning is (Meaning.NOT_A_LIMIT if len(text) > 2_000 else Meaning.LIMIT)
    assert read(text).reset_at is read(text).retry_at is None


@pytest.mark.proves("K-32", "C-70")
@pytest.mark.parametrize("days", [34, 35])
def test_no_retry_is_later_than_thirty_five_days(days: int) -> None:
    verdict = read(f"try again in {days} days")
    assert (verdict.retry_at is not None) is (days == 34)


# --- what no text can do -----------------------------------------------------------------------

WORDS = (
    *("rate limit", "429", "resets", "try again in", "at", "in", "Retry-After:", "5", "minutes"),
    *("12:53 PM", "Dec 1st,", "2026", "(Europe/Warsaw)", "(America)", "GMT-3", "tomorrow", "Feb"),
    *("29", "-", "Z", "T", "\x1b[31m", "\n", "|", "{", '"resetsAt":', "9999999999", "7m12s", "Mon"),
    *("overloaded", "limit: 0", "quota", "You've hit your limit", "🕐", "\u202e", "12/31/99"),
)
TEXTS = st.text(max_size=300) | st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
FIELDS = st.dictionaries(
    st.sampled_from(["resetsAt", "status", "retry_delay_ms", "code", "Retry-After", "x"]),
    st.integers() | st.floats() | st.booleans() | st.none() | TEXTS,
)
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "Pacific/Kiritimati", "Asia/Kathmandu"])
INSTANTS = st.integers(2, 7_000).map(lambda years: NOW.replace(year=1_970 + years))


@pytest.mark.slow
@pytest.mark.proves("K-32", "F-33 rule", "C-70")
@settings(max_examples=400, deadline=None)
@given(TEXTS, st.sampled_from(Channel), FIELDS | st.none(), INSTANTS, ZONES)
def test_whatever_is_said_the_verdict_is_possible(
    text: str, channel: Channel, fields: Mapping[str, object] | None, now: datetime, zone: str
) -> None:
    verdict = limit_verdict(Said(text, channel, None, fields), now, ZoneInfo(zone))
    if verdict.reset_at is not None:
        assert now - HOUR < verdict.reset_at <= now + timedelta(days=35)
    if verdict.retry_at is not None:
        assert verdict.reset_at is not None
        assert verdict.retry_at == verdict.reset_at + timedelta(seconds=30) > now
    if verdict.matched is not None:
        read_from = list(endings(text)) if channel is Channel.TRANSCRIPT else [heard(text)]
        assert verdict.matched and any(verdict.matched in one for one in read_from)
    if verdict.meaning in (Meaning.NOT_A_LIMIT, Meaning.INCURABLE):
        assert verdict.reset_at is None


HOSTILE = (
    *("1", "rate limit ", "resets at 1", "{", "\x1b]", "you've hit your a b c d ", "a-", "(", "@ "),
    *("error code ", " ", "\n", "quota ", "a_", "when ", "1s", "http", "failed ", "\ufdfa", "\\"),
    *('"', "limit reached|", "jan 1 ", "mon mon ", "`", "```", "would exceed ", "model " * 2 + "a"),
)


@pytest.mark.proves("F-33 rule")
@pytest.mark.parametrize("piece", HOSTILE)
@pytest.mark.parametrize("channel", [Channel.ERROR, Channel.TRANSCRIPT])
def test_a_megabyte_of_anything_is_read_at_once(piece: str, channel: Channel) -> None:
    """In processor time, the better of two: other programs run on this machine as well."""
    said = Said(piece * (1_000_000 // len(piece)), channel)
    assert min(_seconds(said), _seconds(said)) < 0.1


@pytest.mark.proves("F-33 rule")
@pytest.mark.parametrize("span", ["9999999w " * 16, "9" * 400 + " hours", "99999999999 days"])
def test_a_wait_that_no_calendar_holds_is_no_time(span: str) -> None:
    verdict = limit_verdict(Said(f"Rate limit reached. Try again in {span}"), NOW, UTC)
    assert (verdict.meaning, verdict.reset_at) == ("limit", None)


def _seconds(said: Said) -> float:
    begun = time.process_time()
    limit_verdict(said, NOW, UTC)
    return time.process_time() - begun
