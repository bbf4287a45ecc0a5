"""Ten thousand states of the queue: `dev.py faults`."""

from pathlib import Path

import pytest
from queue_walks import agree


@pytest.mark.faults
@pytest.mark.timeout(1200)
@pytest.mark.proves("N-03", "N-03 why", "K-43", "K-53", "C-98", "C-22")
def test_what_explain_says_is_what_the_claim_does_in_ten_thousand_states(tmp_path: Path) -> None:
    agree(tmp_path, 520)
