"""What the dispatcher does with what it takes up is what the rows say, and what explain says."""

from pathlib import Path

import pytest
from judged_states import judged

STATES = 500
"""`dev.py faults` judges ten thousand."""


@pytest.mark.slow
@pytest.mark.proves("N-03", "K-29", "K-53", "C-98")
def test_what_explain_says_is_what_the_dispatcher_did_in_any_state(tmp_path: Path) -> None:
    judged(tmp_path, STATES, seed=0)
