"""The page of all proposals, filtered by its address."""

from collections.abc import Callable, Mapping
from typing import get_args

from flask import Flask, render_template

from roundtable_desktop.dashboard.api.proposals import State
from roundtable_desktop.dashboard.api.shapes import Ref, Say
from roundtable_desktop.dashboard.pages import filtering
from roundtable_desktop.dashboard.pages.filtering import Choice, Filtered, Numbered
from roundtable_desktop.dashboard.pages.frame import page_query
from roundtable_desktop.dashboard.pages.proposals import shown
from roundtable_desktop.dashboard.reading import cut
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.marking import N_

HERE = "/proposals"
STATES: Mapping[State, str] = {
    "waiting": N_("Waiting"),
    "held": N_("Held"),
    "delivered": N_("Delivered"),
    "rejected": N_("Rejected"),
    "replaced": N_("Replaced"),
}


class ProposalsShown(Filtered):
    """task: T-3, in every workspace, or an id."""

    status: State | None = None
    agent: Ref | None = None
    task: Numbered | None = None
    workspace: Ref | None = None


def pages(look: Look, say: Say) -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        @app.get(HERE)
        def list_proposals() -> str:
            return _page(look, say, page_query(ProposalsShown))

    return add


def _page(look: Look, say: Say, query: ProposalsShown) -> str:
    found = look.proposals(
        query.after,
        query.limit + 1,
        state=query.status,
        agent_id=query.agent,
        task_id=filtering.tasks(look, query.task),
        workspace_id=query.workspace,
    )
    kept, cursor = cut(found, query.limit, lambda one: one.proposal.id)
    placed = look.placed_proposals(one.proposal for one in kept)
    chosen, there = query.chosen(), filtering.offered(look)
    return render_template(
        "proposals.html",
        proposals=[(shown(one, say), placed[one.proposal.id]) for one in kept],
        chosen=chosen,
        choices={
            "status": [Choice(one, _(STATES[one])) for one in get_args(State)],
            "agent": there.agents,
            "workspace": there.workspaces,
        },
        first=query.cursor is None,
        newest=filtering.address(HERE, chosen),
        older=filtering.address(HERE, chosen, cursor=cursor) if cursor else None,
    )
