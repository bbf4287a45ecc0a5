"""The pages of missions by plain forms, and how long one of 500 tasks takes."""

import contextlib
import sqlite3
import time
from typing import Any

import pytest
from outside_house import Browser, House, Room, until
from outside_pages import check_inert, got, send, sent
from outside_talk import demo

GOAL = "Bake bread\n\nRye and spelt."


@pytest.fixture(scope="module")
def browser(shared: House) -> Browser:
    return Browser(shared)


def mission(room: Room, goal: str = GOAL) -> Any:
    return room.house.post("/missions", {"workspace_id": room.id, "goal": goal})


def paused(room: Room) -> Any:
    """One that stays as it is, whatever its planner would make of it."""
    made = mission(room)
    until(lambda: room.house.get(f"/missions/{made['id']}")["state"] == "active")
    return room.house.post(f"/missions/{made['id']}/pause")


@pytest.mark.slow
@pytest.mark.proves("A-09", "W-24")
def test_a_mission_is_set_by_a_form_which_keeps_what_was_typed(
    room: Room, browser: Browser
) -> None:
    chair = demo(room, "Chair", role="coordinator")
    room.house.post(f"/agents/{chair}/pause")
    form = got(browser, f"/missions/new?workspace={room.id}").form("/missions/new")
    refused = send(browser, form, goal=" \n", base_branch="bread", once="m.1")
    page = check_inert(refused.text)
    assert (
        refused.status == 422
        and "Goal: This says nothing: write what is to be reached" in page.text
    )
    assert 'value="bread"' in refused.text
    refused = send(browser, form, goal=GOAL, base_branch="bread", once="m.2")
    assert refused.status == 422 and "bread" in check_inert(refused.text).text
    page = sent(browser, form, goal=GOAL, delivery="auto", coordinator=chair)
    assert "The mission is set." in page.text and "Bake bread" in page.text
    assert "Chair is to make tasks of the goal." in page.text
    made = room.house.get("/missions", workspace_id=room.id)["items"][0]
    assert (made["delivery"], made["coordinator_agent_id"]) == ("auto", chair)
    listed = got(browser, f"/missions?workspace={room.id}")
    assert f"/missions/{made['id']}" in listed.links and "no task yet" in listed.text
    assert "No missions match" in got(browser, f"/missions?workspace={room.id}&state=failed").text
    assert "Bake bread" in got(browser, "/").text
    got(browser, "/missions/zzzzzzzz", 404)
    got(browser, f"/missions/{made['id']}?wave=7", 404)


@pytest.mark.proves("A-03", "R-29")
def test_the_graph_tells_each_kind_of_edge_in_words(room: Room, browser: Browser) -> None:
    made = paused(room)
    first = room.task("Knead", mission_id=made["id"])
    ways = {
        "hard": "waits for",
        "soft": "rather after",
        "conflict": "not together with",
        "serialization": "in turn with",
    }
    for kind in ways:
        edge = {"depends_on_task_id": first["id"], "dependency_type": kind, "reason": f"as {kind}"}
        room.task(f"Is {kind}", mission_id=made["id"], depends_on=[edge], optional=kind == "soft")
    page = got(browser, f"/missions/{made['id']}")
    for kind, words in ways.items():
        assert f"{words} T-{first['number']} as {kind}" in page.text
    assert page.text.count("no verdict on tests") == 1 and "0 of 5 tasks are over" in page.text
    board = got(browser, f"/board?mission={made['id']}")
    assert "Is conflict" in board.text and f"/missions/{made['id']}" in board.links
    room.task("Loose")
    assert "Loose" not in got(browser, f"/board?mission={made['id']}").text
    task = got(browser, f"/tasks/{first['id']}")
    assert f"/missions/{made['id']}" in task.links
    form = task.form(f"/tasks/{first['id']}/edit")
    words = {"title": "Knead", "write_area": "dough/\noven.txt", "priority": "4"}
    assert "dough/" in sent(browser, form, **words, optional="true").text
    seen = room.house.get(f"/tasks/{first['id']}")
    assert (seen["write_area"], seen["priority"], seen["optional"]) == (
        ["dough/", "oven.txt"],
        4,
        True,
    )
    form = got(browser, f"/tasks/new?mission={made['id']}").form("/tasks/new")
    fields = {"title": "Sell", "place": room.id, "mission": made["id"], "write_area": "till/"}
    sent(browser, form, **fields, priority="-1")
    sold = room.house.get("/tasks", mission_id=made["id"], q="Sell")["items"][0]
    assert (sold["write_area"], sold["priority"], sold["optional"]) == (["till/"], -1, False)


