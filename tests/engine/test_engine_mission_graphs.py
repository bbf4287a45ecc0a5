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


@pytest.mark.proves("A-13", "A-14")
def test_what_somebody_wants_to_go_first_may_be_begun_again_and_again(tmp_path: Path) -> None:
    """Graph 1367: its first tasks are retried, and the one that is drawn after them waits."""
    live_out(tmp_path / "stage", range(1367, 1368))
