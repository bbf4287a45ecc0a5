"""The page of the search: what the palette finds, by a plain form."""

from collections.abc import Callable

from flask import Flask, render_template

from roundtable_desktop.dashboard.api.search import SearchAsked, shown
from roundtable_desktop.dashboard.pages.frame import page_query
from roundtable_desktop.dashboard.places import PLACES, Place
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.phrases import _


def pages(look: Look) -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        @app.get("/search")
        def search() -> str:
            text = page_query(SearchAsked).q
            return render_template(
                "search.html",
                asked_for=text,
                here_too=_called(text),
                hits=[shown(one) for one in look.search.by_name(text)],
            )

    return add


def _called(text: str) -> list[Place]:
    """Pages whose names have every word; none where nothing is looked for."""
    words = text.lower().split()
    return [one for one in PLACES if words and all(word in _(one.name).lower() for word in words)]
