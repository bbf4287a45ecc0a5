"""What every page has around it: the glance, the words and figures of templates, refused forms."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar
from urllib.parse import urlencode

from flask import Flask, g, redirect, request
from werkzeug.wrappers import Response

from roundtable_desktop.dashboard import labels, money
from roundtable_desktop.dashboard.api.shapes import Say, asked
from roundtable_desktop.dashboard.api.status import sentence_of
from roundtable_desktop.dashboard.figures import Figures, known, span, spelled
from roundtable_desktop.dashboard.forms import form_once, new_key
from roundtable_desktop.dashboard.problems import Refusal, refusal_of
from roundtable_desktop.dashboard.reading import Query, read_query
from roundtable_desktop.dashboard.signin import current, local_path
from roundtable_desktop.engine.desk import Asked
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.errors import Broken, Refused
from roundtable_desktop.model.glance import Glance
from roundtable_desktop.model.printed import printed
from roundtable_desktop.model.records import Json
from roundtable_desktop.model.states import Health
from roundtable_desktop.model.times import instant, rfc3339
from roundtable_desktop.phrases import _, sentence
from roundtable_desktop.phrases.moved import code_of
from roundtable_desktop.phrases.on_pages import DONE, ON_PAGES
from roundtable_desktop.phrases.transcripts import left_out, size

R = TypeVar("R")

TOLD = "told"
SHORT = 8
"""Characters of an id that people see; any unique end of one is taken back."""


def pages(
    look: Look,
    health: Callable[[], Health],
    figures: Figures,
    say: Say,
    stopped_at: Callable[[], datetime | None] = lambda: None,
) -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        app.jinja_env.globals.update(new_key=new_key, said=say, pretty=pretty)
        app.jinja_env.filters.update(
            moment=figures.moment,
            clock=figures.clock,
            printed=printed,
            left_out=left_out,
            legible=lambda snapshot: legible(snapshot, figures),
            size=size,
            known=known,
            spelled=spelled,
            **money.FILTERS,
            dict=dict,
            label=labels.label,
            answer_label=labels.answer_label,
            item_label=labels.item_label,
            did_label=labels.did_label,
            moved_code=code_of,
            move_label=labels.move_label,
            gate_state=labels.gate_state,
            gate_label=labels.gate_label,
            cause_label=labels.cause_label,
            field_label=labels.field_label,
            error_label=labels.error_label,
            event_label=labels.event_label,
            tone=labels.tone,
            run_state=labels.run_state,
            short=lambda an_id: an_id[-SHORT:],
        )

        @app.context_processor
        def around() -> dict[str, Any]:
            """Nothing of it where nobody is signed in, or where a request ends badly."""
            caller = g.get("caller")
            if caller is None or g.get("failing"):
                return {"glance": None, "csrf": (caller and caller.csrf) or "", "here": None}
            glance = look.glance(health())
            now = look.now()
            return {
                "glance": glance,
                "csrf": caller.csrf or "",
                "here": g.get("here") or _here(),
                "told": _told(),
                "state": _state(glance, say, stopped_at()),
                "took": lambda begin, end: span(begin, end or now),
                "name_of": labels.actor_label,
            }

    return add


def _state(glance: Glance, say: Say, stopped_at: datetime | None) -> str:
    """Above all else that nothing is scheduled any more, and since when."""
    if stopped_at is not None and glance.health is Health.DEAD:
        return say("scheduler_dead_since", {"until": rfc3339(stopped_at)})
    return sentence_of(glance, say)


def _here() -> str:
    """Where this page is to be found again; what it was led to with is told once."""
    if TOLD not in request.args:
        return request.full_path.rstrip("?")
    rest = [(name, value) for name, value in request.args.items(multi=True) if name != TOLD]
    return f"{request.path}?{urlencode(rest)}" if rest else request.path


def _told() -> str:
    """That what was sent is done; only words of ours, whatever an address says."""
    code = request.args.get(TOLD, "")
    return _(DONE[code]) if code in DONE else ""


def page_query(model: type[Query]) -> Query:
    """What an address of a page asks for. What others hang on to it (`?from=mail`) asks nothing."""
    return read_query(model, unknown_too=False)


def pretty(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def legible(snapshot: Json, figures: Figures) -> Json:
    """A run's context as it is kept, but each cause with an instant that people can read."""
    wakes: Any = snapshot.get("wakes", ())
    told = [{**one, "at": figures.plain_moment(instant(one["at"]))} for one in wakes]
    return {**snapshot, "wakes": told}


def from_form() -> Asked:
    """Who asks, with the one-time key of the form."""
    return asked(current(), form_once())


def back_to(path: str, told: str = "") -> Response:
    """To a page of ours, to be got: loading it again sends nothing again. told: a code of DONE."""
    if not told:
        return redirect(local_path(path), 303)
    return redirect(local_path(f"{path}{'&' if '?' in path else '?'}{TOLD}={told}"), 303)


def tried(
    act: Callable[[], R],
    done: str | Callable[[R], str],
    again: Callable[[str], str],
    page: str | None = None,
    told: Callable[[R], str] = lambda _: "",
) -> Any:
    """Does it and leads to `done`; a refusal is said on the page itself, which `again` renders.

    page: the address at which that page renews itself, where it is another one than `done`.
    told: the code of what `done` says of what was done.
    """
    here = page or (done if isinstance(done, str) else "/")
    try:
        made = act()
    except Broken:
        raise
    except Refusal as unread:  # a field of the form; all else has a page of its own
        if unread.code != "invalid_form":
            raise
        g.here = here
        return again(_faults_said(unread)), unread.status
    except Refused as refused:
        g.here = here
        refusal = refusal_of(refused)
        code = "form_sent_already" if refused.code == "key_reused" else refusal.code
        return again(sentence(code, refusal.values, ON_PAGES)), refusal.status
    return back_to(done if isinstance(done, str) else done(made), told(made))


def _faults_said(refusal: Refusal) -> str:
    """Each field by the name that its label has."""
    named = [(one.pointer.strip("/").partition("/")[0], one.message) for one in refusal.faults]
    return " ".join(f"{labels.field_label(name)}: {message}." for name, message in named)
