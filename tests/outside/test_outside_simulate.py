"""`roundtable simulate` says what the scheduler will do, and does nothing."""

import hashlib
from typing import Any

import pytest
from outside_clock import advance, instant, start
from outside_house import House, until
from outside_talk import demo, office, script, wakeups


def starts(seen: Any) -> list[Any]:
    return [one for one in seen["items"] if one["code"] == "foreseen_starts"]


TIDY = {"title": "Tidy up", "description": "Somewhere."}


def stored(house: House) -> list[str]:
    """What is on the disk of the database, with what is yet to be moved into it."""
    files = (house.home / f"roundtable.db{ending}" for ending in ("", "-wal"))
    return [hashlib.sha256(file.read_bytes()).hexdigest() for file in files]


@pytest.mark.slow
@pytest.mark.proves("N-04 waiting")
def test_what_is_foreseen_is_what_happens_and_nothing_is_changed(house: House) -> None:
    start(house, TZ="Asia/Tokyo")
    room = house.room()
    agent = demo(room, cooldown_sec=0, max_concurrent_sessions=3)
    lines = ("write a.txt x", "once", "crash 2")
    crashed = room.task("Crash once", agent, description=script(*lines))
    live = room.task("Live", agent, description=script("write b.txt x", "hang"))
    room.ended(crashed)
    room.live(live)
    until(lambda: wakeups(room, crashed)[0]["retry_count"] == 1)
    last = house.get("/status")["last_event"]
    before = stored(house)

    seen = house.cli("simulate", "--days", "1", "--json").json
    again = house.cli("simulate", "--days", "1", env={"TZ": "Asia/Tokyo"})

    assert house.get("/status")["last_event"] == last
    assert stored(house) == before
    (begins,) = starts(seen)
    assert instant(begins["at"]) >= instant(wakeups(room, crashed)[0]["scheduled_retry_at"])
    assert begins["sentence"] == f"demo starts T-{crashed['number']} “Crash once”, attempt 2."
    ends = [one["sentence"] for one in seen["items"] if one["code"] == "foreseen_ends"]
    assert ends == ["demo has ended T-2: done.", "demo has ended T-1: done."]
    assert "2026-04-25 12:4" in again.out and "demo starts T-1" in again.out
    advance(house, 200)
    second = room.ended(crashed, 2)
    apart = instant(second["created_at"]) - instant(begins["at"])
    assert abs(apart.total_seconds()) < 0.01
    assert second["outcome"] == "done"


@pytest.mark.slow
@pytest.mark.proves("N-04 waiting")
def test_where_nothing_waits_nothing_is_foreseen(house: House) -> None:
    done = house.cli("simulate")
    assert done.code == 3 and "No owner is running" in done.err
    house.start()
    room = house.room()
    assert house.cli("simulate", at=room.path).out == (
        "Nothing would happen by itself in that time.\n"
    )
    for days in ("0", "32", "x"):
        assert house.cli("simulate", "--days", days).code == 2
    body = {"days": 0.5, "workspace_id": "nothing-here"}
    assert house.program("POST", "/simulate", body).status == 422
    body["workspace_id"] = "nothinghere"
    assert house.program("POST", "/simulate", body).status == 404


@pytest.mark.slow
@pytest.mark.proves("N-04 waiting")
def test_routines_are_foreseen_with_what_each_instant_comes_to(house: House) -> None:
    start(house, TZ="UTC")
    room = house.room()
    schedule = {"kind": "schedule", "cron_expression": "0 * * * *", "timezone": "UTC"}
    idle, busy = demo(room, name="idle"), demo(room, name="busy")
    tidy = {"concurrency_policy": "skip_if_active", "task_template": TIDY}
    for name, agent, more in (("Look around", idle, {}), ("Tidy", busy, tidy)):
        routine = {"workspace_id": room.id, "name": name, "assignee_agent_id": agent}
        made = office(house, "POST", "", {**routine, "triggers": [schedule], **more})
        assert made.status == 201, made.text
    house.post(f"/agents/{busy}/pause", {})
    seen = house.cli("simulate", "--days", "0.1", "--json").json
    said = [one["sentence"] for one in seen["items"]]
    assert said.count("idle does not run (Look around): it has no task to do.") == 3
    assert "“Tidy” does not wake busy: the last one is not over yet." in said
    assert not any("None" in one or "_" in one for one in said)
    assert "idle_skipped" in {one["values"].get("outcome") for one in seen["items"]}
    assert said == told(house.cli("simulate", "--days", "0.1").out), "few are told each"
    often = told(house.cli("simulate", "--days", "1").out)
    each = told(house.cli("simulate", "--days", "1", "--all").out)
    assert len([one for one in often if "Look around" in one]) == 1
    assert "idle: 24 times “Look around” until " in "\n".join(often)
    assert len([one for one in each if "Look around" in one]) == 48


def told(printed: str) -> list[str]:
    """The sentences, without their times."""
    return [line.partition("  ")[2] for line in printed.splitlines()]
