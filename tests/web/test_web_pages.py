"""What pages say of their own renewal, with the browser's libraries and without them."""

import json
import re

import jinja2
import pytest
from _web import PROJECT
from flask import Flask

from roundtable_desktop.dashboard.templates import Templates


def render(name: str, **given: object) -> str:
    return engine().get_template(name).render(given)


def engine() -> Templates:
    loader = jinja2.FileSystemLoader(PROJECT / "templates")
    return Templates(Flask("pages"), loader=loader, autoescape=True)


@pytest.mark.parametrize("csrf", ["", "secret"])
@pytest.mark.parametrize("renews", [True, False])
def test_scripts_are_for_the_signed_in_where_they_can_work(csrf: str, renews: bool) -> None:
    shown = render("scripts.html", csrf=csrf, renews=renews)
    assert ("<script" in shown) == bool(csrf), "keys and palette need no libraries"
    assert ("live.js" in shown) == bool(csrf and renews)
    assert ('content="secret"' in shown) == bool(csrf)


def test_without_the_libraries_the_page_says_what_to_do() -> None:
    assert "load the page again" in render("connection.html", renews=False)
    assert re.search(r">\s*</span>", render("connection.html", renews=True))


@pytest.mark.proves("F-20")
@pytest.mark.parametrize(
    ("kind", "words"), [("doctor", "when its cause is gone"), ("permission", "when the run does")]
)
def test_an_item_without_an_answer_says_when_it_ends(kind: str, words: str) -> None:
    environment = engine()
    for name in re.findall(r"\| (\w+)", (PROJECT / "templates" / "parts.html").read_text()):
        environment.filters.setdefault(name, lambda value, *_: value)  # words, times
    environment.globals.update(said=lambda code, data: code, keys=str)
    item = {"id": "1", "kind": kind, "status": "open", "code": "x", "data": {"options": []}}
    parts = environment.get_template("parts.html").make_module({})
    shown = str(parts.ask_card({"item": item}, "/", None))  # type: ignore[attr-defined]
    assert f"It ends {words}." in shown


@pytest.mark.proves("S-29")
def test_htmx_is_told_to_keep_to_the_content_policy() -> None:
    shown = render("scripts.html", csrf="secret", renews=True)
    told = re.search(r"name=\"htmx-config\" content='([^']+)'", shown)
    assert told is not None
    assert json.loads(told[1]) == {
        "allowEval": False,
        "allowScriptTags": False,
        "historyCacheSize": 0,
        "includeIndicatorStyles": False,
        "selfRequestsOnly": True,
    }
