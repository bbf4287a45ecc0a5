"""A few random graphs with random failures; `dev.py faults` takes two thousand."""

import os
from pathlib import Path

import pytest
from random_missions import CHUNK, live_out

GRAPHS = int(os.environ.get("ROUNDTABLE_GRAPHS", "6"))


@pytest.mark.slow
@pytest.mark.proves("A-13", "A-14", "R-14", "A-36", "C-96", "W-03", "C-34")
@pytest.mark.parametrize("chunk", range(0, GRAPHS, CHUNK))
def test_random_missions_end_in_one_way_whatever_happens(tmp_path: Path, chunk: int) -> None:
    live_out(tmp_path / "stage", range(chunk, min(chunk + CHUNK, GRAPHS)))
