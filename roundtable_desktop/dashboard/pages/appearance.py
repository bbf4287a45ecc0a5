"""How the pages look and listen in this browser: light or dark, and whether single keys do things.

Kept in cookies, for it is a matter of the screen and of who sits before it, not of the home.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any, Literal

from flask import Flask, request
from pydantic import Field

from roundtable_desktop.dashboard.forms import read_form
from roundtable_desktop.dashboard.pages.frame import back_to
from roundtable_desktop.dashboard.reading import Words

THEME, KEYS = "roundtable-theme", "roundtable-keys"
KEPT = timedelta(days=365)


class Appearance(Words):
    """What is named is set. back: where the person was."""

    theme: Literal["light", "dark", "system"] | None = None
    keys: Literal["on", "off"] | None = None
    back: Annotated[str, Field(max_length=2000)] = "/"


def pages() -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        @app.context_processor
        def chosen() -> dict[str, Any]:
            """theme: empty follows the system. Whatever else a cookie says is passed over."""
            theme = request.cookies.get(THEME)
            return {
                "theme": theme if theme in ("light", "dark") else "",
                "keys_off": request.cookies.get(KEYS) == "off",
            }

        @app.post("/appearance")
        def choose() -> Any:
            wanted = read_form(Appearance)
            response = back_to(wanted.back)
            for name, value in ((THEME, wanted.theme), (KEYS, wanted.keys)):
                if value is not None:
                    # Lax: a page that a link elsewhere leads to has the same colours.
                    response.set_cookie(
                        name, value, max_age=KEPT, path="/", httponly=True, samesite="Lax"
                    )
            return response

    return add
