"""Wakeups, runs, what happened, settings and the doctor on their pages, by plain forms."""

import csv
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from outside_house import Browser, House, Room, until
from outside_pages import Form, Page, got, send, sent
from outside_talk import demo, script


@pytest.fixture(scope="module")
def browser(shared: House) -> Browser:
    return Browser(shared)


def filled(form: Form, **typed: str) -> dict[str, str]:
    """Every field as a browser sends it: as it was shown, but for what is typed."""
    names = [name.removeprefix("was_") for name in form.fields if name.startswith("was_")]
    return {name: form.fields[f"was_{name}"] for name in names} | typed


# --- wakeups --------------------------------------------------------------------------------------


@pytest.mark.proves("E-03 wakeups", "K-63 badges")
def test_a_wakeup_is_listed_explained_and_taken_back(room: Room, browser: Browser) -> None:
    house, agent = room.house, demo(room, "chair")
    at = datetime.now(UTC) + timedelta(days=99)
    later = {"context": "Water the plants.", "at": f"{at:%Y-%m-%dT%H:%M:%SZ}"}
    woken = house.post(f"/agents/{agent}/wake", later)
    place = f"/wakeups?status=queued&source=user&agent={agent}&workspace={room.id}"
    listed = got(browser, place)
    assert f"/wakeups/{woken['id']}" in listed.links
    assert (
        "Woken by: a person (you woke it)" in listed.text
        and f"Next tried: {at.day} {at:%b}" in listed.text
    )
    one = got(browser, f"/wakeups/{woken['id']}")
    assert "Water the plants." in one.text and "It waits until" in one.text
    gone = sent(browser, listed.form(f"/wakeups/{woken['id']}/cancel"))
    assert "It was taken back" in gone.text and "No wakeups match these 4 filters." in gone.text
    assert "Cancelled - by you" in got(browser, f"/wakeups/{woken['id']}").text
    again = send(browser, one.form(f"/wakeups/{woken['id']}/cancel"))
    assert again.status == 409 and "cannot be cancelled" in again.text


@pytest.mark.proves("K-63 badges")
def test_what_is_not_wanted_any_more_has_its_badge(room: Room, browser: Browser) -> None:
    house = room.house
    house.cli("agent", "pause", "one", at=room.path)
    first, second = demo(room, "one"), demo(room, "two")
    house.post("/control", {"action": "pause"})
    try:
        task = room.task("Sow", first)
        house.program("PATCH", f"/tasks/{task['id']}", {"assignee_agent_id": second})
    finally:
        house.post("/control", {"action": "resume"})
    assert "Cancelled - assignee changed" in got(browser, f"/wakeups?agent={first}").text
    until(lambda: house.get("/runs", task_id=task["id"])["items"])


# --- runs -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def worked(shared: House) -> tuple[Room, str, Any, Any]:
    """One run that failed and one that ended well: (room, agent, failed, done)."""
    room = shared.room("sought")
    agent = demo(room, "=ada")
    failed = room.task("=Sow", agent, description=script("fail task_failed Dry"), retry_budget=0)
    done = room.task("Reap", agent, description=script("write a.txt one"))
    return room, agent, room.ended(failed), room.ended(done)


@pytest.mark.slow
@pytest.mark.proves("E-03 runs")
def test_runs_are_filtered_by_the_address(
    worked: tuple[Room, str, Any, Any], browser: Browser
) -> None:
    room, agent, failed, done = worked
    only = f"agent={agent}"

    def listed(query: str) -> set[str]:
        links = got(browser, f"/runs?{only}&{query}").links
        return {name for name, run in (("f", failed), ("d", done)) if f"/runs/{run['id']}" in links}

    assert listed("") == {"f", "d"} and listed("status=failed") == {"f"}
    assert listed("outcome=done") == {"d"} and listed("q=reap") == {"d"}
    assert (
        listed("task=T-1") == {"f"} and listed("task=t2") == {"d"} and listed("task=T-99") == set()
    )
    assert listed("since=2020-01-01&until=2090-01-01") == {"f", "d"}
    assert listed("until=2020-01-01") == set() and listed("limit=1") == {"d"}
    nothing = got(browser, f"/runs?{only}&status=failed&q=nowhere")
    assert "No runs match these 3 filters." in nothing.text and "/runs" in nothing.links
    assert browser.ask("GET", "/runs?since=moon").status == 422
    api = room.house.get("/runs", agent_id=agent, outcome="task_failed", q="sow")["items"]
    assert [one["id"] for one in api] == [failed["id"]]


