"""Every button of every page, found in what the server sends, and pressed by keys alone."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from hostile_text import PAYLOADS
from outside_house import Browser, House
from outside_pages import got
from playwright.sync_api import ElementHandle, Error, Page

EARLY = (
    "/inbox/<>/snooze",
    "/inbox/<>/put-away",
    "/runs/<>/message",
    "/proposals/<>/rebase",
    "/proposals/<>/verdicts",
    "/proposals/<>/remarks",
    "/missions/<>/impact",
    "/tasks/<>/decide",
)
LATE = ("/tasks/<>/move", "/routines/<>/remove", "/agents/<>/control", "/control", "/logout")
"""EARLY: what is possible once only. LATE: what ends or takes away what others are pressed on."""

IDLE = """() => [...document.querySelectorAll("button")]
  .filter(one => !one.form && !one.popoverTargetElement && one.getClientRects().length)
  .map(one => one.outerHTML.slice(0, 120))"""
"""Buttons that can be seen and lead nowhere, where no script gives them anything to do."""

FIND = """([action, name, value]) => [...document.querySelectorAll("form")]
  .filter(form => form.getAttribute("action") === action)
  .flatMap(form => [...form.querySelectorAll("button")])
  .find(one => one.name === name && (value === null || one.value === value)
    && one.tabIndex >= 0 && !one.closest("dialog"))"""
OPEN = """button => {
  const closed = [];
  for (let one = button.closest("details:not([open])"); one;
    one = one.parentElement.closest("details:not([open])")) closed.unshift(one);
  return closed.map(one => one.querySelector("summary"));
}"""
EMPTY = """button => [...button.form.elements].filter(one => one.willValidate && !one.value
  && (one.required || one.id === "remarks-note"
    || ["path", "command", "name"].includes(one.name)))"""
TICKS = "button => [...button.form.querySelectorAll('.pick input[type=checkbox]')].slice(0, 2)"

Places = list[tuple[str, str]]
"""The page and the address of the form."""


@dataclass(frozen=True)
class Offer:
    """route: with `<>` for ids. value: None where it is an id."""

    route: str
    name: str
    value: str | None


def every_button(
    house: House, paths: Iterable[str], routes: list[str]
) -> list[tuple[Offer, Places]]:
    """With the places where it stands, in an order in which most of them stay possible."""
    browser, found = Browser(house), dict[Offer, Places]()
    for path in paths:
        page = got(browser, path)
        tabs = [link for link in page.links if link.startswith(f"{path}?workspace=")]
        for place, shown in [(path, page), *((tab, got(browser, tab)) for tab in tabs[:1])]:
            for form in shown.forms:
                for name, value in form.choices if form.method == "post" else ():
                    offer = Offer(_route(form.action, routes), name, _known(value))
                    found.setdefault(offer, []).append((place, form.action))
    return sorted(found.items(), key=_late)


def _late(offered: tuple[Offer, Places]) -> tuple[int, bool]:
    offer = offered[0]
    late = LATE.index(offer.route) + 1 if offer.route in LATE else 0
    return (-1 if offer.route in EARLY else late, offer.value == "resume")


def _known(value: str) -> str | None:
    return None if re.fullmatch("[0-9a-z]{26}", value) else value


def _route(action: str, routes: list[str]) -> str:
    path = urlsplit(action).path
    fits = [one for one in routes if re.fullmatch(one.replace("<>", "[^/]+"), path)]
    return min(fits, key=lambda one: one.count("<>")) if fits else f"no route: {action}"


def press(page: Page, path: str, action: str, offer: Offer, folder: str) -> int | None:
    """Opens what hides the button, fills in what is wanted, and presses Enter on it.

    The status of the page that came of it; None where the button is there no more. folder: of a
    repository that is not registered yet.
    """
    button = _found(page, action, offer) if _shown(page) == path else None
    if button is None:
        page.goto(path)
        button = _found(page, action, offer)
    if button is None:
        return None
    for summary in _those(page, OPEN, button):
        summary.focus()
        page.keyboard.press("Enter")
    for field in _those(page, EMPTY, button):
        name = field.get_attribute("name") or ""
        field.fill({"path": folder, "command": "true", "variable": "MORE"}.get(name, PAYLOADS[1]))
    for box in _those(page, TICKS, button):
        box.check()
    button.focus()
    try:
        with page.expect_navigation(timeout=120_000) as answered:
            page.keyboard.press("Enter")
    except Error:
        return 599  # nothing came of it
    return answered.value.status if answered.value else None


def _shown(page: Page) -> str:
    """The address of the page as links have it: a press mostly ends on the page that it came from,
    made anew, with a word of what was done."""
    parts = urlsplit(page.url)
    asked = [word for word in parts.query.split("&") if word and not word.startswith("told=")]
    return f"{parts.path}?{'&'.join(asked)}" if asked else parts.path


def _found(page: Page, action: str, offer: Offer) -> ElementHandle | None:
    if page.evaluate("() => !document.querySelector('main')"):
        return None
    return page.evaluate_handle(FIND, [action, offer.name, offer.value]).as_element()


def _those(page: Page, script: str, button: ElementHandle) -> list[ElementHandle]:
    found = page.evaluate_handle(script, button).get_properties().values()
    return [one for handle in found if (one := handle.as_element())]
