"""The board and the pages of agents by plain forms: what is asked, and what is refused."""

import pytest
from outside_house import Browser, House, Room
from outside_pages import check_inert, got, send, sent
from outside_talk import demo, status


@pytest.fixture(scope="module")
def browser(shared: House) -> Browser:
    return Browser(shared)


@pytest.mark.slow
@pytest.mark.proves("K-09 page")
def test_a_move_on_the_board_leads_back_to_it_and_a_refused_one_says_why(
    room: Room, browser: Browser
) -> None:
    first = room.task("Mix the dough")
    here = f"/board?workspace={room.id}&q=dough"
    page = got(browser, here)
    move = f"/tasks/{first['id']}/move"
    form = next(one for one in page.forms if one.action == move)
    answer = send(browser, form, status="in_progress")
    assert answer["Location"] == f"{here}&moved={first['id']}&before=todo"
    assert send(browser, form, status="in_progress").status == 303, "sent twice, done once"
    moved = got(browser, answer["Location"])
    assert "T-1 Mix the dough: In progress." in moved.text and "Undo" in moved.text
    [renewed] = [found["content"] for tag, found in moved.tags if found.get("name") == "here"]
    assert renewed == here, "what is told once is not told again"
    late = send(browser, form, status="in_progress", once="other")
    page = check_inert(late.text)
    assert late.status == 409 and "cannot become in progress" in page.text
    assert "dough" in next(found["value"] for tag, found in page.tags if found.get("id") == "q")
    assert status(room, first) == "in_progress"


@pytest.mark.proves("K-09 page")
def test_nobody_is_led_away_from_the_board_by_a_form(room: Room, browser: Browser) -> None:
    task = room.task("Stay")
    form = got(browser, f"/board?workspace={room.id}").form(f"/tasks/{task['id']}/move")
    for number, back in enumerate(("//evil.example/board", "https://evil.example/", "/board?q")):
        once = f"{form.fields['once']}.{number}"
        to = "in_progress" if status(room, task) == "todo" else "todo"
        answer = send(browser, form, status=to, back=back, once=once)
        assert answer.status == 303 and answer["Location"].startswith("/board?moved=")
    quick = got(browser, "/board").form("/tasks/new")
    answer = send(browser, quick, title="Also", place=room.id, back="//evil.example")
    assert answer["Location"] == "/board?told=task_added"


@pytest.mark.proves("K-09 page")
def test_what_a_board_cannot_show_is_refused(room: Room, browser: Browser) -> None:
    got(browser, "/board?only=nowhere", 422)
    got(browser, "/board?workspace=nowhere99", 404)
    got(browser, "/board?agent=nowhere99", 404)
    got(browser, "/board?moved=nowhere99&before=todo", 404)
    assert "No tasks match" in got(browser, f"/board?workspace={room.id}&q=nothing").text
    assert "No tasks yet" in got(browser, f"/board?workspace={room.id}").text


@pytest.mark.proves("E-02")
def test_a_quick_task_that_cannot_be_added_keeps_its_title(room: Room, browser: Browser) -> None:
    form = got(browser, f"/board?workspace={room.id}").form("/tasks/new")
    line = "two\nlines"
    refused = send(browser, form, title=line, place=room.id)
    page = check_inert(refused.text)
    assert refused.status == 422 and "Title:" in page.text
    other = room.house.room("elsewhere-" + room.id[-6:])
    stranger = demo(other, "stranger")
    refused = send(browser, form, title="Mine", place=f"{room.id}:{stranger}", once="x.1")
    assert refused.status == 404 and 'value="Mine"' in refused.text
    page = sent(browser, form, title="Mine", place=room.id, once="x.2")
    assert "The task is added." in page.text and "T-1 Mine" in page.text


@pytest.mark.proves("K-63 banner")
def test_no_value_of_a_variable_is_ever_on_a_page(room: Room, browser: Browser) -> None:
    form = got(browser, f"/agents/new?workspace={room.id}").form("/agents/new")
    words = {
        "name": "quiet",
        "adapter": "command",
        "command": "sh -c true",
        "variable": "KEY",
        "value": "a-value-that-nobody-sees",
    }
    refused = send(browser, form, **{**words, "cooldown_sec": "soon"})
    assert refused.status == 422 and words["value"] not in refused.text
    assert 'value="quiet"' in refused.text and "Rest between runs, in seconds:" in refused.text
    answer = send(browser, form, **words, once="y.1")
    shown = got(browser, answer["Location"])
    assert "KEY" in shown.text and words["value"] not in shown.raw
    form = shown.form(answer["Location"].partition("?")[0] + "/variables")
    refused = send(browser, form, variable="not a name", value="a-value-that-nobody-sees")
    assert refused.status == 422 and "Variable: a name has letters" in refused.text
    assert words["value"] not in refused.text


@pytest.mark.proves("E-02")
def test_an_agent_that_was_changed_meanwhile_is_not_written_over(
    room: Room, browser: Browser
) -> None:
    ada = demo(room, "Ada")
    form = got(browser, f"/agents/{ada}").form(f"/agents/{ada}/edit")
    fields = {
        "name": "Ada",
        "role": "worker",
        "permission_policy": "ask",
        "account": room.house.get(f"/agents/{ada}")["account"],
        "skip_idle_wakeups": "true",
        "max_concurrent_sessions": "4",
    }
    assert room.house.program("PATCH", f"/agents/{ada}", {"cooldown_sec": 7}).status == 200
    refused = send(browser, form, **fields)
    assert refused.status == 409 and "This was changed meanwhile." in refused.text
    assert room.house.get(f"/agents/{ada}")["max_concurrent_sessions"] == 1
    again = check_inert(refused.text).form(f"/agents/{ada}/edit")
    assert send(browser, again, **fields).status == 303
    changed = room.house.get(f"/agents/{ada}")
    assert (changed["max_concurrent_sessions"], changed["cooldown_sec"]) == (4, 7)
