"""Zones: unknown ones are refused with a better name, old ones are taken, everywhere."""

import os
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.phrases import sentence
from roundtable_desktop.rules import zones
from roundtable_desktop.rules.cron import parse


def refused(name: str) -> Invalid:
    with pytest.raises(Invalid) as caught:
        zones.zone(name, pointer="/timezone")
    assert (caught.value.code, caught.value.pointer) == ("unknown_timezone", "/timezone")
    return caught.value


@pytest.mark.proves("B-009 rule")
@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("PST", "America/Los_Angeles"),
        ("Europe/Berlim", "Europe/Berlin"),
        ("berlin", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("São Paulo", "America/Sao_Paulo"),
        ("utc", "UTC"),
        ("America", "America/Merida"),
        ("../../etc/passwd", "Europe/Berlin"),
        ("posix/Europe/Berlin", "Europe/Berlin"),
        ("right/Asia/Tokyo", "Asia/Tokyo"),
        ("localtime", None),
        ("Factory", None),
        ("\0", "Europe/Berlin"),
        ("x" * 1_000_000, "Europe/Berlin"),
    ],
    ids=range(14),
)
def test_an_unknown_zone_is_refused_with_a_name_that_is_one(
    name: str, suggestion: str | None
) -> None:
    fault = refused(name)
    assert suggestion in (None, fault.values["suggestion"])
    assert zones.zone(str(fault.values["suggestion"]))
    said = sentence(fault.code, fault.values)
    assert f"“{name[:64]}”" in said and str(fault.values["suggestion"]) in said
    assert len(said) < 200


@pytest.mark.proves("B-009 rule")
@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_zone_is_the_callers(name: str) -> None:
    assert zones.zone(name, "Asia/Tokyo").key == "Asia/Tokyo"


_OLD_NAMES = """
from datetime import UTC, datetime
from roundtable_desktop.rules import zones
from roundtable_desktop.rules.cron import parse
for name in ("Asia/Calcutta", "America/Indianapolis", "US/Pacific"):
    print(parse("0 9 * * *").next(datetime(2026, 7, 1, tzinfo=UTC), zones.zone(name)))
"""


@pytest.mark.proves("B-011")
@pytest.mark.parametrize("system", ["", None], ids=["without the system's zones", "with them"])
def test_old_names_of_zones_are_taken(system: str | None) -> None:
    env = dict(os.environ) if system is None else os.environ | {"PYTHONTZPATH": system}
    done = subprocess.run(
        [sys.executable, "-c", _OLD_NAMES], env=env, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split("\n")[:3] == [
        "2026-07-01 03:30:00+00:00",
        "2026-07-01 13:00:00+00:00",
        "2026-07-01 16:00:00+00:00",
    ], done.stderr


@pytest.mark.proves("B-009 rule")
def test_the_zone_that_is_stated_rules() -> None:
    """A July morning in Paris is 07:00 in UTC, wherever the machine is."""
    paris = zones.zone("Europe/Paris")
    assert parse("0 9 * * *").next(datetime(2026, 7, 1, tzinfo=UTC), paris) == datetime(
        2026, 7, 1, 7, tzinfo=UTC
    )
