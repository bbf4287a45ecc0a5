"""The pages of wakeups: who is to be woken and why, what became of each, and its way back."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, get_args

from flask import Flask, render_template
from pydantic import Field

from roundtable_desktop.dashboard import badges
from roundtable_desktop.dashboard.api.explanations import explained
from roundtable_desktop.dashboard.api.shapes import Ref, Say
from roundtable_desktop.dashboard.api.wakeups import Sources
from roundtable_desktop.dashboard.forms import read_form
from roundtable_desktop.dashboard.pages import filtering
from roundtable_desktop.dashboard.pages.filtering import Choice, Filtered
from roundtable_desktop.dashboard.pages.frame import from_form, page_query, tried
from roundtable_desktop.dashboard.reading import Asked, Words, cut
from roundtable_desktop.engine.desk import Desk, waking
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_lists import Woken
from roundtable_desktop.model.records import Wakeup
from roundtable_desktop.model.states import WakeupStatus
from roundtable_desktop.model.times import instant
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.foresight import WORDS

Status = Literal["queued", "claimed", "coalesced", "skipped", "finished", "failed", "cancelled"]


class WakeupsShown(Filtered):
    status: Status | None = None
    source: Sources | None = None
    agent: Ref | None = None
    workspace: Ref | None = None


class TakenBack(Words):
    """back: where the person was."""

    back: Annotated[str, Field(max_length=2000)] = "/"


def pages(
    desk: Desk, look: Look, say: Say, overview: Callable[[str], str]
) -> Callable[[Flask], None]:
    """overview: that page, with a refusal on it."""

    def add(app: Flask) -> None:
        app.jinja_env.filters.update(wakeup_state=badges.state_of, cause=cause, instant=instant)
        app.jinja_env.filters.update(recovered=badges.recovered)

        @app.get("/wakeups")
        def list_wakeups() -> str:
            return page_of(look, say, page_query(WakeupsShown))

        @app.get("/wakeups/<ref>")
        def show_wakeup(ref: str) -> str:
            page_query(Asked)
            return one_of(look, say, look.wakeup(ref))

        @app.post("/wakeups/<ref>/cancel")
        def cancel_wakeup(ref: str) -> Any:
            form, asked, wakeup = read_form(TakenBack), from_form(), look.wakeup(ref)
            on_list = form.back.partition("?")[0] == "/wakeups"

            def again(why: str) -> str:
                if form.back == "/":
                    return overview(why)
                if on_list:
                    return page_of(look, say, filtering.again(WakeupsShown, form.back), why)
                return one_of(look, say, look.wakeup(wakeup.id), why)

            return tried(
                lambda: waking.cancel(desk, asked, wakeup.id),
                form.back if form.back == "/" or on_list else f"/wakeups/{wakeup.id}",
                again,
                told=lambda gone: "wakeup_taken_back",
            )

    return add


def cause(code: str) -> str:
    """What woke it, what it waits for, or why: in words."""
    return _(WORDS[code]) if code in WORDS else code


def page_of(look: Look, say: Say, query: WakeupsShown, refused: str = "") -> str:
    found = look.wakeups(
        query.after,
        query.limit + 1,
        status=query.status,
        source=query.source,
        agent_id=query.agent,
        workspace_id=query.workspace,
    )
    kept, cursor = cut(found, query.limit, lambda one: one.id)
    chosen, there = query.chosen(), filtering.offered(look)
    return render_template(
        "wakeups.html",
        wakeups=[(one, _waits(one, say)) for one in look.lists.woken(kept, look.now())],
        chosen=chosen,
        choices={
            "status": [Choice(one, badges.status_word(one)) for one in get_args(Status)],
            "source": [Choice(one, cause(one)) for one in get_args(Sources)],
            "agent": there.agents,
            "workspace": there.workspaces,
        },
        first=query.cursor is None,
        newest=filtering.address("/wakeups", chosen),
        older=filtering.address("/wakeups", chosen, cursor=cursor) if cursor else None,
        here_again=filtering.address("/wakeups", chosen, cursor=query.cursor),
        refused=refused,
    )


def one_of(look: Look, say: Say, wakeup: Wakeup, refused: str = "") -> str:
    (woken,) = look.lists.woken([wakeup], look.now())
    why = look.explain_wakeup(wakeup)
    return render_template(
        "wakeup.html",
        woken=woken,
        wakeup=wakeup,
        why=explained(why, say),
        waits=wakeup.status is WakeupStatus.QUEUED,
        run=look.run(wakeup.run_id) if wakeup.run_id else None,
        refused=refused,
    )


def _waits(one: Woken, say: Say) -> str:
    return say(one.waits.code, dict(one.waits.values)) if one.waits else ""
