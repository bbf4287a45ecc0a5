"""Routines made, changed and taken away at their pages, by plain forms (K-62)."""

import re
from typing import Any

import pytest
from outside_house import Browser, House, Room
from outside_pages import Form, Page, check_inert, got, send, sent
from outside_routines import made, schedule
from outside_talk import demo, office

OVENS = {
    "name": "Look after the ovens",
    "description": "Look at the {{oven}} oven.",
    "task_title": "Ovens - {{date}}",
    "task_description": "Open it.",
    "cron_0": "0 5 * * 1-6",
    "zone_0": "Europe/Berlin",
    "concurrency_policy": "skip_if_active",
    "catch_up_policy": "skip_missed",
    "catch_up_max": "3",
    "priority": "-2",
    "probe": "workspace_events",
    "var_name_0": "oven",
    "var_type_0": "select",
    "var_default_0": "stone",
    "var_options_0": "stone\r\nsteel\r\n",
    "var_required_0": "on",
}
STORED = {
    "name": "Look after the ovens",
    "description": "Look at the {{oven}} oven.",
    "task_template": {"title": "Ovens - {{date}}", "description": "Open it."},
    "concurrency_policy": "skip_if_active",
    "catch_up_policy": "skip_missed",
    "catch_up_max": 3,
    "priority": -2,
    "probe": "workspace_events",
    "status": "active",
}


@pytest.fixture(scope="module")
def browser(shared: House) -> Browser:
    return Browser(shared)


def filled(page: Page, action: str) -> Form:
    """The form with all that its fields hold, as a browser would send it."""
    form = page.form(action)
    raw = page.raw[page.raw.index(f'action="{action}"') :]
    text = raw[: raw.index("</form>")]
    fields = dict(form.fields)
    for field in re.findall(r"<input ([^>]*)>", text):
        name, value = re.search(r'name="([^"]+)"', field), re.search(r'value="([^"]*)"', field)
        ticks = 'type="checkbox"' in field or 'type="radio"' in field
        if name and not (ticks and " checked" not in field):
            fields[name[1]] = value[1] if value else ""
    for name, inner in re.findall(r'<textarea [^>]*?name="([^"]+)"[^>]*>([^<]*)</textarea>', text):
        fields[name] = inner
    for name, inner in re.findall(r'<select [^>]*?name="([^"]+)"[^>]*>(.*?)</select>', text, re.S):
        options = re.findall(r'<option value="([^"]*)"( selected)?>', inner)
        chosen = [value for value, mark in options if mark] or [value for value, _ in options]
        fields[name] = chosen[0]
    return Form("post", action, fields, form.choices)


def tried(browser: Browser, form: Form, **more: str) -> tuple[int, Page]:
    answer = send(browser, form, **more)
    return answer.status, check_inert(answer.text)


def of_room(room: Room) -> list[Any]:
    return list(office(room.house, "GET", f"?workspace_id={room.id}").json["items"])


@pytest.mark.proves("K-62")
def test_a_routine_is_made_and_changed_with_every_field(room: Room, browser: Browser) -> None:
    agent = demo(room, "ada")
    form = filled(got(browser, "/routines/new"), "/routines/new")
    assert "New routine" in got(browser, "/routines").text
    page = sent(browser, form, do="save", agent=agent, **OVENS)
    assert "It is made" in page.text and "Europe/Berlin" in page.text
    (routine,) = of_room(room)
    wanted = {**STORED, "assignee_agent_id": agent}
    assert {name: routine[name] for name in wanted} == wanted
    (oven,) = routine["variables"]
    assert (oven["type"], oven["options"], oven["required"]) == ("select", ["stone", "steel"], True)
    when = {one["kind"]: one for one in routine["triggers"]}
    assert when["schedule"]["cron_expression"] == "0 5 * * 1-6" and when["manual"]["enabled"]

    place = f"/routines/{routine['id']}/edit"
    assert place in page.links
    same = filled(got(browser, place), place)
    page = sent(browser, same, do="save")
    assert "It is changed" in page.text
    (after,) = of_room(room)
    changed = {"updated_at", "revision"}
    assert {k: v for k, v in after.items() if k not in changed} == {
        k: v for k, v in routine.items() if k not in changed
    }, "what nobody touched stays"

    form = filled(got(browser, place), place)
    form.fields.pop("by_hand")
    sent(browser, form, do="save", status="paused", task_title="", task_description="", cron_0="")
    (after,) = of_room(room)
    assert (after["status"], after["task_template"]) == ("paused", None)
    assert [(one["kind"], one["enabled"]) for one in after["triggers"]] == [("manual", False)]
    status, page = tried(browser, form, do="save", name="Late")
    assert status == 409 or status == 412, page.text


