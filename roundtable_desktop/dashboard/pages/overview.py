"""The first page: what is going on, and what waits for the person."""

from collections.abc import Callable
from typing import Any

from flask import Flask, render_template

from roundtable_desktop.dashboard.api.held import held
from roundtable_desktop.dashboard.api.shapes import Say
from roundtable_desktop.dashboard.api.status import later, standing
from roundtable_desktop.dashboard.pages.frame import page_query
from roundtable_desktop.dashboard.pages.inbox import Answered, asks
from roundtable_desktop.dashboard.pages.missions import shown as mission_shown
from roundtable_desktop.dashboard.pages.proposals import shown
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.records import Workspace
from roundtable_desktop.model.states import LIVE_RUNS, AgentStatus, TaskStatus

UNFINISHED = ("pending", "in_review", "approved", "conflicted")
ASKS = 3
RUNS = 6


def pages(look: Look, say: Say) -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        @app.get("/")
        def overview() -> str:
            return page(look, say, answered=page_query(Answered).answered)

    return add


def page(look: Look, say: Say, refused: str = "", *, answered: str | None = None) -> str:
    live = look.placed(look.runs(None, 50, status=LIVE_RUNS))
    running = {one.task.id for one in live if one.task}
    rooms = [_room(look, say, one, running) for one in look.workspaces(None, 200)]
    return render_template(
        "overview.html",
        rooms=sorted(rooms, key=lambda one: not (one["proposals"] or one["any_open"])),
        held=held(look.accounts_held(), say),
        missions=[mission_shown(one, say) for one in look.missions.alive()],
        asks=asks(look, look.inbox(None, ASKS, status="open")),
        live_runs=live,
        ended=[] if live else look.placed(look.runs(None, RUNS)),
        answered=answered,
        refused=refused,
    )


def _room(look: Look, say: Say, workspace: Workspace, running: set[str]) -> dict[str, Any]:
    """Its proposals, and its open tasks but for those that are here as a run or a proposal; who
    can be woken, and who will be."""
    offered = look.proposals(None, 50, workspace_id=workspace.id, status=UNFINISHED)
    open_tasks = look.standing(workspace)
    here = {(one, TaskStatus.IN_PROGRESS) for one in running}
    here |= {(one.proposal.task_id, TaskStatus.IN_REVIEW) for one in offered}
    agents = look.agents(None, 200, workspace_id=workspace.id)
    return {
        "workspace": workspace,
        "tasks": [
            standing(one, say) for one in open_tasks if (one.task.id, one.task.status) not in here
        ],
        "any_open": bool(open_tasks),
        "proposals": [shown(one, say) for one in offered],
        "names": {one.proposal.id: look.task(one.proposal.task_id) for one in offered},
        "agents": [one for one in agents if one.status is not AgentStatus.RETIRED],
        "later": [later(one) for one in look.waking.to_come(workspace)],
    }
