"""What a person does at wakeups, runs, activity, settings, doctor: mouse, keyboard, no script."""

import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hands import button, by_keyboard, reach
from living_pages import live
from outside_house import House, Room, until
from outside_talk import demo, script
from playwright.sync_api import BrowserContext, Page, expect

_number = itertools.count(1)


@pytest.fixture
def room(house: House) -> Room:
    return house.room(f"list-{next(_number)}")


@pytest.fixture
def with_scripts(
    new_context: Callable[..., BrowserContext], sign_in: Callable[[BrowserContext], Page]
) -> Page:
    return sign_in(new_context())


def later(room: Room, agent: str, text: str) -> str:
    at = datetime.now(UTC) + timedelta(days=99)
    wanted = {"context": text, "at": f"{at:%Y-%m-%dT%H:%M:%SZ}"}
    return str(room.house.post(f"/agents/{agent}/wake", wanted)["id"])


@pytest.mark.proves("E-02", "E-03 wakeups")
def test_wakeups_are_looked_for_and_taken_back(room: Room, either: Page) -> None:
    agent = demo(room, "chair")
    one, two = later(room, agent, "First"), later(room, agent, "Second")
    either.goto("/wakeups")
    either.locator("summary").first.click()
    either.get_by_label("Agent", exact=True).select_option(agent)
    either.get_by_label("State").select_option("queued")
    button(either, "Filter").click()
    expect(either.locator("li.row")).to_have_count(2)
    either.locator(f"#wakeup-{one}").get_by_role("button").click()
    expect(either.get_by_text("It was taken back")).to_be_visible()
    expect(either.locator("li.row")).to_have_count(1)
    either.locator(f"#wakeup-{two}").get_by_role("link", name="Why").click()
    expect(either.get_by_text("Second")).to_be_visible()
    by_keyboard(either, button(either, "Cancel it"))
    expect(either.get_by_text("Cancelled - by you")).to_be_visible()


@pytest.mark.proves("E-02", "E-03 runs")
def test_runs_are_ticked_stopped_and_looked_for(room: Room, either: Page) -> None:
    agent = demo(room, max_concurrent_sessions=2)
    tasks = [room.task(name, agent, description=script("sleep 60")) for name in ("One", "Two")]
    runs = [room.live(task) for task in tasks]
    either.goto(f"/runs?agent={agent}&status=live")
    either.locator(f"#run-{runs[0]['id']}").check()
    button(either, "Stop").click()
    expect(either.get_by_text("They are told to end.")).to_be_visible()
    assert room.ended(tasks[0])["status"] == "cancelled"
    either.goto(f"/runs?agent={agent}")
    reach(either, either.locator(f"#run-{runs[1]['id']}"))
    either.keyboard.press("Space")
    expect(either.locator(f"#run-{runs[1]['id']}")).to_be_checked()
    by_keyboard(either, button(either, "Stop"))
    expect(either.get_by_text("They are told to end.")).to_be_visible()
    assert room.ended(tasks[1])["status"] == "cancelled"
    either.goto(f"/runs?agent={agent}&q=nowhere")
    expect(either.get_by_text("No runs match these 2 filters.")).to_be_visible()
    either.locator("#runs").get_by_role("link", name="Clear").click()
    expect(either).to_have_url(either.url.partition("?")[0])
    with either.expect_download() as download:
        either.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == "runs.csv"


@pytest.mark.proves("E-03 runs")
def test_what_is_ticked_stays_ticked_while_the_list_renews_itself(
    room: Room, with_scripts: Page
) -> None:
    page, agent = with_scripts, room.shell("true", max_concurrent_sessions=2)
    first = room.ended(room.task("First", agent))
    page.goto(f"/runs?agent={agent}")
    live(page)
    box = page.locator(f"#run-{first['id']}")
    box.check()
    second = room.ended(room.task("Second", agent))
    expect(page.locator(f"#run-{second['id']}")).to_be_visible()
    expect(box).to_be_checked()
    expect(page.locator(f"#run-{second['id']}")).not_to_be_checked()


