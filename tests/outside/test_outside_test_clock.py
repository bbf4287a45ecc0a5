"""A test clock stands until it is moved, and moves from one due instant to the next."""

import signal
from datetime import timedelta
from typing import Any

import pytest
from outside_clock import NOW, advance, instant, move, moved, start
from outside_house import Browser, House, Room, alive, until
from outside_talk import comment, demo, office, script, status, wakeups

MINUTES = (2, 10, 30, 120)


@pytest.fixture
def still(house: House) -> House:
    start(house, TZ="UTC")
    return house


def retried(room: Room, task: object, count: int) -> str:
    """Until its wakeup waits for retry number `count`; for when."""

    def look() -> str | None:
        (wakeup,) = wakeups(room, task)
        due = wakeup["status"] == "queued" and wakeup["retry_count"] == count
        return str(wakeup["scheduled_retry_at"]) if due else None

    due = until(look)
    assert due is not None
    return due


@pytest.mark.slow
@pytest.mark.proves("test clock")
def test_without_the_variable_there_is_no_such_route(room: Room) -> None:
    answer = moved(room.house, {"advance": 1})
    assert answer.status == 404
    assert "/api/v1/test/clock" not in room.house.get("/openapi.json")["paths"]
    assert room.house.get("/status")["test_clock"] is None
    assert "Test clock" not in room.house.cli("status").said


BAD_MOVES: tuple[object, ...] = (
    {},
    {"advance": 1, "sleep": 1},
    {"advance": -1},
    {"advance": "1"},
    {"advance": 1e300},
    {"advance": True},
    {"now": "2026-04-25T03:45:00"},
    {"now": "yesterday"},
    {"now": "9999-01-01T00:00:00Z"},
    {"backwards": 1},
)


@pytest.mark.slow
@pytest.mark.proves("test clock")
def test_bad_moves_are_refused_and_move_nothing(still: House) -> None:
    before = still.get("/status")["test_clock"]
    told = {str(body): moved(still, body).status for body in BAD_MOVES}
    assert set(told.values()) == {422}, told
    assert still.get("/status")["test_clock"] == before
    move(still, sleep=3_155_760_000)
    late = still.get("/status")["test_clock"]
    assert late.startswith("2126")
    assert moved(still, {"advance": 3_155_760_000, "now": None}).status == 422
    assert still.get("/status")["test_clock"] == late


@pytest.mark.slow
@pytest.mark.proves("test clock")
def test_it_stands_is_warned_of_and_is_put_only_before_any_work(still: House) -> None:
    assert move(still, now="2031-01-01T00:00:00Z")["now"] == "2031-01-01T00:00:00.000000Z"
    back = move(still, now=NOW)
    assert back == {
        "now": "2026-04-25T03:45:00.000000Z",
        "fired": 0,
        "claimed": 0,
        "settled": True,
    }
    room = still.room()
    task = room.task("Work", demo(room))
    assert room.ended(task)["outcome"] == "done"
    for seen in (still.run(room.ended(task)["id"])["started_at"], task["created_at"]):
        assert instant(seen) - instant(NOW) < timedelta(seconds=1)
    refused = moved(still, {"now": NOW})
    assert (refused.status, refused.json["code"]) == (409, "clock_has_worked")
    assert "Test clock: time stands still at 2026-04-25 03:45:00Z" in still.cli("status").err


def two_looks_are_told_apart(room: Room, task: Any) -> None:
    """The gates when it was taken up, and what keeps it from that now."""
    told = room.house.cli("explain", "task", "T-1", at=room.path).out.splitlines()
    before, now = told.index("    Taken up 2026-04-25 03:45:00Z:"), told.index("    Now:")
    assert told[now - 1] == "    ok The agent was started." and before < now
    assert "It waits until" in told[-1]
    page = Browser(room.house).ask("GET", f"/tasks/{task['id']}").text
    assert page.count('class="gates"') == 2
    assert page.index("Taken up") < page.index("Now:")


