"""A routine's webhooks on its page: added, switched on and off, given new secrets, taken away."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from flask import Flask, g, render_template
from pydantic import Field

from roundtable_desktop.dashboard.addresses import address
from roundtable_desktop.dashboard.api.shapes import Ref, Say, asked
from roundtable_desktop.dashboard.forms import form_once, read_form
from roundtable_desktop.dashboard.pages.frame import tried
from roundtable_desktop.dashboard.reading import Words
from roundtable_desktop.dashboard.signin import current
from roundtable_desktop.engine.desk import Desk, routines
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_routines import Recurring
from roundtable_desktop.engine.desk.triggers import Wanted
from roundtable_desktop.model.routines import Trigger
from roundtable_desktop.model.states import TriggerKind
from roundtable_desktop.model.webhooks import Delivery, SigningMode
from roundtable_desktop.phrases.curling import curl

SHOWN = 20
"""Deliveries on the page; the API has all."""


class Changed(Words):
    """trigger: empty for a new one. What `do` does not need is left as it came."""

    do: Literal["add", "change", "rotate", "on", "off", "remove"]
    trigger: Ref | Literal[""] = ""
    signing_mode: Literal["hmac_sha256", "bearer", "none"] = "hmac_sha256"
    secret: Annotated[str, Field(max_length=4096)] = ""
    accept_unsigned: Literal["", "on"] = ""


def hooks(
    seen: Recurring, secrets: Mapping[str, str] | None = None
) -> list[tuple[Trigger, str, str]]:
    """Each with its address, and with a call of it for a shell. secrets: those that are shown."""
    known = secrets or {}
    return [
        (one, url, curl(str(one.signing_mode), url, seen.routine.variables, known.get(one.id)))
        for one in seen.triggers
        if one.public_id and (url := address(one.public_id))
    ]


def came(look: Look, seen: Recurring) -> Sequence[Delivery]:
    """What came there lately."""
    return look.webhooks.deliveries(seen.routine, None, SHOWN)


def shown_once(look: Look, routine_id: str, secrets: Mapping[str, str]) -> str:
    """The page of secrets that were made just now; nothing shows them again."""
    g.here = f"/routines/{routine_id}"
    seen = look.routines.one(routine_id)
    new = [one for one in hooks(seen, secrets) if one[0].id in secrets]
    return render_template("webhook_made.html", seen=seen, hooks=new, secrets=secrets)


def pages(desk: Desk, look: Look, say: Say) -> Callable[[Flask], None]:
    def page(seen: Recurring, why: str = "") -> str:
        return render_template(
            "webhooks.html", seen=seen, refused=why, hooks=hooks(seen), deliveries=came(look, seen)
        )

    def add(app: Flask) -> None:
        @app.get("/routines/<ref>/webhooks")
        def show_webhooks(ref: str) -> str:
            return page(look.routines.one(ref))

        @app.post("/routines/<ref>/webhooks")
        def change_webhook(ref: str) -> Any:
            form, seen = read_form(Changed), look.routines.one(ref)
            routine = seen.routine
            by = asked(current(), form_once(), routine.revision)
            made: dict[str, str] = {}

            def act() -> None:
                wanted = _wanted(seen, form)
                made.update(routines.edited(desk, by, routine.id, None, wanted, {}).secrets)

            answer = tried(
                act,
                f"/routines/{routine.id}/webhooks",
                lambda why: page(look.routines.one(routine.id), why),
                told=lambda _: "webhook_gone" if form.do == "remove" else "webhook_changed",
            )
            return shown_once(look, routine.id, made) if made else answer

    return add


def _wanted(seen: Recurring, form: Changed) -> list[Wanted]:
    """All its triggers, of which one is changed."""
    others = [Wanted(id=one.id) for one in seen.triggers if one.id != form.trigger]
    if form.do == "remove":
        return others
    mode, unsigned = SigningMode(form.signing_mode), form.accept_unsigned == "on"
    secret = form.secret or None
    named = form.trigger or None
    match form.do:
        case "add":
            one = Wanted(
                TriggerKind.WEBHOOK, signing_mode=mode, secret=secret, accept_unsigned=unsigned
            )
        case "change":
            one = Wanted(id=named, signing_mode=mode, secret=secret, accept_unsigned=unsigned)
        case "rotate":
            one = Wanted(id=named, rotate=True)
        case _:
            one = Wanted(id=named, enabled=form.do == "on")
    return [*others, one]
