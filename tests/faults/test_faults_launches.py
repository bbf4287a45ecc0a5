"""An owner killed twenty times while it launches (B-091); the suite has a small one."""

import os
from pathlib import Path

import pytest
from kills.campaign import a_seed
from outside_house import House
from outside_launches import killed_in_launches

KILLS = int(os.environ.get("ROUNDTABLE_KILLS", "20"))


@pytest.mark.faults
@pytest.mark.timeout(1200)
@pytest.mark.proves("B-091")
def test_no_run_ever_has_two_agents_however_often_the_owner_dies(tmp_path: Path) -> None:
    house = House(tmp_path)
    try:
        killed_in_launches(house, KILLS, seed=a_seed())
    finally:
        house.close()
