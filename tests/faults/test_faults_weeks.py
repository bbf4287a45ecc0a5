"""More hard weeks and random ones: `dev.py faults [--seed N]`, of the seeds from that one on."""

import os
from pathlib import Path

import pytest
from calm_week import lived_as_foreseen
from hard_week import lived_through
from random_weeks import lived

FIRST = int(os.environ.get("ROUNDTABLE_SEED", "1"))
WEEKS = 10
PARTS, OF_A_PART = 10, 200
"""Two thousand random weeks, of which the suite has forty."""


@pytest.mark.faults
@pytest.mark.timeout(600)
@pytest.mark.proves("week")
@pytest.mark.parametrize("seed", range(FIRST, FIRST + WEEKS))
def test_every_instant_and_delivery_of_another_hard_week_is_accounted_for_once(
    tmp_path: Path, seed: int
) -> None:
    lived_through(tmp_path, seed, busy=True)


@pytest.mark.faults
@pytest.mark.timeout(1200)
@pytest.mark.proves("simulated")
@pytest.mark.parametrize("part", range(PARTS))
def test_two_thousand_random_weeks_end_every_wakeup_once(tmp_path: Path, part: int) -> None:
    first = FIRST + part * OF_A_PART
    assert lived(tmp_path, range(first, first + OF_A_PART)) > OF_A_PART / 2


@pytest.mark.faults
@pytest.mark.proves("N-04 waiting", "week")
def test_what_was_foreseen_of_a_calm_week_is_what_happens(tmp_path: Path) -> None:
    lived_as_foreseen(tmp_path, days=7)
