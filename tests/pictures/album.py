"""Which pages there are, asked of the product itself, and how each is reached and judged."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from unittest.mock import patch
from urllib.parse import parse_qsl, urlsplit
from weakref import WeakKeyDictionary

from chromium import too_wide, violations
from playwright.sync_api import Page

from roundtable_desktop import app as product
from roundtable_desktop.dashboard.app import flask_app

NOT_FOR_PEOPLE = ("/api/", "/mcp", "/static/", "/healthz", "/office/")
TABS = "nav.tabs a[href*='?']:not([aria-current])"
PARTS_OF_PAGES = {"/runs/<>/transcript", "/routines/preview"}  # shown within a page
FILES = {"/runs/download"}  # no page
LOGIN = "/login"  # reached by a link that works once

View = tuple[int, Literal["light", "dark"]]
"""The width of the window, and the theme that its reader likes."""
VIEWS: tuple[View, ...] = ((1280, "light"), (1280, "dark"), (360, "light"), (360, "dark"))

Ids = Mapping[str, Mapping[str, str]]
"""By the noun that an address begins with, then by the name of the picture."""


@dataclass(frozen=True)
class Visit:
    """One address, and the name of its pictures. first: of its route."""

    name: str
    path: str
    first: bool = True


def routes(folder: Path) -> list[tuple[str, str]]:
    """All that the product answers: (method, path), with `<>` where an id stands.

    folder: for a home that is new.
    """
    with patch.object(product, "build_app", wraps=product.build_app) as build:
        owner = product.Owner(product.Home(folder), port=0)
        owner.start()
        owner.stop()
    [parts] = build.call_args.args
    return sorted(
        (method, re.sub("<[^>]*>", "<>", rule.rule))
        for rule in flask_app(parts).url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    )


def page_rules(folder: Path, method: str = "GET") -> list[str]:
    """The routes of the pages, or of what is sent from them; folder: for a home that is new."""
    shown = {path for way, path in routes(folder) if way == method}
    return sorted(one for one in shown if not one.startswith(NOT_FOR_PEOPLE))


def visits(rules: list[str], ids: Ids) -> tuple[list[Visit], list[str]]:
    """What to visit, and the routes for which nobody said what to put in the place of the id."""
    found, unknown = [], []
    for rule in rules:
        if rule in PARTS_OF_PAGES | FILES or rule == LOGIN:
            continue
        words = [word for word in rule.split("/") if word]
        if "<>" not in words:
            found.append(Visit("-".join(words) or "overview", rule))
        elif words.count("<>") == 1 and ids.get(words[0]):
            rest = [word for word in words if word != "<>"]
            for number, (name, one) in enumerate(ids[words[0]].items()):
                path = rule.replace("<>", one)
                found.append(Visit("-".join([*rest, name]), path, first=number == 0))
        else:
            unknown.append(rule)
    return found, unknown


def walk(page: Page, found: Iterable[Visit]) -> Iterator[Visit]:
    """Goes there one by one; where it is the first of its route, to the page's tabs as well, of
    those for one repository each to the first."""
    for visit in found:
        page.goto(visit.path)
        tabs = page.locator(TABS).evaluate_all("all => all.map(one => one.getAttribute('href'))")
        yield visit
        for path in _different(tabs) if visit.first else ():
            page.goto(path)
            words = [word for pair in parse_qsl(urlsplit(path).query) for word in pair]
            yield Visit("-".join([visit.name, *words]), path, first=False)


def _different(tabs: list[str]) -> list[str]:
    own = [path for path in tabs if "workspace=" not in path]
    return own + [path for path in tabs if path not in own][:1]


_themes: WeakKeyDictionary[Page, str] = WeakKeyDictionary()
"""Of the readers that were shown a page."""


def seen_as(page: Page, view: View) -> None:
    """Each change is the whole page drawn anew, so what holds already is left alone."""
    width, theme = view
    if _themes.get(page) != theme:
        page.emulate_media(color_scheme=theme)
        _themes[page] = theme
    if page.viewport_size != {"width": width, "height": 800}:
        page.set_viewport_size({"width": width, "height": 800})


def faults(
    page: Page,
    views: Iterable[View] = VIEWS,
    snap: Callable[[str], object] | None = None,
    judged: bool = True,
    without: tuple[str, ...] = (),
) -> Iterator[str]:
    """What is wrong with the page as it stands.

    snap: is told the name of each view, once it is there. judged: by axe, besides its width.
    without: selectors of what axe has judged elsewhere.
    """
    widths: set[int] = set()
    for width, theme in views:
        view = f"{width}-{theme}"
        seen_as(page, (width, theme))
        if beyond := too_wide(page):
            yield f"{view}: the page scrolls sideways: {beyond}"
        if snap is not None:
            snap(view)
        if not judged:
            continue
        found = violations(page, "colour" if width in widths else "all", without)
        yield from (f"{view}: {fault}" for fault in found)
        widths.add(width)
