"""Webhooks at their routine's pages, by plain forms; and the calls that they show really work."""

import html
import re
import subprocess
from typing import Any

import pytest
from outside_house import Browser, House, Room
from outside_pages import Form, Page, check_inert, got, send, sent
from outside_routines import made
from outside_talk import demo, office


@pytest.fixture(scope="module")
def browser(shared: House) -> Browser:
    return Browser(shared)


def calls(page: Page) -> list[str]:
    """What a person would copy."""
    found = re.findall(r'<textarea id="call-[^>]*>(.*?)</textarea>', page.raw, re.S)
    return [html.unescape(one) for one in found]


def shell(text: str) -> Any:
    done = subprocess.run(["sh", "-c", text], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    return done.stdout


def answered(browser: Browser, form: Form, **more: str) -> Page:
    """By a page that stands at no address: what it shows is shown once."""
    answer = send(browser, form, **more)
    assert answer.status == 200, answer.text
    return check_inert(answer.text)


def one_time_secret(page: Page) -> str:
    assert "shown this once" in page.text
    found = re.search(r'<input id="secret-\w+" value="([^"]+)"', page.raw)
    assert found is not None
    return found[1]


@pytest.mark.slow
@pytest.mark.proves("C-68", "C-80 webhooks", "K-21", "S-50")
def test_a_webhook_is_added_called_rotated_and_taken_away(room: Room, browser: Browser) -> None:
    declared = [{"name": "branch", "required": True, "default": "it's"}]
    routine = made(room, demo(room, cooldown_sec=0), name="Hooked", variables=declared)
    place = f"/routines/{routine['id']}/webhooks"
    assert place in got(browser, f"/routines/{routine['id']}").links
    page = answered(browser, got(browser, place).form(place), do="add")
    secret = one_time_secret(page)
    (call,) = calls(page)
    assert '"source":"webhook"' in shell(call)
    page = got(browser, f"/routines/{routine['id']}")
    assert "by its webhook" in page.text and "It set the routine off." in page.text
    page = got(browser, place)
    assert secret not in page.raw and page.raw.count("data-copies") == 1
    (call,) = calls(page)
    assert "webhook_refused" in shell(call), "the secret is to be put in"
    again = re.sub("SECRET=.*", f"SECRET={secret}", call)
    assert '"source":"webhook"' in shell(again)

    (trigger,) = [
        one
        for one in office(room.house, "GET", f"/{routine['id']}").json["triggers"]
        if one["kind"] == "webhook"
    ]
    own = next(one for one in forms(page, place) if one.fields.get("trigger") == trigger["id"])
    newer = one_time_secret(answered(browser, own, do="rotate"))
    assert newer != secret and '"source":"webhook"' in shell(again.replace(secret, newer))
    own = next(one for one in forms(got(browser, place), place) if "trigger" in one.fields)
    page = sent(browser, own, do="off")
    assert "Off" in page.text and "webhook_refused" in shell(again)
    for words, status in (
        ({"signing_mode": "none"}, 422),
        ({"signing_mode": "bearer", "secret": "short"}, 422),
        ({"signing_mode": "bearer", "secret": "a bearer"}, 422),
    ):
        answer = send(browser, got(browser, place).form(place), do="add", **words)
        assert answer.status == status and 'role="alert"' in answer.text, words
    more = {"signing_mode": "bearer", "secret": "its-own-secret"}
    page = sent(browser, got(browser, place).form(place), do="add", **more)
    assert "its-own-secret" not in page.raw
    bearer = next(one for one in calls(page) if "Bearer" in one)
    assert '"source":"webhook"' in shell(re.sub("SECRET=.*", "SECRET=its-own-secret", bearer))
    unsigned = {"signing_mode": "none", "accept_unsigned": "on"}
    page = sent(browser, got(browser, place).form(place), do="add", **unsigned)
    open_call = next(one for one in calls(page) if "SECRET" not in one)
    assert '"source":"webhook"' in shell(open_call)
    own = next(one for one in forms(page, place) if one.fields.get("trigger") == trigger["id"])
    page = sent(browser, own, do="remove")
    assert "The webhook is gone" in page.text and len(calls(page)) == 2


def forms(page: Page, action: str) -> list[Form]:
    return [one for one in page.forms if one.action == action]


@pytest.mark.slow
@pytest.mark.proves("C-80 webhooks")
def test_the_form_of_a_routine_makes_one_and_keeps_it(room: Room, browser: Browser) -> None:
    agent = demo(room)
    form = got(browser, "/routines/new").form("/routines/new")
    words = {"name": "By form", "agent": agent, "hook_new": "hmac_sha256", "do": "save"}
    more = {
        "concurrency_policy": "coalesce_if_active",
        "catch_up_policy": "skip_missed",
        "catch_up_max": "25",
        "priority": "0",
        "probe": "none",
    }
    page = answered(browser, form, **words, **more)
    (call,) = calls(page)
    assert '"source":"webhook"' in shell(call) and one_time_secret(page)
    (routine,) = office(room.house, "GET", f"?workspace_id={room.id}").json["items"]
    place = f"/routines/{routine['id']}/edit"
    form = got(browser, place).form(place)
    assert form.fields["hook_0"]
    page = sent(browser, form, do="save", name="By form", agent=words["agent"], **more)
    assert "It is changed" in page.text
    kinds = {
        one["kind"]: one["enabled"]
        for one in office(room.house, "GET", f"/{routine['id']}").json["triggers"]
    }
    assert kinds["webhook"] is False, "a box that is not ticked switches it off"
    assert "webhook_refused" in shell(call)