@pytest.mark.slow
@pytest.mark.proves("B-072", "test clock", "N-03")
def test_a_crash_is_tried_at_two_ten_thirty_and_120_minutes_and_then_no_more(still: House) -> None:
    room = still.room()
    task = room.task("Crash", demo(room, cooldown_sec=10), description=script("crash 2"))
    for number, minutes in enumerate(MINUTES, 1):
        room.ended(task, number)
        due = instant(retried(room, task, number)) - instant(still.get("/status")["test_clock"])
        if number == 1:
            two_looks_are_told_apart(room, task)
        assert timedelta(minutes=minutes) <= due <= timedelta(minutes=minutes * 1.25 + 0.01)
        assert advance(still, minutes * 60 - 1)["claimed"] == 0
        assert advance(still, minutes * 15 + 2)["claimed"] == 1
    last = room.ended(task, 5)
    until(lambda: wakeups(room, task)[0]["status"] == "failed")
    assert advance(still, 86_400) == {
        "now": still.get("/status")["test_clock"],
        "fired": 0,
        "claimed": 0,
        "settled": True,
    }
    assert len(still.get(f"/tasks/{task['id']}/attempts")["items"]) == 5
    assert (wakeups(room, task)[0]["outcome"], status(room, task)) == ("exhausted", "interrupted")
    assert [one["kind"] for one in still.get("/inbox")["items"]] == ["agent.error"]
    assert not any(alive(one["pid"]) for one in last["processes"])
    told = still.cli("explain", "task", "T-1", at=room.path).out
    assert "failed five times" in told and "broken off" not in told
    page = Browser(still).ask("GET", f"/tasks/{task['id']}").text
    assert "failed five times" in page and "broken off" not in page


@pytest.mark.slow
@pytest.mark.proves("test clock")
def test_a_window_and_a_cooldown_end_when_the_clock_says_so(still: House) -> None:
    still.program("PATCH", "/settings", {"coalescing_window_sec": 20})
    room = still.room()
    first = room.task("First", demo(room, cooldown_sec=300))
    room.ended(first)
    comment(room, first, "One more")
    comment(room, first, "And another")
    assert advance(still, 19)["claimed"] == 0
    assert advance(still, 280)["claimed"] == 0, "the agent rests"
    assert advance(still, 2)["claimed"] == 1
    room.ended(first, 2)
    assert len(wakeups(room, first, "comment")) == 2, "the two comments are one run"


@pytest.mark.slow
@pytest.mark.proves("test clock")
def test_the_answer_counts_what_fired_on_the_way(still: House) -> None:
    room = still.room()
    routine = {
        "workspace_id": room.id,
        "name": "Look around",
        "assignee_agent_id": demo(room),
        "triggers": [
            {"kind": "schedule", "cron_expression": "*/5 * * * *", "timezone": "UTC"},
        ],
    }
    assert office(still, "POST", "", routine).status == 201
    assert advance(still, 200)["fired"] == 0
    assert advance(still, 901)["fired"] == 3


@pytest.mark.slow
@pytest.mark.proves("B-035", "test clock")
def test_what_waited_at_a_kill_is_taken_up_once_each_and_time_goes_on(still: House) -> None:
    room = still.room()
    agent = demo(room, cooldown_sec=0, max_concurrent_sessions=9)
    crashing = room.task("Crash", agent, description=script("write a.txt x", "once", "crash 2"))
    limited = room.task(
        "Limited",
        demo(room, "limited", cooldown_sec=0),  # its account alone waits
        description=script("write b.txt x", "once", "limit usage limit, try again in 30 minutes"),
    )
    talk = room.task("Talk", agent)
    for task in (crashing, limited, talk):
        room.ended(task)
    retried(room, crashing, 1)
    still.program("PATCH", "/settings", {"coalescing_window_sec": 120})
    comment(room, talk, "Hear me")
    advance(still, 60)
    before = still.get("/status")["test_clock"]
    still.end(signal.SIGKILL)
    start(still, None)
    assert still.get("/status")["test_clock"] == before
    advance(still, 900)
    for task in (crashing, talk):
        assert room.ended(task, 2)["outcome"] == "done"
    assert len(still.get(f"/tasks/{limited['id']}/attempts")["items"]) == 1
    advance(still, 930)
    assert room.ended(limited, 2)["outcome"] == "done"
    starts = [instant(room.ended(task, 2)["started_at"]) for task in (crashing, talk, limited)]
    assert starts[1] < starts[0] < starts[2], "each at its own time"
    for task in (crashing, limited, talk):
        assert len(still.get(f"/tasks/{task['id']}/attempts")["items"]) == 2