@pytest.mark.proves("R-24", "C-56", "C-57")
def test_a_mission_is_acted_on_by_buttons_that_say_what_is_possible(
    room: Room, browser: Browser
) -> None:
    made = mission(room)
    here = f"/missions/{made['id']}"
    until(lambda: room.house.get(here)["state"] == "active")
    act = got(browser, here).form(f"{here}/act")
    assert "It is paused" in sent(browser, act, action="pause").text
    assert "It is worked on." in sent(browser, act, action="resume", once="a.2").text
    refused = send(browser, act, action="force-stop", once="a.3")
    assert refused.status == 422 and "End all of it now: say that you mean it." in refused.text
    page = sent(browser, act, action="force-stop", sure="true", once="a.4")
    assert "It is stopped. Reopen it to go on." in page.text
    late = send(browser, act, action="pause", once="a.5")
    assert late.status == 409 and "not possible while it is stopped" in late.text
    assert "It is worked on." in sent(browser, act, action="reopen", once="a.6").text


@pytest.mark.proves("A-23")
def test_what_is_asked_is_changed_by_a_form_and_understood_by_another(
    room: Room, browser: Browser
) -> None:
    made = paused(room)
    here = f"/missions/{made['id']}"
    first = room.task("Knead", mission_id=made["id"])
    form = got(browser, here).form(f"{here}/requirements")
    refused = send(browser, form, text=" ", once="q.1")
    assert refused.status == 422 and "What is asked otherwise: " in check_inert(refused.text).text
    page = sent(browser, form, text="With rye.", **{f"touches-{first['id']}": "true"})
    assert "It is asked so from now on." in page.text
    assert f"what that means for them: T-{first['number']}" in page.text
    page = sent(browser, page.form(f"{here}/impact"), impact="implementation")
    assert "what waited for that goes on" in page.text and not page.has_form(f"{here}/impact")


@pytest.mark.slow
@pytest.mark.proves("A-18")
def test_a_mission_of_500_tasks_is_shown_within_a_second(room: Room, browser: Browser) -> None:
    made = paused(room)
    first = room.task("Task 0", mission_id=made["id"])
    _multiply(room.house, first, 500)
    here = f"/missions/{made['id']}"
    took, page = 9.0, got(browser, here)
    for _ in range(25):  # a machine that is busy with others has such a moment too
        began = time.monotonic()
        page = got(browser, here)
        took = min(took, time.monotonic() - began)
        if took < 1:
            break
    assert page.raw.count('class="node"') == 500 and "of 500 tasks are over" in page.text
    assert took < 1, took


def _multiply(house: House, task: Any, most: int) -> None:
    """So many like it, each after the one before; by SQL, because the owner would take half a
    minute to make them one by one."""
    with contextlib.closing(sqlite3.connect(house.home / "roundtable.db", timeout=30)) as db:
        names = [row[1] for row in db.execute("PRAGMA table_info(tasks)")]
        own = {"id": "?", "number": "?", "title": "?"}
        text = ", ".join(own.get(name, name) for name in names)
        before = task["id"]
        for number in range(1, most):
            an_id = f"{task['id'][:20]}{number:06d}"
            values = (an_id, 1000 + number, f"Task {number}", task["id"])
            db.execute(f"INSERT INTO tasks SELECT {text} FROM tasks WHERE id = ?", values)
            db.execute(
                "INSERT INTO task_dependencies VALUES (?, ?, 'hard', '', 'user', 1)",
                (an_id, before),
            )
            before = an_id
        db.commit()
