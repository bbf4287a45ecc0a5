"""Every page that the product has, with all kinds of work and hostile text in every field."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import hostile_home
import pytest
from buttons import IDLE, every_button, press
from chromium import Watch, enter, unreached
from hostile_text import LINES, PAYLOADS
from outside_house import House
from outside_pages import OWN_TAGS
from pictures.album import VIEWS, Ids, Visit, faults, page_rules, visits, walk
from pictures.practice import furnish
from playwright.sync_api import BrowserContext, Page, expect

BUSY = 1200  # seconds; a minute on an idle machine, but much is drawn and much is started
SLOW = 120_000  # milliseconds of one step
WIDE, NARROW = VIEWS[0], VIEWS[3]  # each theme and each width; `dev.py pictures` looks at all four

LOOK = """([own, whole]) => {
  if (whole) document.querySelectorAll("details").forEach(one => one.open = true);
  const around = document.body.cloneNode(whole);
  for (const one of around.querySelectorAll("main, input[type=hidden]")) one.remove();
  for (const one of around.querySelectorAll("[aria-current]")) one.ariaCurrent = null;
  return {
    ran: typeof window.__x !== "undefined",
    text: whole ? document.body.innerText : "",
    around: around.innerHTML,
    active: [...document.querySelectorAll("*")].filter(one =>
      !own.includes(one.tagName.toLowerCase())
      || (one.tagName === "SCRIPT" && !one.getAttribute("src")?.startsWith("/static/"))
      || [...one.attributes].some(({ name, value }) => name.startsWith("on") || name === "style"
        || (["href", "src", "srcset", "action", "formaction", "xlink:href", "hx-get"].includes(name)
          && !(value === "" || "/#?".includes(value[0]) && value[1] !== "/"))))
      .map(one => one.outerHTML.slice(0, 160)),
  };
}"""
"""ran: a script of a payload. active: what is none of our tags, acts by itself, or leads elsewhere.
whole: with what is folded opened, and with its text and what stands around its own part."""
AROUND = ("body > :not(main)",)
ASKED = ("/search?q=", "/board?q=", "/runs?q=")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[tuple[House, Ids]]:
    """What the pictures show, and hostile text beside it."""
    (tmp_path / "home").mkdir()
    house = House(tmp_path / "home", hurried=True)
    try:
        hostile_home.fake_program(house)
        house.start()
        house.repository("more")
        ids = furnish(house).ids
        for noun, more in hostile_home.plant(house).items():
            ids.setdefault(noun, {}).update({f"hostile-{name}": one for name, one in more.items()})
        yield house, ids
    finally:
        house.close()


@pytest.mark.proves("E-01")
def test_a_new_route_is_visited_or_asked_about() -> None:
    rules = ["/", "/new", "/new/<>", "/runs/<>/diff", "/runs/<>/transcript", "/tasks/<>"]
    found, unknown = visits(rules, {"runs": {"long": "r1", "short": "r2"}, "tasks": {}})
    assert [one.path for one in found] == ["/", "/new", "/runs/r1/diff", "/runs/r2/diff"]
    assert unknown == ["/new/<>", "/tasks/<>"]


@pytest.mark.slow
@pytest.mark.timeout(BUSY)
@pytest.mark.proves("E-01", "E-02", "E-palette", "S-33", "S-34", "S-36", "S-37", "S-38")
def test_every_page_is_fit_for_everybody_takes_text_for_text_and_works(
    home: tuple[House, Ids],
    new_context: Callable[..., BrowserContext],
    watch: Watch,
    tmp_path: Path,
) -> None:
    """One home and one walk for all of it; `watch` hears errors, content policy reports and
    requests to elsewhere, and the log of the owner is read at the end."""
    house, ids = home
    watch.own.add(house.facts["browser_url"])
    found, unknown = visits(page_rules(tmp_path / "rules"), ids)
    assert not unknown, "furnish() remembers no id for these"
    context = new_context(base_url=house.facts["browser_url"])
    context.set_default_timeout(SLOW)
    page = context.new_page()
    enter(house, page)
    wrong = [*_seen(page, found), *_looked_for(page)]
    watch.check()
    context.close()
    watch.statuses.update({401, 404, 409, 422})  # of buttons that others made impossible
    without = new_context(base_url=house.facts["browser_url"], java_script_enabled=False)
    without.set_default_timeout(SLOW)
    page = without.new_page()
    enter(house, page)
    routes = page_rules(tmp_path / "actions", "POST")
    wrong += _pressed(house, page, [one.path for one in found], routes)
    assert not wrong, "\n".join(wrong)
    assert "Traceback" not in (house.home / "logs/roundtable.log").read_text()


def _seen(page: Page, found: list[Visit]) -> Iterator[str]:
    """In each theme and width axe finds nothing and nothing scrolls sideways; keys reach every
    control and it shows so; each payload is read as it was written. Of a page's further states only
    `dev.py pictures` asks axe. What stands around a page as it stood around another one is not
    judged once more, nor gone through with keys."""
    seen, arounds = "", set[str]()
    for visit in walk(page, found):
        look = _look(page, whole=True)
        yield from _active(page, look)
        seen += look["text"]
        known = look["around"] in arounds
        arounds.update([look["around"]] if visit.first else [])
        narrow = page.viewport_size is None or page.viewport_size["width"] == NARROW[0]
        views = (NARROW, WIDE) if narrow else (WIDE, NARROW)  # as it stands first
        for view in views if visit.first else [NARROW]:
            told = faults(page, [view], judged=visit.first, without=AROUND if known else ())
            yield from (f"{visit.path} {one}" for one in told)
            if view == NARROW:
                within = "html" if visit.first and not known else "main"
                yield from (f"{visit.path} {one}" for one in unreached(page, within))
    yield from (f"{one} was not shown, or not so" for one in PAYLOADS if one not in seen)


def _looked_for(page: Page) -> Iterator[str]:
    """What an address brings along, and what the palette finds, is text."""
    for path in (f"{way}{quote(line)}" for way in ASKED for line in LINES):
        page.goto(path)
        yield from _active(page, _look(page))
    page.goto("/board")
    page.keyboard.press("Control+k")
    hits = page.locator("#palette-hits")
    for line in LINES:
        page.locator("#palette-words").fill(line[:40])
        expect(hits.get_by_text(line[:40]).first).to_be_visible()
        yield from _active(page, _look(page))


def _look(page: Page, *, whole: bool = False) -> dict[str, Any]:
    look: dict[str, Any] = page.evaluate(LOOK, [sorted(OWN_TAGS), whole])
    return look


def _active(page: Page, look: dict[str, Any]) -> Iterator[str]:
    if look["ran"]:
        yield f"{page.url}: a script ran"
    yield from (f"{page.url} holds {one}" for one in look["active"])


def _pressed(house: House, page: Page, paths: list[str], routes: list[str]) -> Iterator[str]:
    """Every button, by keys and without scripts: all that the product takes from pages is offered
    there, and ends on a page that says so. What a press has made impossible is tried elsewhere."""
    worked = set[str]()
    house.post("/control", {"action": "pause"})  # what is pressed here need not be worked on
    for offer, places in every_button(house, paths, routes):
        for path, action in places[:4] if offer.route in worked else places:
            status = press(page, path, action, offer, str(house.root / "more"))
            if status is not None and status >= 500:
                yield f"{offer} on {path}: {status}"
            if status == (401 if offer.route == "/logout" else 200):
                worked.add(offer.route)
                break
        yield from (f"{page.url} shows {one}" for one in page.evaluate(IDLE))
        yield from _active(page, _look(page))
    yield from (f"{one} is no route" for one in worked.difference(routes))
    yield from (f"{one} was never pressed with success" for one in set(routes) - worked)
