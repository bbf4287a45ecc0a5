"""A week in four zones across a change of the clock: every due instant and every delivery once,
with a reason."""

from pathlib import Path

import pytest
from calm_week import lived_as_foreseen
from hard_week import lived_through


@pytest.mark.slow
@pytest.mark.proves("week")
def test_every_due_instant_of_a_hard_week_is_accounted_for_once(tmp_path: Path) -> None:
    lived_through(tmp_path, seed=0)


@pytest.mark.slow
@pytest.mark.proves("N-04 waiting", "week")
def test_what_was_foreseen_of_three_calm_days_is_what_happens(tmp_path: Path) -> None:
    lived_as_foreseen(tmp_path, days=3)
