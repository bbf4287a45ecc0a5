"""An agent that is woken before the network is back, right after a sleep."""

from datetime import timedelta

import pytest
from outside_clock import advance, instant, move, start
from outside_house import House, until
from outside_routines import made, schedule
from outside_talk import office, wakeups

CURL = """
if test -e {net}; then echo fetched > a.txt; else
    echo "curl: (6) Could not resolve host: api.example.org" >&2; exit 6; fi
"""


@pytest.mark.slow
@pytest.mark.proves("B-026")
def test_a_run_that_the_network_failed_after_a_sleep_is_tried_in_two_minutes_and_asks_nobody(
    house: House,
) -> None:
    start(house, TZ="UTC")
    room, net = house.room(), house.root / "net"
    chair = room.agent("true", name="chair", role="coordinator")
    agent = room.shell(CURL.format(net=net))
    heavy = {"title": "Fetch", "description": "Fetch it."}
    daily = made(room, agent, triggers=[schedule("0 5 * * *", "UTC")], task_template=heavy)
    move(house, sleep=8 * 3600)

    def fired() -> str | None:
        found = office(house, "GET", f"/{daily['id']}").json["recent_runs"]
        return found[0]["linked_task_id"] if found else None

    task = {"id": until(fired)}
    first = room.ended(task)
    assert (first["outcome"], first["error"]["kind"]) == ("crashed", "network")
    assert "Could not resolve host" in first["error"]["text"]
    why = house.get(f"/runs/{first['id']}/explain")
    assert "the network did not work" in why["sentence"]
    (waits,) = until(lambda: [one for one in wakeups(room, task) if one["status"] == "queued"])
    assert (waits["held_by"], waits["retry_count"]) == ("retry", 1)
    step = instant(waits["scheduled_retry_at"]) - instant(house.get("/status")["test_clock"])
    assert timedelta(minutes=2) <= step <= timedelta(minutes=2.5)
    assert house.get("/inbox", workspace_id=room.id)["items"] == []
    woken = house.get("/wakeups", agent_id=chair)["items"]
    assert "agent_error" not in {one["source"] for one in woken}
    assert house.get(f"/tasks/{task['id']}")["status"] == "in_progress"
    net.write_text("up")
    advance(house, 151)
    assert room.ended(task, 2)["outcome"] == "done"
    assert {one["kind"] for one in house.get("/inbox")["items"]} <= {"proposal"}
