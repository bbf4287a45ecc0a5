"""The cases of the field: what fires when, what never does, what is refused, each at once."""

import csv
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.phrases import SENTENCES, sentence
from roundtable_desktop.rules import zones
from roundtable_desktop.rules.cron import LONGEST, parse

CASES = list(csv.DictReader((Path(__file__).parents[1] / "data/cron_cases.csv").open()))
AT_ONCE = 0.05  # seconds of this process, whatever else the machine does


def seconds(work: Callable[[], object]) -> float:
    """The best of three: a collection of garbage in between is not the rule's."""
    taken = []
    for _ in range(3):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)


def answer(case: dict[str, str]) -> tuple[str, str]:
    """The kind and the instants, as the case has them."""
    after, most = datetime.fromisoformat(case["after"]), int(case["n"]) or 1
    try:
        found = parse(case["expr"]).first(most, after, zones.zone(case["tz"]))
    except Invalid as refused:
        return ("never" if refused.code == "cron_never" else "error"), ""
    told = " ".join(at.isoformat().replace("+00:00", "Z") for at in found)
    return ("fires" if found else "never"), told


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def fired(expression: str, zone: str, after: str, until: str) -> list[str]:
    """What fires in (after, until], in UTC, as `month-day hour:minute`."""
    shown = []
    for at in parse(expression).fires(utc(after), zones.zone(zone)):
        if at > utc(until):
            break
        shown.append(f"{at:%m-%d %H:%M}")
    return shown


def refusal(expression: str) -> str:
    with pytest.raises(Invalid) as caught:
        parse(expression, "/cron_expression")
    assert caught.value.pointer == "/cron_expression"
    assert caught.value.code in SENTENCES
    assert "…" not in sentence(caught.value.code, caught.value.values)
    return caught.value.code


@pytest.mark.proves("G9", "K-20 rule")
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_case_of_the_field_is_answered_right_and_at_once(case: dict[str, str]) -> None:
    assert answer(case) == (case["kind"], case["expected_utc"]), case["reason"]
    assert seconds(lambda: answer(case)) < AT_ONCE


@pytest.mark.proves("G9")
def test_all_cases_are_there() -> None:
    assert len(CASES) == len({case["id"] for case in CASES}) == 54


@pytest.mark.proves("B-001", "C-43")
def test_a_daily_time_that_is_skipped_comes_right_after_the_gap() -> None:
    found = fired("30 2 * * *", "America/New_York", "2026-03-07T12:00", "2026-03-10T07:00")
    assert found == ["03-08 07:00", "03-09 06:30", "03-10 06:30"]


@pytest.mark.proves("B-002", "C-43")
def test_a_daily_time_that_comes_twice_fires_once() -> None:
    """Failure 11 of the first systems: the hour that is repeated fired twice."""
    found = fired("30 1 * * *", "America/New_York", "2026-11-01T04:00", "2026-11-02T08:00")
    assert found == ["11-01 05:30", "11-02 06:30"]


@pytest.mark.proves("B-006")
def test_two_hours_a_day_keep_their_hours_across_a_change() -> None:
    found = fired("0 7,9 * * *", "America/Los_Angeles", "2026-03-07T00:00", "2026-03-09T00:00")
    assert found == ["03-07 15:00", "03-07 17:00", "03-08 14:00", "03-08 16:00"]


@pytest.mark.proves("B-014")
def test_a_day_of_the_month_and_a_weekday_are_either_or() -> None:
    """Failure 11 of the first systems: only a day that was both fired."""
    found = fired("0 9 13 * 5", "UTC", "2026-04-01T00:00", "2026-05-01T00:00")
    assert [day[3:5] for day in found] == ["03", "10", "13", "17", "24"]
    found = fired("48 14 31 6 0", "UTC", "2026-06-01T00:00", "2026-07-01T00:00")
    assert found == [f"06-{day} 14:48" for day in ("07", "14", "21", "28")]


@pytest.mark.proves("B-017")
@pytest.mark.parametrize("sunday", ["0", "7", "SUN", "sun"])
def test_sunday_has_two_numbers(sunday: str) -> None:
    """Failure 11 of the first systems: 7 was no Sunday."""
    found = fired(f"0 2 * * {sunday}", "UTC", "2026-06-01T00:00", "2026-06-08T00:00")
    assert found == ["06-07 02:00"]


@pytest.mark.proves("F-31 rule", "C-43")
def test_berlin_fires_daily_once_and_five_minutes_are_real() -> None:
    for day in ("2026-03-29", "2026-10-25"):
        until = f"{day}T23:00"
        assert len(fired("30 2 * * *", "Europe/Berlin", f"{day}T00:00", until)) == 1
        assert len(fired("*/5 * * * *", "Europe/Berlin", f"{day}T00:00", until)) == 23 * 12


