"""What a schedule means and what of it was missed is seen without asking for it."""

import pytest
from outside_clock import move, start
from outside_house import Browser, House, Room
from outside_pages import got
from outside_routines import made, schedule
from outside_talk import demo, office


@pytest.mark.slow
@pytest.mark.proves("B-018")
def test_a_step_that_does_not_divide_the_day_is_shown_by_its_next_fires(room: Room) -> None:
    house, at = room.house, room.path
    demo(room, "ada")
    uneven = "It is not every 13 hours: each day begins anew at hour 0."
    seen = house.cli("cron", "0 */13 * * *", "--tz", "UTC", "--from", "2026-06-01T20:00")
    hours = [line.split()[-1] for line in seen.out.splitlines() if line.startswith(("Mon", "Tue"))]
    assert hours[:2] == ["00:00", "13:00"]
    assert sum(line.count("UTC  2026-06-0") for line in seen.out.splitlines()) == 5
    assert uneven in seen.out
    cron = ("--cron", "0 */13 * * *", "--tz", "UTC")
    added = house.cli("routine", "add", "Thirteen", *cron, at=at)
    assert added.code == 0 and uneven in added.err
    fires = [line.split()[2] for line in added.out.splitlines() if line.rstrip().endswith(":00Z")]
    assert len(fires) == 5 and {*fires} == {"00:00", "13:00"}
    even = house.cli("routine", "edit", "Thirteen", "--cron", "0 */12 * * *", at=at)
    assert "Changed Thirteen" in even.out and "It is not every" not in even.err
    assert sum(line.rstrip().endswith(":00Z") for line in even.out.splitlines()) == 5
    (routine,) = office(house, "GET", f"?workspace_id={room.id}").json["items"]
    page = got(Browser(house), f"/routines/{routine['id']}").text
    shown = office(house, "GET", f"/{routine['id']}").json["next_fires"]
    assert len(shown) == 5 and all(one["words"] in page for one in shown)


@pytest.mark.slow
@pytest.mark.proves("B-027", "C-40")
def test_three_nights_that_were_slept_over_are_told_with_their_times(house: House) -> None:
    start(house, TZ="UTC")
    room = house.room()
    nightly = made(
        room,
        demo(room, skip_idle_wakeups=False),
        name="Nightly",
        catch_up_policy="skip_missed",
        triggers=[schedule("0 3 * * *", "UTC")],
    )
    for _ in range(3):
        now = house.get("/status")["test_clock"]
        hours = (26 - int(now[11:13])) % 24
        move(house, advance=hours * 3600 - int(now[14:16]) * 60)
        move(house, sleep=6 * 3600)
    times = [f"2026-04-{day} 03:00:00Z" for day in (26, 27, 28)]
    seen = office(house, "GET", f"/{nightly['id']}").json
    assert [one["reason"] for one in seen["recent_runs"]] == ["missed"] * 3
    spans = {name: seen["missed"][name][:16] for name in ("first", "last")}
    assert spans == {"first": "2026-04-26T03:00", "last": "2026-04-28T03:00"}
    assert seen["missed"]["count"] == 3
    shown = house.cli("routine", "show", "Nightly", at=room.path).out
    assert all(f"missed on {one}" in shown for one in times)
    hint = f"missed 3 times, {times[0]} to {times[-1]}"
    assert hint in shown and hint in house.cli("routine", "list", at=room.path).out
    browser = Browser(house)
    page = got(browser, f"/routines/{nightly['id']}").text
    assert "missed 3 times:" in page and "Nobody looked when it was due" in page
    assert all(f"{day} Apr 03:00" in page for day in (26, 27, 28))
    assert "missed 3 times:" in got(browser, "/routines").text
    move(house, advance=19 * 3600)
    assert office(house, "GET", f"/{nightly['id']}").json["missed"] is None
    assert "missed" not in house.cli("routine", "list", at=room.path).out