@pytest.mark.slow
@pytest.mark.proves("test clock")
def test_a_sleep_of_hours_loses_no_live_run_and_wakes_what_is_late(still: House) -> None:
    room = still.room()
    agent = demo(room, max_concurrent_sessions=9, cooldown_sec=0, hard_timeout_sec=600)
    live = room.task("Live", agent, description=script("sleep 3", "write a.txt done"))
    late = room.task("Late", agent, description=script("write b.txt x", "once", "crash 2"))
    room.live(live)
    room.ended(late)
    retried(room, late, 1)
    slept = move(still, sleep=9 * 3600)
    assert (slept["claimed"], slept["settled"]) == (1, True)
    assert room.ended(live)["outcome"] == "done"
    assert room.ended(late, 2)["outcome"] == "done"
    kinds = [one["kind"] for one in still.get("/events", after=0)["items"]]
    assert "agent.lost" not in kinds


@pytest.mark.slow
@pytest.mark.proves("test clock", "W-30 keys")
def test_the_same_request_moves_the_clock_once(still: House) -> None:
    first = moved(still, {"advance": 60}, Idempotency_Key="k1")
    again = moved(still, {"advance": 60}, Idempotency_Key="k1")
    assert (first.status, first.json) == (200, again.json)
    other = moved(still, {"advance": 61}, Idempotency_Key="k1")
    assert (other.status, other.json["code"]) == (409, "key_reused")
    assert move(still, advance=0)["now"] == first.json["now"]


@pytest.mark.slow
@pytest.mark.proves("test clock")
def test_after_a_restart_the_clock_stands_where_it_stood_and_stamps_rise(still: House) -> None:
    room = still.room()
    room.ended(room.task("One", demo(room, cooldown_sec=0)))
    advance(still, 100.5)
    still.end()
    start(still, None)
    assert still.get("/status")["test_clock"] == "2026-04-25T03:46:40.500000Z"
    put = "(SELECT min(id) FROM events WHERE kind = 'clock.moved')"
    stamps = [at for (at,) in still.query(f"SELECT at FROM events WHERE id >= {put} ORDER BY id")]
    assert stamps == sorted(stamps)


@pytest.mark.slow
@pytest.mark.proves("test clock")
def test_every_page_warns_of_it_and_a_browser_stays_signed_in(still: House) -> None:
    browser = Browser(still)
    move(still, sleep=40 * 86_400)
    for page in (browser.ask("GET", "/"), browser.ask("GET", "/nowhere"), still.ask("GET", "/")):
        assert "Test clock: time stands still at 2026-06-04 03:45:00Z" in page.text
    assert browser.ask("GET", "/").status == 200


@pytest.mark.slow
@pytest.mark.proves("test clock", "F-31", "K-20")
def test_a_routine_fires_as_time_goes_by_and_across_a_change_of_the_clock(still: House) -> None:
    """Daily at 02:30 in Berlin, in the night in which that hour comes twice, and the nights around
    it; the clock is put there after the routine was made."""
    room = still.room()
    daily = {"kind": "schedule", "cron_expression": "30 2 * * *", "timezone": "Europe/Berlin"}
    body = {
        "workspace_id": room.id,
        "name": "Nightly",
        "assignee_agent_id": demo(room, cooldown_sec=0, skip_idle_wakeups=False),
        "triggers": [daily],
    }
    made = office(still, "POST", "", body)
    assert made.status == 201, made.text
    move(still, now="2026-10-23T22:00:00Z")
    assert sum(advance(still, 86_400)["fired"] for _ in range(3)) == 3
    firings = office(still, "GET", f"/{made.json['id']}").json["recent_runs"]
    at = sorted(one["scheduled_at"] for one in firings)
    assert [one[:16] for one in at] == [
        "2026-10-24T00:30",
        "2026-10-25T00:30",
        "2026-10-26T01:30",
    ]
    assert move(still, sleep=9 * 3600)["fired"] == 1, "that of the night that was slept through"


@pytest.mark.slow
@pytest.mark.proves("C-83", "test clock")
def test_a_span_until_a_wake_is_counted_on_the_owners_clock(still: House) -> None:
    room = still.room()
    demo(room, "ada")
    later = still.cli("agent", "wake", "ada", "--at", "2h", "--json", at=room.path).json
    assert instant(later["scheduled_retry_at"]) - instant(still.get("/status")["test_clock"]) == (
        timedelta(hours=2)
    )
    early = (instant(NOW) - timedelta(days=1)).isoformat()
    late = still.cli("agent", "wake", "ada", "--at", early, at=room.path)
    assert "That time has passed, so it is woken now." in late.err
    refused = still.cli("agent", "wake", "ada", "--at", "tomorrow", at=room.path)
    assert refused.code == 2 and "2h" in refused.err
