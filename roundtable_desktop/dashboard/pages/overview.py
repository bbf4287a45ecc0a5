"""The first page: what is going on, and what waits for the person."""

from collections.abc import Callable

from flask import Flask, render_template

from roundtable_desktop.dashboard.api.proposals import row
from roundtable_desktop.dashboard.api.shapes import Say
from roundtable_desktop.dashboard.api.status import standing
from roundtable_desktop.dashboard.pages.frame import page_query
from roundtable_desktop.dashboard.pages.inbox import Answered, asks
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.records import Workspace
from roundtable_desktop.model.states import LIVE_RUNS

TO_LOOK_AT = ("pending", "in_review", "approved", "conflicted")
ASKS = 3
RUNS = 6


def pages(look: Look, say: Say) -> Callable[[Flask], None]:
    def room(workspace: Workspace) -> dict[str, object]:
        offered = look.proposals(None, 50, workspace_id=workspace.id, status=TO_LOOK_AT)
        return {
            "workspace": workspace,
            "tasks": [standing(task, say) for task in look.standing(workspace)],
            "proposals": [row(one, by_hand=False) for one in offered],
            "names": {one.proposal.id: look.task(one.proposal.task_id) for one in offered},
        }

    def add(app: Flask) -> None:
        @app.get("/")
        def overview() -> str:
            query = page_query(Answered)
            live = look.placed(look.runs(None, 50, status=LIVE_RUNS))
            return render_template(
                "overview.html",
                rooms=[room(one) for one in look.workspaces(None, 200)],
                asks=asks(look, look.inbox(None, ASKS, status="open")),
                live_runs=live,
                ended=[] if live else look.placed(look.runs(None, RUNS)),
                answered=query.answered,
            )

    return add
