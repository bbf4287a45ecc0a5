"""Quiet hours: when they last, and how they are written; and how often a crash is lived through."""

from datetime import datetime, timedelta

import pytest
from pydantic import ValidationError

from roundtable_desktop.model.settings import GlobalSettings
from roundtable_desktop.rules import quiet, restarts

MONDAY = datetime(2026, 11, 30)  # noqa: DTZ001 (local, as the rule has it)
WEEK = "mon-fri 22:00-07:00, sat 23:30-09:00"


@pytest.mark.proves("N-11 notices")
@pytest.mark.parametrize(
    ("text", "hours", "ends"),
    [
        ("", 0, None),
        (WEEK, 6.99, None),  # Monday before seven: Sunday had none
        (WEEK, 22, 31),
        (WEEK, 30.99, 31),
        (WEEK, 31, None),
        (WEEK, 5 * 24 + 6, 5 * 24 + 7),  # Friday's, on Saturday
        (WEEK, 5 * 24 + 23.5, 6 * 24 + 9),
        (WEEK, 6 * 24 + 22, None),
        ("daily 12:00-13:00", 12.5, 13),
        ("fri-mon 10:00-11:00", 10.5, 11),  # over the end of the week
        ("fri-mon 10:00-11:00", 24 + 10.5, None),
        ("mon 20:00-24:00,tue 00:00-06:00", 21, 30),  # they touch
        ("mon 08:00-08:00", 20, 32),
    ],
)
def test_quiet_lasts_until_its_end(text: str, hours: float, ends: float | None) -> None:
    GlobalSettings(quiet_hours=text)
    now = MONDAY + timedelta(hours=hours)
    assert quiet.ends_at(text, now) == (None if ends is None else MONDAY + timedelta(hours=ends))


@pytest.mark.proves("N-11 notices")
def test_a_silence_without_an_end_is_told_with_one() -> None:
    ends = quiet.ends_at("daily 00:00-24:00", MONDAY)
    assert ends is not None and timedelta(days=7) <= ends - MONDAY <= timedelta(days=9)


@pytest.mark.proves("N-11 notices")
@pytest.mark.parametrize(
    "text", ["22-7", "mon 24:00-07:00", "mon 22:60-07:00", "monday 22:00-07:00", "mon 22:00", "\n"]
)
def test_what_is_no_quiet_hour_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        GlobalSettings(quiet_hours=text)


@pytest.mark.proves("F-09")
@pytest.mark.parametrize(
    ("crashes", "goes_on"),
    [([0.0], True), ([0, 1, 2], True), ([0, 20, 40, 59.9], False), ([0, 30, 50, 60], True)],
)
def test_the_fourth_crash_within_a_minute_is_the_last(crashes: list[float], goes_on: bool) -> None:
    assert restarts.goes_on(crashes, crashes[-1]) is goes_on
