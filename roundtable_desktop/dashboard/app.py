"""The Flask application of the dashboard, put together from parts that are handed in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from flask import Flask, Response, g, render_template, request, send_from_directory
from werkzeug.exceptions import MethodNotAllowed

import roundtable_desktop
from roundtable_desktop.dashboard import problems, standstill
from roundtable_desktop.dashboard.guard import BODY_LIMIT, REQUEST_ID, WEBHOOKS, Doors, Guard
from roundtable_desktop.dashboard.opening import is_open, open_to_all
from roundtable_desktop.dashboard.problems import Refusal
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import SignIn, local_path
from roundtable_desktop.dashboard.templates import Templates
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.phrases import sentence

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

Health = Literal["ok", "degraded", "dead"]

STATIC_AGE = 3600  # seconds; every page asks with the version, so an update is seen at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """health: of the scheduler. api: all its routes declared. pages: each adds its views.
    stands_at: where a test clock stands, which every page warns of."""

    doors: Doors
    ids: Ids
    signin: SignIn
    health: Callable[[], Health]
    api: Api
    pages: Sequence[Callable[[Flask], None]] = ()
    stands_at: Callable[[], datetime | None] = lambda: None


def build_app(parts: Parts) -> "WSGIApplication":
    """The whole of it: nothing reaches Flask but through the guard."""
    return Guard(flask_app(parts), parts.doors, parts.ids)


def flask_app(parts: Parts) -> Flask:
    web = web_folder()
    app = Flask("roundtable_desktop", static_folder=None, template_folder=str(web / "templates"))
    app.jinja_environment = Templates
    app.debug = False  # whatever FLASK_DEBUG says (S-32)
    app.config["MAX_FORM_MEMORY_SIZE"] = BODY_LIMIT  # the guard's limit, not werkzeug's half of it
    app.url_map.merge_slashes = False  # no redirect that nobody asked for
    app.jinja_env.globals.update(
        test_clock=lambda: _warning(parts.stands_at()),
        renews=(web / "static" / "vendor" / "made-from.txt").is_file(),
    )
    problems.install(app)
    _check_callers(app, parts)
    _add_open_views(app, parts, web / "static")
    _add_signing_in(app, parts)
    parts.api.install(app)
    for add_pages in parts.pages:
        add_pages(app)
    return app


def _warning(stands_at: datetime | None) -> str:
    return sentence("clock_stands", {"now": rfc3339(stands_at)}) if stands_at else ""


def web_folder() -> Path:
    """Templates and static files: inside the wheel, or beside the package in a checkout."""
    package = Path(str(resources.files(roundtable_desktop)))
    inside = package / "web"
    return inside if inside.is_dir() else package.parent / "web"


def _check_callers(app: Flask, parts: Parts) -> None:
    """Closed unless marked: a view that forgets to say anything needs a signed-in caller."""

    @app.before_request
    def check() -> Response | None:
        g.request_id = request.environ.get(REQUEST_ID, "")
        if is_open(app.view_functions.get(request.endpoint or "")) or _is_no_call():
            return None
        g.caller = caller = parts.signin.identify()
        if caller is None:
            return _signed_out(parts)
        parts.signin.check_csrf(caller)
        standstill.check(parts.health())
        return None


def _is_no_call() -> bool:
    """A webhook's address, asked by another method: that is said to everybody (S-52)."""
    wrong = isinstance(request.routing_exception, MethodNotAllowed)
    return wrong and request.path.startswith(WEBHOOKS)


def _signed_out(parts: Parts) -> Response:
    """401 either way. The page offers its own path again: a link from elsewhere comes without
    the cookie, the second step, from our own page, has it (S-21)."""
    if problems.is_for_programs(request.path):
        raise Refusal(401, "signed_out", headers={"WWW-Authenticate": "Bearer"})
    can_hold_a_cookie = request.host == parts.doors.browser_host
    again = local_path(request.full_path.rstrip("?")) if can_hold_a_cookie else None
    return Response(render_template("signed_out.html", again=again), 401)


def _add_open_views(app: Flask, parts: Parts, static_folder: Path) -> None:
    @app.get("/healthz")
    @open_to_all
    def healthz() -> tuple[dict[str, str], int]:
        status = parts.health()
        return {"status": status}, 503 if status == "dead" else 200

    @app.get("/static/<path:filename>")
    @open_to_all
    def static(filename: str) -> Response:
        return send_from_directory(static_folder, filename, max_age=STATIC_AGE)


def _add_signing_in(app: Flask, parts: Parts) -> None:
    signin = parts.signin

    @app.get("/login")
    @open_to_all
    def login() -> Response:
        """200 and a meta refresh: after a redirect that began elsewhere Chromium leaves a
        SameSite=Strict cookie out (S-21)."""
        if request.method == "HEAD":  # it looks and changes nothing (W6)
            return Response()
        session_id = signin.begin(request.args.get("once", ""))
        shown = render_template("login.html", next=local_path(request.args.get("next", "/")))
        response = Response(shown, headers={"Referrer-Policy": "no-referrer"})
        signin.set_cookie(response, session_id)
        return response

    @app.post("/logout")
    def logout() -> Response:
        signin.end()
        response = Response(status=303, headers={"Location": "/"})
        signin.drop_cookie(response)
        return response
