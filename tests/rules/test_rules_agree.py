"""What explain says of the queue is what the claim does next, in any state (N-03)."""

from pathlib import Path

import pytest
from queue_walks import agree

WALKS = 200
"""Four thousand states; ten thousand are walked through by `dev.py faults`."""


@pytest.mark.slow
@pytest.mark.proves("N-03", "N-03 why", "K-43", "K-53", "C-98", "C-22")
def test_what_explain_says_is_what_the_claim_does_in_any_state(tmp_path: Path) -> None:
    agree(tmp_path, WALKS)
