"""`roundtable cron` as a person and a program have it: no owner, no home."""

import json
from pathlib import Path

import pytest
from outside_house import Person

SPRING = ("--tz", "America/New_York", "--from", "2026-03-07T12:00:00-05:00")


@pytest.mark.proves("K-20 cron")
def test_a_program_gets_words_and_fires_without_an_owner(tmp_path: Path) -> None:
    done = Person(tmp_path).cli("cron", "30 2 * * *", *SPRING, "--count", "2", "--json")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == {
        "words": "At 02:30 every day",
        "fires": [
            {"at": "2026-03-08T07:00:00Z", "local": "2026-03-08T03:00:00-04:00"},
            {"at": "2026-03-09T06:30:00Z", "local": "2026-03-09T02:30:00-04:00"},
        ],
    }
    assert not (tmp_path / "home").exists()


@pytest.mark.proves("K-20 cron", "N-20 words")
def test_a_person_gets_a_table_and_what_the_clock_does(tmp_path: Path) -> None:
    done = Person(tmp_path).cli("cron", "30 2 * * *", *SPRING)
    lines = done.out.splitlines()
    assert lines[0] == "At 02:30 every day (America/New_York)"
    assert lines[2].split() == ["LOCAL", "UTC"]
    assert lines[3] == "Sun 2026-03-08 03:00 EDT  2026-03-08 07:00"
    assert len(lines) == 3 + 5 + 2
    assert lines[-1] == "02:30 does not exist on 2026-03-08: it fires at 03:00 instead."


@pytest.mark.proves("K-20 cron", "S-63 cron", "B-009 rule")
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["0 0 31 2 *"], "“0 0 31 2 *” never fires: no year has such a day."),
        (["60 * * * *"], "“60” is not a minute."),
        (["@reboot"], "“@reboot” is not a schedule."),
        (["* * * *"], "this one has 4."),
        ([""], "this one has 0."),
        (["1," * 10_000 + "1 * * * *"], "at most 500 characters"),
        (["0 0 1 1 *", "--from", "9999-06-01T00:00:00Z"], "does not fire any more"),
        (["@daily", "--tz", "Europe/Berlim"], "such as Europe/Berlin."),
        (["@daily", "--from", "soon"], "is no time; write it as"),
        (["@daily", "--count", "0"], "0"),
        (["\x1b[31m * * * *"], "is not a minute"),
    ],
    ids=range(11),
)
def test_a_refusal_says_why(tmp_path: Path, words: list[str], why: str) -> None:
    done = Person(tmp_path).cli("cron", *words)
    assert (done.code, done.out) == (2, "")
    assert why in done.err


@pytest.mark.proves("K-20 cron")
def test_the_machines_zone_is_the_default(tmp_path: Path) -> None:
    done = Person(tmp_path).cli(
        "cron", "0 9 * * *", "--from", "2026-07-01T09:00", "--count", "1", env={"TZ": "Asia/Tokyo"}
    )
    assert "(Asia/Tokyo)" in done.out and "Thu 2026-07-02 09:00 JST" in done.out