@pytest.mark.proves("F-31 rule")
@pytest.mark.parametrize(
    ("expression", "zone", "after", "first"),
    [
        ("0 9 * * *", "Pacific/Kiritimati", "2026-11-29T00:00", "11-29 19:00"),
        ("* 2 * * *", "Australia/Lord_Howe", "2026-04-04T15:20", "04-04 15:30"),
        ("*/20 2 * * *", "Australia/Lord_Howe", "2026-10-03T15:00", "10-03 15:40"),
        ("0 12 * * *", "Asia/Tokyo", "2026-03-29T00:00", "03-29 03:00"),
        ("0 12 * * *", "Pacific/Apia", "2011-12-29T22:00", "12-30 10:00"),
    ],
)
def test_odd_zones(expression: str, zone: str, after: str, first: str) -> None:
    assert fired(expression, zone, after, "2026-12-31T00:00")[0] == first


@pytest.mark.proves("B-016", "S-63 cron")
@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("0 0 30 2 *", "cron_never"),
        ("0 0 31 2 *", "cron_never"),
        ("0 0 31 4,6,9,11 *", "cron_never"),
        ("0 0 */30 * SUN#2", "cron_never"),
        ("0 0 */31 * 0#2,1#2,2#2,3#2,4#2,5#2,6#2", "cron_never"),
        ("0 0 * * L", "cron_bad_weekday"),
        ("61 * * * *", "cron_bad_minute"),
        ("*/0 * * * *", "cron_bad_minute"),
        ("* 24 * * *", "cron_bad_hour"),
        ("* 22-2 * * *", "cron_bad_hour"),
        ("* * 0 * *", "cron_bad_day"),
        ("* * * 13 *", "cron_bad_month"),
        ("* * * * 1#6", "cron_bad_weekday"),
        ("* * * * 1/L", "cron_bad_weekday"),
        ("* * * *", "cron_fields"),
        ("* * * * * *", "cron_fields"),
        ("", "cron_fields"),
        (" \n", "cron_fields"),
        ("@reboot", "cron_no_alias"),
        ("@", "cron_no_alias"),
        ("\N{ARABIC-INDIC DIGIT ONE} * * * *", "cron_bad_minute"),
        ("* * * * fr\N{LATIN SMALL LETTER DOTLESS I}", "cron_bad_weekday"),
        ("\0 * * * *", "cron_bad_minute"),
        (",".join(["1"] * 10_000) + " * * * *", "cron_too_long"),
        ("*" * 1_000_000, "cron_too_long"),
        ("9" * (LONGEST - 8) + " * * * *", "cron_bad_minute"),
        (("1-59/1," * 70).rstrip(",") + " * 30 2 *", "cron_never"),
    ],
    ids=range(27),
)
def test_what_can_never_fire_is_refused_at_once_with_its_reason(expression: str, code: str) -> None:
    """Failure 11 of the first systems: an impossible date fired daily."""
    assert refusal(expression) == code
    assert seconds(lambda: refusal(expression)) < AT_ONCE


@pytest.mark.proves("K-20 rule")
@pytest.mark.parametrize(
    ("alias", "meant"),
    [
        ("@hourly", "0 * * * *"),
        ("@Daily", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        ("@weekly", "0 0 * * 0"),
        ("@monthly", "0 0 1 * *"),
        ("@yearly", "0 0 1 1 *"),
        ("@annually", "0 0 1 1 *"),
        ("  0\t0 *  * mon ", "0 0 * * MON"),
        ("5-5/2,7 0 * jan-1/3 0-0/1", "5,7 0 * JAN 0"),
    ],
)
def test_an_expression_has_one_spelling(alias: str, meant: str) -> None:
    assert parse(alias).text == meant


@pytest.mark.proves("S-63 cron")
def test_a_refusal_repeats_no_more_than_a_line() -> None:
    with pytest.raises(Invalid) as caught:
        parse("x" * (LONGEST - 8) + " * * * *")
    assert len(str(caught.value)) < 120


@pytest.mark.proves("S-63 cron")
@pytest.mark.parametrize(
    "expression", ["* * * * *", "* * * 2 MON#5", "0 0 29 2 *", "30 2 * * *", "* * * 1 *"]
)
def test_years_are_counted_without_being_listed(expression: str) -> None:
    cron, berlin = parse(expression), zones.zone("Europe/Berlin")
    since, until = utc("2024-01-01T00:00"), utc("2026-12-31T05:05")
    assert seconds(lambda: cron.count(since, until, berlin)) < 4 * AT_ONCE
    assert seconds(lambda: cron.last(since, until, berlin)) < AT_ONCE
