"""The forms of a task's page that move it, block it, or answer what it asks."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from flask import Flask

from roundtable_desktop.dashboard.api.approvals import Decision
from roundtable_desktop.dashboard.api.board import Block, Move
from roundtable_desktop.dashboard.api.shapes import Ref, Say
from roundtable_desktop.dashboard.forms import read_form
from roundtable_desktop.dashboard.pages.frame import from_form, tried
from roundtable_desktop.dashboard.pages.tasks import page_of
from roundtable_desktop.engine.desk import Desk, approvals, board
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.states import TaskStatus


class Decided(Decision):
    approval: Ref
    answer: Literal["approve", "reject"]


def pages(desk: Desk, look: Look, say: Say) -> Callable[[Flask], None]:
    page = partial(page_of, look, say)

    def add(app: Flask) -> None:
        @app.post("/tasks/<ref>/move")
        def move_task(ref: str) -> Any:
            wanted, asked, task = read_form(Move), from_form(), look.task(ref)
            to, note = TaskStatus(wanted.status), wanted.note.strip()
            return tried(
                lambda: board.move(desk, asked, task.id, to, note),
                f"/tasks/{task.id}",
                lambda why: page(look.task(task.id), why, note),
            )

        @app.post("/tasks/<ref>/block")
        def block_task(ref: str) -> Any:
            wanted, asked, task = read_form(Block), from_form(), look.task(ref)
            words = {"reason": wanted.reason, "owner": wanted.owner, "action": wanted.action}
            return tried(
                lambda: board.block(desk, asked, task.id, **words),
                f"/tasks/{task.id}",
                lambda why: page(look.task(task.id), why),
            )

        @app.post("/tasks/<ref>/decide")
        def decide_task(ref: str) -> Any:
            said, asked, task = read_form(Decided), from_form(), look.task(ref)
            yes, note = said.answer == "approve", said.note.strip()
            return tried(
                lambda: approvals.decide(desk, asked, said.approval, approved=yes, note=note),
                f"/tasks/{task.id}",
                lambda why: page(look.task(task.id), why, note),
            )

    return add
