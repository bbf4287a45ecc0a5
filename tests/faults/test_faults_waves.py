"""Thousands of random graphs through the planner: `dev.py faults`."""

import os

import pytest
from wave_world import carry_out

GRAPHS = int(os.environ.get("ROUNDTABLE_GRAPHS", "2000"))
SEED = int(os.environ.get("ROUNDTABLE_SEED", "1"))


@pytest.mark.faults
@pytest.mark.timeout(1200)
@pytest.mark.proves("A-13", "A-14", "A-12")
@pytest.mark.parametrize("batches", [True, False], ids=["in waves", "one by one"])
def test_thousands_of_graphs_are_carried_out_by_the_law(batches: bool) -> None:
    carry_out(range(SEED, SEED + GRAPHS), batches=batches)
