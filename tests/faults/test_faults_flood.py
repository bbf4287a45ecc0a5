"""A minute of an agent that prints as fast as it can, up to a hundred megabytes a second."""

import pytest
from flooding import check_kept, flood
from outside_house import House, started

pytestmark = pytest.mark.faults


@pytest.fixture
def house(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    with started(tmp_path_factory.mktemp("flood")) as house:
        yield house


@pytest.mark.timeout(400)
@pytest.mark.proves("F-39 flood", "G17")
def test_a_minute_of_a_hundred_megabytes_a_second(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    run, cost = flood(house, 100, 60)
    check_kept(house, run, cost)
    with capsys.disabled():
        print(f"\na flood: {cost}")
    assert cost.sent > 120e6, "it was never blocked for ever"
    assert cost.owner < 50e6 and cost.runner < 30e6, cost
    assert cost.p95 < 0.5, cost