@pytest.mark.proves("E-02", "E-03 activity")
def test_what_happened_is_looked_for(room: Room, either: Page) -> None:
    task = room.task("Plant a tree")
    either.goto(f"/activity?workspace={room.id}")
    expect(either.get_by_text("You made the task T-1 Plant a tree.")).to_be_visible()
    either.get_by_label("What", exact=True).select_option("home")
    by_keyboard(either, button(either, "Filter"))
    expect(either.get_by_text("You registered the repository")).to_be_visible()
    expect(either.get_by_text("Plant a tree")).to_have_count(0)
    either.get_by_role("link", name="Clear").first.click()
    either.get_by_role("link", name="T-1 Plant a tree").first.click()
    either.wait_for_url(f"**/tasks/{task['id']}")


@pytest.mark.proves("E-03 activity")
def test_what_is_new_stands_above_and_moves_nothing_that_is_read(
    room: Room, with_scripts: Page
) -> None:
    page = with_scripts
    for number in range(30):
        room.task(f"Row {number}")
    page.goto(f"/activity?workspace={room.id}")
    live(page)
    room.task("Something new")
    expect(page.locator("#news").get_by_text("Something new")).to_be_visible()
    expect(page.locator("#news li")).to_have_count(1)
    read = page.get_by_text("Row 9.", exact=False).first
    read.scroll_into_view_if_needed()
    page.mouse.wheel(0, 300)
    page.wait_for_timeout(300)
    before = read.bounding_box()
    for number in range(5):
        room.task(f"Newer {number}")
    expect(page.locator("#news").get_by_text("Newer 4")).to_be_attached()
    after = read.bounding_box()
    assert before and after and abs(after["y"] - before["y"]) < 2, (before, after)


@pytest.mark.proves("E-02", "E-03 settings")
def test_settings_are_saved_and_taken_back(room: Room, either: Page) -> None:
    either.goto(f"/settings?workspace={room.id}")
    either.get_by_label("Default model", exact=True).fill("opus")
    work = either.locator("form.settings").last
    button(work, "Save").click()
    expect(either.get_by_text("It is saved")).to_be_visible()
    expect(either.get_by_label("Default model", exact=True)).to_have_value("opus")
    by_keyboard(either, work.get_by_role("button", name="Back to the default: Default model"))
    expect(either.get_by_text("The default holds again.")).to_be_visible()
    expect(either.get_by_label("Default model", exact=True)).to_have_value("")
    either.locator("summary", has_text="Advanced").click()
    hours = either.get_by_label("Recovery lookback window")
    hours.fill("48")
    hours.press("Enter")
    expect(either.get_by_text("It is saved")).to_be_visible()
    assert room.house.get(f"/workspaces/{room.id}")["recovery_lookback_hours"] == 48


@pytest.mark.proves("E-02", "E-03 doctor")
def test_the_doctor_is_asked_and_its_report_is_there(house: House, either: Page) -> None:
    either.goto("/doctor")
    report = either.locator("#report-text")
    assert "Roundtable Desktop" in report.input_value() and "database/" in report.input_value()
    either.get_by_role("link", name="Look again").click()
    expect(either.get_by_text("What the next start would do")).to_be_visible()
    loose = house.home / "token"
    loose.chmod(0o644)
    either.reload()
    by_keyboard(either, button(either, "Mend what takes nothing of mine away"))
    expect(either.get_by_text("Mended", exact=True)).to_be_visible()
    until(lambda: loose.stat().st_mode & 0o077 == 0)


@pytest.mark.proves("E-03 doctor")
def test_the_report_is_copied_by_its_button(
    new_context: Callable[..., BrowserContext], sign_in: Callable[[BrowserContext, str], Page]
) -> None:
    context = new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = sign_in(context, "/doctor")
    button(page, "Copy the report").click()
    expect(button(page, "Copied")).to_be_visible()
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.replace("\r\n", "\n") == page.locator("#report-text").input_value()
