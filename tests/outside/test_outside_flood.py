"""A minute of an agent that prints five megabytes a second; alone here, for it takes that long."""

import pytest
from flooding import check_kept, flood
from outside_house import House


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.proves("F-39 flood", "F-39")
def test_a_minute_of_five_megabytes_a_second(running: House) -> None:
    run, cost = flood(running, 5, 60)
    check_kept(running, run, cost)
    print(cost)
    assert cost.sent > 60e6
    assert cost.owner < 50e6 and cost.runner < 30e6, cost
    assert len(cost.pages) > 40
