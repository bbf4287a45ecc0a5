"""Ten thousand random states of the queue: `dev.py faults [--seed N]`."""

import os
from pathlib import Path

import pytest
from judged_states import judged

STATES = 10_000
SEED = int(os.environ.get("ROUNDTABLE_SEED", "1"))


@pytest.mark.faults
@pytest.mark.timeout(600)
@pytest.mark.proves("N-03", "K-29", "K-53", "C-98")
def test_what_explain_says_is_what_the_dispatcher_did_in_ten_thousand_states(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = judged(tmp_path, STATES, SEED)
    with capsys.disabled():
        print("\n" + ", ".join(f"{gate} {how} {count}" for (gate, how), count in seen.items()))
