"""Eight gigabytes that nobody allowed (F-37)."""

import psutil
import pytest
from hogging import MB, hog
from outside_house import House

pytestmark = pytest.mark.faults


@pytest.mark.timeout(300)
@pytest.mark.proves("F-37")
def test_a_hog_of_8_gb_is_ended_and_the_owner_does_not_feel_it(running: House) -> None:
    if psutil.virtual_memory().available < 10_000 * MB:
        pytest.skip("the machine has not so much to give")
    hogged = hog(running, 8000, 1000)
    print(hogged)
    assert hogged.run["outcome"] == "task_failed"
    assert 1000 * MB < hogged.used < 4000 * MB and hogged.owner < 50 * MB
