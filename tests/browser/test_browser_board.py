"""The board as a person uses it: by mouse, by touch, by the keyboard alone, and without scripts."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from chromium import Watch
from hands import button, by_keyboard, drag, drag_by_finger, reach
from living_pages import live
from outside_house import House, Room, until
from outside_talk import demo, script, status
from playwright.sync_api import BrowserContext, Locator, Page, expect

_number = itertools.count(1)


@pytest.fixture
def room(house: House) -> Room:
    return house.room(f"board-{next(_number)}")


def board(page: Page, room: Room, **more: str) -> Page:
    words = "".join(f"&{name}={value}" for name, value in more.items())
    page.goto(f"/board?workspace={room.id}{words}")
    return page


def card(page: Page, task: Any) -> Locator:
    return page.locator(f"#card-{task['id']}")


def column(page: Page, name: str) -> Locator:
    return page.locator(f"#stack-{name}")


def is_in(page: Page, task: Any, name: str) -> None:
    expect(column(page, name).locator(f"#card-{task['id']}")).to_be_visible()


@pytest.mark.slow
@pytest.mark.proves("E-02", "K-09 page")
def test_a_card_is_dragged_and_the_move_is_taken_back(room: Room, person: Page) -> None:
    agent = demo(room, "Ada")
    room.house.post(f"/agents/{agent}/pause")
    task = room.task("Bake bread", description=script("sleep 100"))
    live(board(person, room))
    drag(person, card(person, task), column(person, "in_progress"))
    toast = person.locator("#toasts")
    expect(toast).to_contain_text("Bake bread: In progress.")
    is_in(person, task, "in_progress")
    assert status(room, task) == "in_progress"
    expect(person.locator("#head-in_progress")).to_contain_text("1")
    toast.get_by_role("button", name="Undo").click()
    is_in(person, task, "todo")
    until(lambda: status(room, task) == "todo")


@pytest.mark.slow
@pytest.mark.proves("E-02", "K-09 page")
def test_a_card_that_may_not_be_moved_goes_back_and_says_why(
    room: Room, person: Page, watch: Watch
) -> None:
    first = room.task("First")
    second = room.task("Second", blocked_by=[first["id"]])
    live(board(person, room))
    watch.statuses.add(409)
    drag(person, card(person, second), column(person, "in_progress"))
    expect(person.get_by_role("alert")).to_contain_text("waits for T-1")
    is_in(person, second, "todo")
    drag(person, card(person, first), column(person, "still"))
    expect(person.get_by_role("alert")).to_have_text("T-1 cannot be moved that way.")
    is_in(person, first, "todo")
    assert {status(room, first), status(room, second)} == {"todo"}


@pytest.mark.slow
@pytest.mark.proves("E-02", "K-09 page")
def test_a_card_is_dragged_by_a_finger(
    room: Room,
    new_context: Callable[..., BrowserContext],
    sign_in: Callable[[BrowserContext], Page],
) -> None:
    task = room.task("Knead the dough")
    page = sign_in(new_context(has_touch=True))
    live(board(page, room))
    drag_by_finger(page, card(page, task), column(page, "in_progress"))
    is_in(page, task, "in_progress")
    until(lambda: status(room, task) == "in_progress")  # the card is there before the answer is


@pytest.mark.slow
@pytest.mark.proves("E-02", "K-09 page")
def test_cards_are_moved_by_the_keyboard_alone(room: Room, person: Page) -> None:
    other = room.task("Look at the clock")
    task = room.task("Light the oven")
    live(board(person, room))
    link = card(person, task).get_by_role("link", name="Light the oven")
    reach(person, link)
    person.keyboard.press("Alt+ArrowLeft")
    expect(person.get_by_role("alert")).to_have_text("T-2 cannot be moved that way.")
    person.keyboard.press("Alt+ArrowDown")
    expect(card(person, other).get_by_role("link").first).to_be_focused()
    person.keyboard.press("Alt+ArrowUp")
    for name in ("in_progress", "in_review", "done"):
        expect(link).to_be_focused()
        person.keyboard.press("Alt+ArrowRight")
        is_in(person, task, name)
    expect(person.locator("#toasts")).to_contain_text("Light the oven: Done.")
    expect(link).to_be_focused()
    person.keyboard.press("Alt+ArrowLeft")
    is_in(person, task, "todo")
    until(lambda: status(room, task) == "todo")
    assert status(room, other) == "todo"
    assert person.url.endswith(f"/board?workspace={room.id}")


@pytest.mark.slow
@pytest.mark.proves("E-02", "K-09 page")
def test_a_drag_is_not_disturbed_by_what_happens_meanwhile(room: Room, person: Page) -> None:
    task = room.task("Slice the loaf")
    live(board(person, room))
    box = card(person, task).bounding_box()
    assert box is not None
    person.mouse.move(box["x"] + 30, box["y"] + 10)
    person.mouse.down()
    person.mouse.move(box["x"] + 60, box["y"] + 30, steps=5)
    expect(person.locator(".sortable-fallback")).to_have_count(1)
    other = room.task("Sweep the floor")
    person.wait_for_timeout(900)
    expect(card(person, other)).to_have_count(0)
    person.mouse.up()
    expect(card(person, other)).to_be_visible()
    is_in(person, task, "todo")


@pytest.mark.slow
@pytest.mark.proves("E-02", "K-09 page")
def test_the_board_works_by_forms(room: Room, either: Page) -> None:
    """With scripts and without: by the card's own menu."""
    agent = demo(room, "Lin")
    board(either, room)
    either.get_by_label("Title of a new task").fill("Count the flour")
    button(either, "Add").click()
    expect(either.get_by_text("The task is added. Nobody is assigned yet")).to_be_visible()
    [task] = room.house.get("/tasks", workspace_id=room.id)["items"]
    card(either, task).get_by_text("Move", exact=False).first.click()
    card(either, task).get_by_role("button", name="Start it").click()
    is_in(either, task, "in_progress")
    expect(either.locator("#toasts")).to_contain_text("Count the flour: In progress.")
    either.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(either.locator("#toasts")).to_contain_text("Count the flour: To do.")
    is_in(either, task, "todo")
    card(either, task).get_by_text("Move", exact=False).first.click()
    card(either, task).get_by_role("link", name="With a word, or cancel it").click()
    either.get_by_text("Move it", exact=True).click()
    button(either, "Cancel it").click()
    expect(either.get_by_role("heading", level=1)).to_contain_text("Cancelled")
    board(either, room)
    expect(card(either, task)).to_have_count(0)
    either.get_by_role("link", name="Cancelled: 1").click()
    expect(card(either, task)).to_be_visible()
    assert status(room, task) == "cancelled" and agent


