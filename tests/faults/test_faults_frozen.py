"""An owner that stands still for minutes, as on a machine that sleeps, with the real clock."""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from outside_house import House, started, until
from outside_routines import made, schedule
from outside_talk import demo

STOOD = 130.0
FIRED = "SELECT scheduled_at, started_at, missed FROM office_routine_runs ORDER BY scheduled_at"


def fired(house: House) -> list[Any]:
    return house.query(FIRED)


@pytest.mark.faults
@pytest.mark.timeout(420)
@pytest.mark.proves("B-025")
def test_after_minutes_of_standing_still_what_is_overdue_comes_at_once(tmp_path: Path) -> None:
    with started(tmp_path) as house:
        room = house.room()
        agent = demo(room, skip_idle_wakeups=False, cooldown_sec=0)
        made(room, agent, triggers=[schedule("* * * * *")])
        assert house.owner is not None
        os.kill(house.owner.pid, signal.SIGSTOP)
        time.sleep(STOOD)  # it is the time that is slept
        before = len(fired(house))
        os.kill(house.owner.pid, signal.SIGCONT)
        until(lambda: len(fired(house)) >= before + 2, 60)
        late = fired(house)
        until(lambda: len(fired(house)) > len(late), 70)
        at, began, missed = fired(house)[-1]
        assert 0 <= began - at < 5_000_000, "the next one is in its time"
        assert missed is None or json.loads(missed).get("count", 0) == 0
        instants = [row[0] for row in fired(house)]
        assert instants == list(range(instants[0], at + 1, 60_000_000)), "each minute once"
