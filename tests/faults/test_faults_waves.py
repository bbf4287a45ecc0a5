"""Thousands of random graphs through the planner, and as whole missions: `dev.py faults`."""

import os
from pathlib import Path

import pytest
from random_missions import CHUNK, live_out
from wave_world import carry_out

GRAPHS = int(os.environ.get("ROUNDTABLE_GRAPHS", "2000"))
SEED = int(os.environ.get("ROUNDTABLE_SEED", "1"))


@pytest.mark.faults
@pytest.mark.timeout(1200)
@pytest.mark.proves("A-13", "A-14", "A-12")
@pytest.mark.parametrize("batches", [True, False], ids=["in waves", "one by one"])
def test_thousands_of_graphs_are_carried_out_by_the_law(batches: bool) -> None:
    carry_out(range(SEED, SEED + GRAPHS), batches=batches)


@pytest.mark.faults
@pytest.mark.timeout(1800)
@pytest.mark.proves("A-13", "A-14", "R-14", "A-36", "C-96", "W-03", "C-34")
@pytest.mark.parametrize("chunk", range(SEED, SEED + GRAPHS, CHUNK))
def test_thousands_of_missions_end_in_one_way_whatever_happens(tmp_path: Path, chunk: int) -> None:
    live_out(tmp_path / "stage", range(chunk, min(chunk + CHUNK, SEED + GRAPHS)))
