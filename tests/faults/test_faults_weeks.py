"""More hard weeks: `dev.py faults [--seed N]`, of ten seeds from that one on."""

import os
from pathlib import Path

import pytest
from hard_week import lived_through

FIRST = int(os.environ.get("ROUNDTABLE_SEED", "1"))
WEEKS = 10


@pytest.mark.faults
@pytest.mark.proves("week")
@pytest.mark.parametrize("seed", range(FIRST, FIRST + WEEKS))
def test_every_due_instant_of_another_hard_week_is_accounted_for_once(
    tmp_path: Path, seed: int
) -> None:
    lived_through(tmp_path, seed)
