"""Where the first systems failed at seed 001, and this one must not: seen from outside."""

from datetime import timedelta
from typing import Any

import pytest
from outside_clock import advance, instant
from outside_house import Room, until
from outside_routines import made, schedule
from outside_seed import present, worker
from outside_talk import office, script

DAYS = 22
ODD = "30 9 13 * 7"
"""Sundays, and the 13th: by another reading only a 13th that is a Sunday, or never."""


def minutes(moments: list[Any]) -> list[str]:
    return [f"{instant(at):%Y-%m-%dT%H:%M}" for at in moments]


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.proves("K-20", "K-20 cron", "N-04 waiting")
def test_a_schedule_is_read_alike_wherever_it_is_read(stage: Room) -> None:
    """Failure 7 of the first systems: two crons of different meaning lived in one program (and 11:
    a day of the month AND a weekday; 7 was no Sunday)."""
    house, now = stage.house, present(stage.house)
    routine = made(stage, worker(stage), triggers=[schedule(ODD, "UTC")])
    words = ("cron", ODD, "--tz", "UTC", "--from", now.isoformat(), "--json")
    said = minutes([one["at"] for one in house.cli(*words).json["fires"]])
    assert len(said) == 5 and minutes([one["at"] for one in routine["next_fires"]]) == said
    end = now + timedelta(days=DAYS)
    coming = [at for at in said if at < f"{end:%Y-%m-%dT%H:%M}"]
    assert len(coming) >= 3
    asked = {"days": DAYS, "workspace_id": stage.id}
    foreseen = house.post("/simulate", asked)["items"]
    assert sorted({at for one in foreseen for at in minutes([one["at"]])}) == coming
    for _ in range(DAYS):
        advance(house, 86_400)
    firings = office(house, "GET", f"/{routine['id']}").json["recent_runs"]
    assert sorted(minutes([one["scheduled_at"] for one in firings])) == coming


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.proves("K-41", "C-32", "W-26")
def test_a_cancellation_of_what_is_over_changes_nothing(stage: Room) -> None:
    """Failure 13 of the first systems: a run that had finished closed the checkout of another one,
    and a cancellation wrote over what had finished."""
    words = script("ask Shall I go on?", "write it.txt done", "once", "fail task_failed Not yet")
    task = stage.task("Twice", worker(stage), description=words)
    asked: dict[str, Any] = {"kind": "permission", "status": "open", "workspace_id": stage.id}

    def answer() -> Any:
        (item,) = until(lambda: stage.house.get("/inbox", **asked)["items"])
        stage.house.post(f"/inbox/{item['id']}/act", {"action": "allow_once"})
        return item

    answer()
    first = stage.ended(task)
    second = stage.live(task)
    until(lambda: stage.house.get("/inbox", **asked)["items"])
    holder = f"SELECT run_id FROM leases WHERE kind = 'task' AND key = '{task['id']}'"
    for path in (f"/runs/{first['id']}", f"/wakeups/{first['wakeup_id']}"):
        before = stage.house.get(path)
        assert stage.house.program("POST", f"{path}/cancel", {}).status == 409
        assert stage.house.get(path) == before
    assert stage.house.query(holder) == [(second["id"],)]
    answer()
    assert stage.ended(task, 2)["outcome"] == "done"
    assert stage.house.query(holder) == []
