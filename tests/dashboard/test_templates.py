"""Whatever a template names is there: what is wrong in a branch shows only when it is taken."""

from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask, g
from jinja2 import Environment, meta, nodes

from roundtable_desktop.dashboard.app import Parts, flask_app, web_folder
from roundtable_desktop.dashboard.pages import all_of_them, frame
from roundtable_desktop.dashboard.routes import Api

TEMPLATES = sorted(one.name for one in (web_folder() / "templates").glob("*.html"))
BY_NAME = {"select": 0, "reject": 0, "selectattr": 1, "rejectattr": 1}
"""Filters that are given the name of a test, and where."""


@pytest.fixture(scope="module")
def app() -> Flask:
    nobody: Any = None
    look: Any = SimpleNamespace(glance=lambda _: None, now=lambda: datetime.now(UTC))
    shown = all_of_them(nobody, look, nobody or (lambda: nobody), "UTC", nobody, nobody)
    return flask_app(
        Parts(
            doors=nobody,
            ids=nobody,
            signin=nobody,
            health=lambda: "ok",
            api=Api("Roundtable Desktop", "1"),
            pages=shown,
        )
    )


@pytest.fixture
def known(app: Flask, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """What every template has, whichever view shows it."""
    monkeypatch.setattr(frame, "sentence_of", lambda glance, say: "")
    with app.test_request_context("/"):
        g.caller = SimpleNamespace(csrf="secret")
        around: dict[str, Any] = {}
        app.update_template_context(around)
    return {*around, *app.jinja_env.globals}


def _own(tree: nodes.Template) -> Iterator[str]:
    """What it makes or takes from another template: blocks count it as coming from outside."""
    for taken in tree.find_all(nodes.FromImport):
        yield from (one if isinstance(one, str) else one[1] for one in taken.names)
    for made in tree.find_all(nodes.Macro):
        yield made.name


def _missed(source: str, environment: Environment) -> Iterator[str]:
    """What it takes from another template that has no such thing."""
    for taken in environment.parse(source).find_all(nodes.FromImport):
        assert isinstance(taken.template, nodes.Const)
        there = (web_folder() / "templates" / taken.template.value).read_text()
        made = {one.name for one in environment.parse(there).find_all(nodes.Macro)}
        names = (one if isinstance(one, str) else one[0] for one in taken.names)
        yield from (f"macro {name}" for name in names if name not in made)


def unknown(source: str, environment: Environment, known: set[str]) -> Iterator[str]:
    tree = environment.parse(source)
    named = [one.name for one in tree.find_all(nodes.Test)]
    used = []
    for one in tree.find_all(nodes.Filter):
        used.append(one.name)
        given = [arg.value for arg in one.args if isinstance(arg, nodes.Const)]
        named += given[BY_NAME[one.name] :][:1] if one.name in BY_NAME else []
        used += given[:1] if one.name == "map" else []
    free = meta.find_undeclared_variables(tree) - known - set(_own(tree))
    called = {
        one.node.name for one in tree.find_all(nodes.Call) if isinstance(one.node, nodes.Name)
    }
    yield from (f"filter {name}" for name in used if name not in environment.filters)
    yield from (f"test {name}" for name in named if name not in environment.tests)
    yield from (f"function {name}" for name in sorted(free & called))
    yield from _missed(source, environment)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_names_nothing_that_is_not_there(app: Flask, known: set[str], name: str) -> None:
    source = (web_folder() / "templates" / name).read_text()
    assert list(unknown(source, app.jinja_env, known)) == []
    app.jinja_env.get_template(name)


def test_what_is_not_there_is_found_in_any_branch(app: Flask, known: set[str]) -> None:
    source = """{% from "parts.html" import chip, chop %}{{ chip() }}
    {% if a %}{{ a | last_words }}{% if a is leading %}{{ nothing(a) }}{% endif %}
    {{ a | selectattr('b', 'missing') | map('gone') | list }}{{ _('x') }}{% endif %}"""
    found = list(unknown(source, app.jinja_env, known))
    assert sorted(found) == [
        "filter gone",
        "filter last_words",
        "function nothing",
        "macro chop",
        "test leading",
        "test missing",
    ]
