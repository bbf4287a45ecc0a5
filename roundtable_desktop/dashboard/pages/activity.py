"""The page of what happened: the feed as sentences, newest first, as somebody looks for it."""

from collections.abc import Callable
from typing import Annotated, Literal

from flask import Flask, g, render_template
from pydantic import Field

from roundtable_desktop.dashboard.api.shapes import Ref
from roundtable_desktop.dashboard.figures import Figures
from roundtable_desktop.dashboard.happened import told
from roundtable_desktop.dashboard.pages import filtering
from roundtable_desktop.dashboard.pages.filtering import Choice, Filtered
from roundtable_desktop.dashboard.pages.frame import page_query
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.feed import Sought
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.happened import GROUP_NAMES, GROUPS

NEWS = 50
"""What came while somebody reads, at most: with more of it the page is better begun anew."""

OF_ACTORS = {"you": "person", "agents": "agent", "roundtable": "system"}
STEPS = "steps"

Group = Literal[
    "tasks", "runs", "wakeups", "routines", "agents", "inbox", "work", "missions", "home", "steps"
]
Id = Annotated[int, Field(ge=0, le=2**62)]
About = Annotated[str, Field(max_length=200, pattern=r"^[a-z_]{1,40}:[^\x00-\x1f\x7f]{1,150}$")]


class ActivityShown(Filtered):
    """who: one of OF_ACTORS, or an agent. subject: its type and id. before: the event at which an
    older piece goes on. since_id: the newest event that was there when the page was loaded; what
    came after it stands above, so that nothing moves that is being read."""

    who: Literal["you", "agents", "roundtable"] | Ref | None = None
    kind: Group | None = None
    workspace: Ref | None = None
    subject: About | None = None
    before: Id | None = None
    since_id: Id | None = None


def pages(look: Look, figures: Figures) -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        app.jinja_env.filters.update(told=lambda one: told(one, figures))

        @app.get("/activity")
        def show_activity() -> str:
            query = page_query(ActivityShown)
            sought, chosen = _sought(query), query.chosen()
            since = look.last_event() if query.since_id is None else query.since_id
            newest = query.before is None
            if newest:
                g.here = filtering.address("/activity", chosen, since_id=since)
            before = since + 1 if query.before is None else query.before
            piece = look.lists.happened(before, query.limit, sought)
            news = look.lists.news(since, NEWS + 1, sought) if newest else []
            return render_template(
                "activity.html",
                happened=piece.found,
                news=news[:NEWS],
                more_news=len(news) > NEWS,
                newest=newest,
                chosen=chosen,
                choices=_choices(look),
                first_page=filtering.address("/activity", chosen),
                older=filtering.address("/activity", chosen, before=piece.on) if piece.on else None,
            )

    return add


def _choices(look: Look) -> dict[str, list[Choice]]:
    there = filtering.offered(look)
    actors = [("you", _("You")), ("agents", _("Every agent")), ("roundtable", _("Roundtable"))]
    return {
        "who": [*(Choice(*one) for one in actors), *there.agents],
        "kind": [Choice(group, _(word)) for group, word in GROUP_NAMES.items()],
        "workspace": there.workspaces,
    }


def _sought(query: ActivityShown) -> Sought:
    """Single steps are told only to who asks for them, or for one thing alone."""
    every = [one for one in GROUPS if one != STEPS or query.subject]
    groups = [query.kind] if query.kind else every
    actor_type = OF_ACTORS.get(query.who or "", "agent") if query.who else None
    subject_type, _colon, subject_id = (query.subject or "").partition(":")
    return Sought(
        kinds=[kind for group in groups for kind in GROUPS[group]],
        actor_type=actor_type,
        actor_id=query.who if query.who and query.who not in OF_ACTORS else None,
        workspace_id=query.workspace,
        subject_type=subject_type or None,
        subject_id=subject_id or None,
    )