@pytest.mark.slow
@pytest.mark.proves("E-02", "K-09 page")
def test_a_move_that_wakes_says_whom_and_filters_stay(room: Room, either: Page) -> None:
    task = room.task("Wash up", demo(room, "Ida"), description=script("write a.txt one"))
    room.ended(task)
    room.lands(room.proposal(task))
    other = room.task("Wait for the post")
    board(either, room, q="wash")
    expect(card(either, other)).to_have_count(0)
    card(either, task).get_by_text("Move", exact=False).first.click()
    by_keyboard(either, card(either, task).get_by_role("button", name="Put back to do wakes Ida"))
    expect(either.locator("#toasts")).to_contain_text("Wakes Ida.")
    expect(card(either, other)).to_have_count(0)
    room.ended(task, 2)


@pytest.mark.slow
@pytest.mark.proves("E-02")
def test_a_task_is_added_with_all_it_can_say_and_changed(
    room: Room, either: Page, watch: Watch
) -> None:
    watch.statuses.add(422)
    first = room.task("Buy seeds")
    either.goto(f"/tasks/new?workspace={room.id}")
    either.get_by_label("Title").fill("Plant the seeds")
    either.get_by_label("Description").fill("In rows.\n\nDeep.")
    either.get_by_label("Waits for").fill("T-1, T-9")
    either.get_by_label("Done only after my approval").check()
    either.get_by_text("How it is worked on").click()
    either.get_by_label("Project").fill("garden")
    either.get_by_label("Failures allowed").fill("5")
    button(either, "Add the task").click()
    expect(either.get_by_role("alert")).to_contain_text("Waits for: there is no task T-9 here.")
    expect(either.get_by_label("Title")).to_have_value("Plant the seeds")
    expect(either.get_by_label("Project")).to_have_value("garden")
    either.get_by_label("Waits for").fill("T-1")
    button(either, "Add the task").click()
    expect(either.get_by_role("heading", level=1)).to_contain_text("Plant the seeds")
    made = room.house.get("/tasks", workspace_id=room.id, number=2)["items"][0]
    kept = {name: made[name] for name in ("project", "retry_budget", "requires_approval")}
    assert kept == {"project": "garden", "retry_budget": 5, "requires_approval": True}
    assert made["description"] == "In rows.\n\nDeep."
    assert [one["depends_on_task_id"] for one in made["depends_on"]] == [first["id"]]
    either.get_by_text("Change it", exact=True).first.click()
    either.get_by_label("Title").fill("Plant the beans")
    either.get_by_label("Waits for").fill("")
    either.get_by_label("Project").fill("")
    either.get_by_label("Model", exact=True).fill("a model")
    button(either, "Change it").click()
    expect(either.get_by_role("alert")).to_contain_text("Model: ")
    expect(either.get_by_label("Title")).to_have_value("Plant the beans")
    either.get_by_label("Model", exact=True).fill("big-1")
    button(either, "Change it").click()
    expect(either.get_by_text("It is changed.")).to_be_visible()
    changed = room.house.get(f"/tasks/{made['id']}")
    kept = {name: changed[name] for name in ("title", "project", "model", "description")}
    assert kept == {
        "title": "Plant the beans",
        "project": None,
        "model": "big-1",
        "description": "In rows.\n\nDeep.",
    }
    assert changed["depends_on"] == [] and changed["requires_approval"]


@pytest.mark.slow
@pytest.mark.proves("E-02")
def test_a_change_of_somebody_else_is_not_written_over(
    room: Room, either: Page, watch: Watch
) -> None:
    watch.statuses.add(409)
    task = room.task("Draw a sign")
    either.goto(f"/tasks/{task['id']}")
    either.get_by_text("Change it", exact=True).first.click()
    either.get_by_label("Title").fill("Draw a new sign")
    changed = room.house.program("PATCH", f"/tasks/{task['id']}", {"title": "Draw a big sign"})
    assert changed.status == 200
    button(either, "Change it").click()
    expect(either.get_by_role("alert")).to_contain_text("This was changed meanwhile.")
    expect(either.get_by_label("Title")).to_have_value("Draw a new sign")
    assert room.house.get(f"/tasks/{task['id']}")["title"] == "Draw a big sign"
    button(either, "Change it").click()
    until(lambda: room.house.get(f"/tasks/{task['id']}")["title"] == "Draw a new sign")
