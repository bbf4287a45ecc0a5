"""The first page: what is going on, and what waits for the person."""

from collections.abc import Callable

from flask import Flask, render_template

from roundtable_desktop.dashboard.api.proposals import row
from roundtable_desktop.dashboard.api.status import sentence_of, standing
from roundtable_desktop.dashboard.signin import current
from roundtable_desktop.engine.desk.look import Look


def pages(look: Look, health: Callable[[], str]) -> Callable[[Flask], None]:
    def add(app: Flask) -> None:
        @app.get("/")
        def overview() -> str:
            rooms = [
                {
                    "workspace": one,
                    "tasks": [standing(task) for task in look.standing(one)],
                    "proposals": [
                        row(offered)
                        for offered in look.proposals(
                            None, 50, workspace_id=one.id, status=("pending", "approved")
                        )
                    ],
                }
                for one in look.workspaces(None, 200)
            ]
            return render_template(
                "overview.html",
                rooms=rooms,
                scheduler=sentence_of(health(), look.intake()),
                csrf=current().csrf or "",
            )

    return add
