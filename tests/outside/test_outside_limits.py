"""`roundtable parse-limit` from outside: no owner, no home, one JSON answer."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from outside_house import Person

NOW = ("--now", "2026-04-25T03:45:00Z")


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


def understood(person: Person, *words: str, given: str | bytes, tz: str = "UTC") -> Any:
    done = person.cli("parse-limit", *words, given=given, env={"TZ": tz})
    assert (done.code, done.err) == (0, "")
    assert not (person.root / "home").exists()
    return json.loads(done.out)


@pytest.mark.proves("K-32", "K-31")
def test_the_seeds_example_as_json(person: Person) -> None:
    text = "rate_limit_error: resets at 4:00 AM UTC\n"
    assert understood(person, *NOW, given=text, tz="Asia/Tokyo") == {
        "kind": "limit",
        "reset_at": "2026-04-25T04:00:00.000000Z",
        "retry_at": "2026-04-25T04:00:30.000000Z",
        "matched": "rate_limit_error: resets at 4:00 AM UTC",
    }


@pytest.mark.slow
@pytest.mark.proves("C-12")
@pytest.mark.parametrize(("words", "hour"), [((), "10:00"), (("--tz", "Asia/Kolkata"), "13:30")])
def test_a_clock_without_a_zone_is_this_machines(
    person: Person, words: tuple[str, ...], hour: str
) -> None:
    text = "You\N{RIGHT SINGLE QUOTATION MARK}ve hit your usage limit. Try again at 7:00 PM."
    answer = understood(person, *NOW, *words, given=text, tz="Asia/Tokyo")
    assert answer["reset_at"] == f"2026-04-25T{hour}:00.000000Z"


@pytest.mark.proves("K-32")
def test_without_a_time_it_is_now(person: Person) -> None:
    begun = datetime.now(UTC)
    answer = understood(person, given="Retry-After: 3600")
    took = datetime.fromisoformat(answer["retry_at"]) - begun - timedelta(seconds=3630)
    assert timedelta() <= took < timedelta(seconds=60)


@pytest.mark.slow
@pytest.mark.proves("C-12", "C-38 rule", "F-33 rule")
@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ("error at line 429 of foo.py", "not_a_limit"),
        (bytes(range(256)) * 4_000, "not_a_limit"),
        ("API Error: 529 Overloaded", "overloaded"),
        ("Credit balance is too low", "incurable"),
    ],
    ids=["a line number", "a megabyte of all bytes", "overloaded", "billing"],
)
def test_each_kind_has_all_four_fields(person: Person, given: str | bytes, kind: str) -> None:
    answer = understood(person, *NOW, given=given)
    assert answer.pop("matched") is None or kind != "not_a_limit"
    assert answer == {"kind": kind, "reset_at": None, "retry_at": None}


@pytest.mark.proves("K-32")
@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--now", "yesterday", "is no time; write it as"),
        ("--now", "2026-04-25T03:45:00", "say its zone"),
        ("--now", "9999-12-31T23:59:59Z", "that year"),
        ("--tz", "Mars/Base", "Use one such as"),
    ],
)
def test_a_bad_option_is_named(person: Person, option: str, value: str, said: str) -> None:
    done = person.cli("parse-limit", option, value, given="429")
    assert (done.code, done.out) == (2, "")
    assert (option in done.err or value in done.err) and said in done.err
