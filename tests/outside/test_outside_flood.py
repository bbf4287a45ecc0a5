"""An agent that prints five megabytes a second; alone here, for it takes its time."""

import pytest
from flooding import check_kept, flood
from outside_house import House


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.proves("F-39 flood", "F-39")
def test_a_hundred_megabytes_five_of_them_a_second(running: House) -> None:
    """Twice what may grow, and more than twice what is kept; more of it by `dev.py faults`."""
    run, cost = flood(running, 5, 240, least=100)
    check_kept(running, run, cost)
    print(cost)
    assert cost.sent > 99e6
    assert cost.owner < 50e6 and cost.runner < 30e6, cost
    assert len(cost.pages) > 40
