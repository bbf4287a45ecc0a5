"""What a person is told of a schedule: words that mean what it does, and what the clock does."""

from datetime import UTC, datetime

import pytest

from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.phrases import sentence
from roundtable_desktop.rules.cron import LONGEST, parse
from roundtable_desktop.rules.preview import preview

NEW_YORK = "America/New_York"


def remarks(expression: str, zone: str, after: str = "2026-01-01") -> list[str]:
    seen = preview(expression, zone, "UTC", datetime.fromisoformat(after), 1)
    return [sentence(remark.code, remark.values) for remark in seen.remarks]


@pytest.mark.proves("N-20 words")
@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("30 2 * * *", "At 02:30 every day"),
        ("0 9-17 * * mon-fri", "At minute 0 past every hour from 9 through 17 on Monday"),
        ("0 0 */2 * MON", "if it's on Monday"),  # both must match
        ("0 0 * * MON#1,5L", "the first Monday of the month and the last Friday of the month"),
        ("@hourly", "At the start of every hour"),
        ("0 0 1,11,12,13 * *", "the first, the 11th, the 12th, and the 13th day"),
        ("0 0 21,22,23,31 * *", "the 21st, the 22nd, the 23rd, and the 31st day"),
    ],
)
def test_the_words_mean_what_fires(expression: str, words: str) -> None:
    assert words in parse(expression).words()


@pytest.mark.proves("N-20 words")
def test_the_longest_expression_has_words() -> None:
    everything = f"{','.join(map(str, range(60)))} {','.join(map(str, range(24)))} 1,2 1,2 1,2"
    assert len(everything) < LONGEST
    assert len(parse(everything).words()) < 4 * LONGEST


@pytest.mark.proves("N-20 words")
@pytest.mark.parametrize(
    ("expression", "zone", "said"),
    [
        (
            "30 2 * * *",
            NEW_YORK,
            ["02:30 does not exist on 2026-03-08: it fires at 03:00 instead."],
        ),
        (
            "0,15,30,45 2 * * *",
            NEW_YORK,
            ["02:00–02:45 does not exist on 2026-03-08: it fires at 03:00 instead."],  # noqa: RUF001
        ),
        (
            "30 1 * * *",
            NEW_YORK,
            ["01:30 comes twice on 2026-11-01: it fires the first time only."],
        ),
        (
            "*/30 1-2 * * *",
            NEW_YORK,
            [
                "02:00–02:30 does not exist on 2026-03-08: nothing fires in its place.",  # noqa: RUF001
                "01:00–01:30 comes twice on 2026-11-01: it fires both times.",  # noqa: RUF001
            ],
        ),
        (
            "@daily",
            "Africa/Cairo",
            ["00:00 does not exist on 2026-04-24: it fires at 01:00 instead."],
        ),
        ("30 12 * * *", NEW_YORK, []),
        ("*/5 * * * *", NEW_YORK, []),
        ("30 2 * * *", "Asia/Kathmandu", []),
        ("0 0 13 * 5", "UTC", ["It fires on a day that fits the day of the month or the weekday."]),
        ("0 0 */2 * 5", "UTC", []),
    ],
    ids=range(10),
)
def test_what_a_change_of_the_clock_does_is_said(
    expression: str, zone: str, said: list[str]
) -> None:
    assert remarks(expression, zone) == said


@pytest.mark.proves("N-20 words")
def test_a_remark_comes_true() -> None:
    seen = preview("30 2 * * *", NEW_YORK, "UTC", datetime(2026, 3, 7, 12, tzinfo=UTC), 1)
    assert seen.fires[0] == seen.remarks[0].at == datetime(2026, 3, 8, 7, tzinfo=UTC)


@pytest.mark.proves("N-20 words")
def test_a_time_without_a_zone_is_the_schedules() -> None:
    seen = preview("0 9 * * *", "", "Asia/Tokyo", datetime.fromisoformat("2026-03-07T09:00"), 1)
    assert seen.zone.key == "Asia/Tokyo"
    assert seen.fires == (datetime(2026, 3, 8, 0, tzinfo=UTC),)


@pytest.mark.proves("K-20 rule")
def test_nothing_left_before_the_end_of_the_calendar_is_said() -> None:
    with pytest.raises(Invalid) as caught:
        preview("0 0 1 1 *", "UTC", "UTC", datetime(9999, 6, 1, tzinfo=UTC), 5)
    assert caught.value.code == "cron_ended"


@pytest.mark.proves("B-018")
@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("0 */13 * * *", "It is not every 13 hours: each day begins anew at hour 0."),
        ("*/7 * * * *", "It is not every 7 minutes: each hour begins anew at minute 0."),
        ("0 0 */2 * *", "It is not every 2 days: each month begins anew at day 1."),
        ("*/15 */6 * * *", None),
        ("0 9-17/5 * * *", None),
        ("*/5,7 * * * *", None),
    ],
)
def test_a_step_that_begins_anew_before_it_is_over_is_said(
    expression: str, said: str | None
) -> None:
    found = [one for one in remarks(expression, "UTC") if "begins anew" in one]
    assert [one.removesuffix(" Look at the next fires.") for one in found] == [said] * bool(said)