@pytest.mark.proves("E-03 runs")
def test_what_is_filtered_is_had_as_a_file(
    worked: tuple[Room, str, Any, Any], browser: Browser
) -> None:
    room, agent, failed, _done = worked
    links = got(browser, f"/runs?agent={agent}&status=failed").links
    sheet = browser.ask("GET", next(one for one in links if "format=csv" in one))
    assert "attachment" in sheet["Content-Disposition"] and "text/csv" in sheet["Content-Type"]
    (row,) = csv.DictReader(sheet.text.splitlines())
    assert (row["id"], row["task"], row["title"]) == (failed["id"], "T-1", "'=Sow")
    assert row["agent"] == "'=ada" and row["outcome"] == "task_failed"
    (told,) = json.loads(browser.ask("GET", next(x for x in links if "format=json" in x)).text)
    assert (told["id"], told["title"], told["agent"]) == (failed["id"], "=Sow", "=ada")
    program = room.house.program("GET", f"/runs/download?agent_id={agent}")
    assert len(list(csv.DictReader(program.text.splitlines()))) == 2
    assert browser.ask("GET", "/runs/download?format=xls").status == 422


@pytest.mark.slow
@pytest.mark.proves("E-03 runs")
def test_runs_are_stopped_and_tried_again_together(room: Room, browser: Browser) -> None:
    house, agent = room.house, demo(room, max_concurrent_sessions=2)
    tasks = [room.task(name, agent, description=script("sleep 60")) for name in ("One", "Two")]
    runs = [room.live(one) for one in tasks]
    place = f"/runs?agent={agent}"
    form = got(browser, place).form("/runs/bulk")
    ticked = {f"run-{run['id']}": "on" for run in runs}
    stopped = sent(browser, form, **ticked, act="cancel")
    assert "They are told to end." in stopped.text
    for task in tasks:
        assert room.ended(task)["status"] == "cancelled"
    form = got(browser, place).form("/runs/bulk")
    refused = send(browser, form, act="retry")
    assert refused.status == 422 and "Tick at least one run." in refused.text
    again = send(browser, form, **ticked, act="retry")
    assert again.status == 303 and "told=runs_again" in again["Location"]
    for task in tasks:
        until(lambda task=task: len(house.get(f"/tasks/{task['id']}/attempts")["items"]) == 2)
    assert send(browser, form, **ticked, act="retry").status == 303
    late = {f"run-{run['id']}": "on" for run in runs[:1]}
    page = send(browser, got(browser, place).form("/runs/bulk"), **late, act="cancel")
    assert page.status == 409 and "0 runs were told." in page.text
    for task in tasks:
        house.post(f"/tasks/{task['id']}/cancel", {})


# --- what happened --------------------------------------------------------------------------------


@pytest.mark.proves("E-03 activity")
def test_what_happened_is_told_and_filtered(
    worked: tuple[Room, str, Any, Any], browser: Browser
) -> None:
    room, agent, failed, done = worked
    here = f"/activity?workspace={room.id}"
    page = got(browser, f"{here}&limit=200")
    assert "You made the task T-1 =Sow." in page.text
    assert "You registered the repository sought." in page.text
    assert f"/runs/{done['id']}" in page.links
    assert "You made" not in got(browser, f"{here}&who=roundtable&limit=200").text
    assert "You made" not in got(browser, f"{here}&kind=runs&limit=200").text
    about = got(browser, f"/activity?subject=run:{failed['id']}")
    assert f"/runs/{failed['id']}" in about.links and f"/runs/{done['id']}" not in about.links
    none = got(browser, f"{here}&kind=routines&who={agent}")
    assert "Nothing that happened matches these 3 filters." in none.text
    first = got(browser, f"{here}&limit=5")
    older = next(one for one in first.links if "before=" in one)
    assert f"workspace={room.id}" in older and got(browser, older).text != first.text


# --- settings -------------------------------------------------------------------------------------


def settings_form(browser: Browser, action: str, place: str = "/settings") -> tuple[Page, Form]:
    page = got(browser, place)
    return page, page.form(action)


@pytest.mark.slow
@pytest.mark.proves("E-03 settings")
def test_a_setting_is_saved_refused_at_its_field_and_taken_back(
    running: House,
) -> None:
    browser = Browser(running)
    page, form = settings_form(browser, "/settings")
    assert "From 1 to 168." in page.text and "Default: 24." in page.text
    bad = send(browser, form, **filled(form, backup_hours="999", coalescing_window_sec="7"))
    assert bad.status == 422 and "It goes from 1 to 168." in bad.text and 'value="999"' in bad.text
    kept = {one["key"]: one["value"] for one in running.get("/settings")["items"]}
    assert (kept["backup_hours"], kept["coalescing_window_sec"]) == (24, 0)
    page, form = settings_form(browser, "/settings")
    saved = sent(browser, form, **filled(form, backup_hours="12"))
    assert "It is saved" in saved.text and "Back to the default" in saved.text
    form = saved.form("/settings")
    reset = send(browser, form, **filled(form, coalescing_window_sec="9"), reset="backup_hours")
    assert reset.status == 200 and "not saved yet" in reset.text and 'value="9"' in reset.text
    kept = {one["key"]: one["value"] for one in running.get("/settings")["items"]}
    assert (kept["backup_hours"], kept["coalescing_window_sec"]) == (24, 0)


