"""The seed's addresses of pages, under /office, lead to ours (C-88)."""

from collections.abc import Callable
from urllib.parse import quote

from flask import Flask
from werkzeug.wrappers import Response

from roundtable_desktop.dashboard.pages.frame import back_to


def pages() -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        @app.get("/office/routines")
        def office_routines() -> Response:
            return back_to("/routines")

        @app.get("/office/routines/<ref>")
        def office_routine(ref: str) -> Response:
            return back_to(f"/routines/{quote(ref, safe='')}")

        @app.get("/office/agents/<agent>/runs/<ref>")
        def office_run(agent: str, ref: str) -> Response:
            return back_to(f"/runs/{quote(ref, safe='')}")

    return add