@pytest.mark.proves("K-62")
def test_what_is_wrong_is_said_at_its_field_and_what_was_typed_stays(
    room: Room, browser: Browser
) -> None:
    agent = demo(room, "ada")
    made(room, agent, name="Taken")
    form = filled(got(browser, "/routines/new"), "/routines/new")
    good = {"do": "save", "agent": agent, "name": "Mine", "description": "<Typed & kept>"}

    def fault(status: int, at: str, words: str, **more: str) -> None:
        got_status, page = tried(browser, form, **{**good, **more})
        assert got_status == status, page.text
        marked = [found for _, found in page.tags if found.get("aria-invalid") == "true"]
        assert [one["id"] for one in marked] == [at], page.text
        assert marked[0]["aria-describedby"] == f"{at}-fault"
        said = re.search(rf'id="{at}-fault">([^<]*)<', page.raw)
        assert said is not None and words in said[1], page.raw
        assert "&lt;Typed &amp; kept&gt;" in page.raw

    fault(422, "name", "Give it a name", name=" ")
    fault(409, "name", "Taken", name="Taken")
    fault(422, "agent", "Choose an agent", agent="")
    fault(422, "cron_1", "is not an hour", cron_1="0 25 * * *")
    fault(422, "cron_0", "five fields", cron_0="daily")
    fault(422, "zone_1", "Europe/Berlin", cron_1="0 5 * * *", zone_1="Berlin")
    fault(422, "catch_up_max", "from 0 to 100", catch_up_max="many")
    fault(422, "priority", "from -1000", priority="5000")
    fault(422, "task_title", "Give its task a title", task_description="No title")
    fault(422, "var_name_1", "cannot be the name", var_name_1="no name")
    fault(
        422, "var_default_1", "is a number", var_name_1="n", var_type_1="number", var_default_1="x"
    )
    fault(422, "var_options_1", "a select has options", var_name_1="s", var_type_1="select")
    assert [one["name"] for one in of_room(room)] == ["Taken"]
    assert tried(browser, form, **good)[0] == 303
    assert tried(browser, form, **good)[0] == 303, "sent twice it acts once"
    assert [one["name"] for one in of_room(room)] == ["Mine", "Taken"]
    status, page = tried(browser, form, **{**good, "name": "Other"})
    assert status == 409 and "sent already" in page.text


@pytest.mark.proves("N-20", "C-43")
def test_a_schedule_says_what_it_means_before_it_is_saved(room: Room, browser: Browser) -> None:
    agent = demo(room, "ada")
    page = got(browser, "/routines/new")
    assert "one that comes twice is taken the first time" in page.text, "beside the field"
    form = filled(page, "/routines/new")
    typed = {"agent": agent, "cron_0": "30 2 * * *", "zone_0": "Europe/Berlin"}
    status, page = tried(browser, form, do="check", **typed)
    assert status == 200 and not of_room(room)
    fragment = got(browser, "/routines/preview?cron=30+2+*+*+*&zone=Europe/Berlin")
    assert "<html" not in fragment.raw
    for shown in (page, fragment):
        assert "At 02:30" in shown.text or "02:30" in shown.text
        times = [found for tag, found in shown.tags if tag == "time" and found.get("datetime")]
        local = [one["datetime"] for one in times if "T02:30:00+0" in str(one["datetime"])]
        assert len(local) == 5
        assert "does not exist on" in shown.text and "comes twice on" in shown.text
    assert "is not an hour" in got(browser, "/routines/preview?cron=0+25+*+*+*").text
    assert got(browser, "/routines/preview").text == ""
    status, page = tried(browser, form, do="more-schedules", **typed)
    assert 'name="cron_1"' in page.raw and 'value="30 2 * * *"' in page.raw
    status, page = tried(browser, form, do="more-variables", var_name_0="a", **typed)
    assert 'name="var_name_3"' in page.raw and not of_room(room)


@pytest.mark.proves("K-62")
def test_the_list_switches_runs_and_leads_on(room: Room, browser: Browser) -> None:
    agent = demo(room, "ada")
    plain = made(room, agent, name="Plain", triggers=[schedule("0 5 * * *")])
    asks = made(room, agent, name="Asks", variables=[{"name": "what", "required": True}])
    page = got(browser, "/routines")
    assert f"/routines/{asks['id']}#fire" in page.links
    assert [one["data-opens"] for _, one in page.tags if "data-opens" in one][-1] == (
        f"fire-{asks['id']}"
    )
    move, fire = f"/routines/{plain['id']}/move", f"/routines/{plain['id']}/fire"
    assert page.form(move).choices == [("status", "paused")]
    page = sent(browser, page.form(move), status="paused")
    assert page.form(move).choices == [("status", "active")] and not page.has_form(fire)
    page = sent(browser, page.form(move), status="active")
    page = sent(browser, page.form(fire))
    assert "It was set off" in page.text
    switches = [found for _, found in got(browser, "/routines").tags if "aria-checked" in found]
    assert {one["role"] for one in switches} == {"switch"}


@pytest.mark.proves("K-62")
def test_taking_one_away_is_asked_about_first(room: Room, browser: Browser) -> None:
    agent = demo(room, "ada")
    routine = made(room, agent, name="Short-lived")
    place = f"/routines/{routine['id']}"
    page = got(browser, f"{place}/remove")
    assert page.links.count(place) >= 1 and of_room(room)[0]["status"] == "active"
    archive, remove = [form for form in page.forms if form.action == f"{place}/remove"]
    assert "It is archived" in sent(browser, archive, how="archive").text
    assert of_room(room)[0]["status"] == "archived"
    assert "It is gone" in sent(browser, remove, how="remove").text
    assert of_room(room) == []
    assert got(browser, f"{place}/edit", 404).text