@pytest.mark.slow
@pytest.mark.proves("E-03 settings")
def test_two_windows_do_not_overwrite_each_other(running: House) -> None:
    browser = Browser(running)
    _page, first = settings_form(browser, "/settings")
    _page, second = settings_form(browser, "/settings")
    sent(browser, first, **filled(first, backup_hours="6"))
    other = sent(browser, second, **filled(second, coalescing_window_sec="3"))
    assert "It is saved" in other.text, "it was another setting"
    assert {one["key"]: one["value"] for one in running.get("/settings")["items"]} | {
        "backup_hours": 6,
        "coalescing_window_sec": 3,
    } == {one["key"]: one["value"] for one in running.get("/settings")["items"]}
    refused = send(browser, first, once="another.key", **filled(first, backup_hours="8"))
    assert refused.status == 412 and "is 6 now" in refused.text and 'value="8"' in refused.text
    answer = running.program("GET", "/settings")
    stale = running.program("PATCH", "/settings", {"backup_hours": 9}, If_Match='"0"')
    assert (stale.status, stale.json["code"]) == (412, "changed_meanwhile")
    fresh = running.program("PATCH", "/settings", {"backup_hours": 9}, If_Match=answer["ETag"])
    assert fresh.status == 200 and fresh["ETag"] != answer["ETag"]


@pytest.mark.proves("E-03 settings", "K-63 lookback")
def test_a_workspace_has_its_own(room: Room, browser: Browser) -> None:
    house, place = room.house, f"/settings?workspace={room.id}"
    page, row = settings_form(browser, f"/settings/workspaces/{room.id}/row", place)
    assert "Recovery lookback window" in page.text and "From 1 to 720." in page.text
    fields = [found for tag, found in page.tags if found.get("name") == "recovery_lookback_hours"]
    assert [(one["type"], one["min"], one["max"], one["value"]) for one in fields] == [
        ("number", "1", "720", "24")
    ]
    sent(browser, row, **filled(row, recovery_lookback_hours="48", name="garden & yard"))
    now = house.get(f"/workspaces/{room.id}")
    assert (now["recovery_lookback_hours"], now["name"]) == (48, "garden & yard")
    for name, typed, said in (
        ("recovery_lookback_hours", "0", "It goes from 1 to 720."),
        ("timezone", "Mars/Olympus", "is not the name of a time zone"),
        ("name", "", "It cannot be empty."),
        ("delivery", "never", "none of its choices"),
    ):
        _page, row = settings_form(browser, f"/settings/workspaces/{room.id}/row", place)
        bad = send(browser, row, **filled(row, **{name: typed}))
        assert bad.status == 422 and said in Page(bad.text).text, (name, Page(bad.text).text)
    _page, work = settings_form(browser, f"/settings/workspaces/{room.id}", place)
    sent(browser, work, **filled(work, projects="web opus\ndocs", default_model="sonnet"))
    kept = {
        one["key"]: one["value"] for one in house.get(f"/workspaces/{room.id}/settings")["items"]
    }
    assert kept["default_model"] == "sonnet"
    assert kept["projects"] == {"web": {"model": "opus"}, "docs": {"model": None}}


@pytest.mark.slow
@pytest.mark.proves("E-03 settings")
def test_a_backup_is_made_at_once(running: House) -> None:
    running.room()
    browser = Browser(running)
    page = sent(browser, got(browser, "/settings").form("/settings/backup"))
    assert "The backup is made" in page.text and "The newest:" in page.text
    assert len(list((running.home / "backups").glob("roundtable-*.db"))) >= 1


# --- the doctor -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.proves("E-03 doctor")
def test_the_doctor_says_what_it_found_and_mends_it(running: House) -> None:
    browser = Browser(running)
    assert "has to be mended" not in got(browser, "/doctor").text
    (running.home / "token").chmod(0o644)
    renewed = browser.ask("GET", "/doctor", Sec_Fetch_Dest="empty")
    assert "has to be mended" not in renewed.text, "a page that renews itself looks once a minute"
    page = got(browser, "/doctor")
    assert "Something has to be mended." in page.text and "roundtable doctor --fix" in page.text
    assert "[critical] modes/doctor_loose" in page.text
    assert "What the next start would do" in page.text
    assert f"It takes the port {running.port} if that is free" in page.text
    fixed = send(browser, page.form("/doctor/fix"))
    assert fixed.status == 200 and "Mended" in fixed.text
    assert (running.home / "token").stat().st_mode & 0o077 == 0
    assert "has to be mended" not in got(browser, "/doctor").text
