"""The board: tasks in columns, moved by forms; and the forms of a task's page that decide on it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlencode, urlsplit

from flask import Flask, g, render_template
from pydantic import Field, ValidationError

from roundtable_desktop.dashboard.api.approvals import Decision
from roundtable_desktop.dashboard.api.board import Block, Move
from roundtable_desktop.dashboard.api.shapes import Ref, Say
from roundtable_desktop.dashboard.figures import aged
from roundtable_desktop.dashboard.forms import fault_of_form, read_form
from roundtable_desktop.dashboard.pages.frame import from_form, page_query, tried
from roundtable_desktop.dashboard.pages.tasks import page_of
from roundtable_desktop.dashboard.reading import Asked
from roundtable_desktop.engine.desk import Desk, approvals, board
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_board import COLUMNS, HIDDEN, Card, Column, Wanted
from roundtable_desktop.model.missions import Mission
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import AgentStatus, TaskStatus
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.reviewing import REVIEWED

BOARD = "/board"
SHOWN = 30
"""Cards of one column among others, and of one that is shown alone."""
ALONE = 300
NOBODY = "nobody"

Chosen = Annotated[str, Field(pattern=r"^([0-9a-z]{6,64})?$")]
"""An id, or nothing: a form of filters sends all its fields."""


class BoardAsked(Asked):
    """agent: an id, or `nobody`. only: one column alone."""

    workspace: Chosen = ""
    mission: Chosen = ""
    agent: Chosen = ""
    q: Annotated[str, Field(max_length=200)] = ""
    hidden: bool = False
    only: Literal["", "todo", "in_progress", "still", "in_review", "done", "cancelled"] = ""

    @property
    def searched(self) -> bool:
        return bool(self.agent or self.mission or self.q.strip() or self.hidden)

    def address(self, **other: str) -> str:
        """Where this is to be found; other: with these in the place of its own."""
        own = self.model_dump(include=set(BoardAsked.model_fields))
        said = {**own, "hidden": "true" if self.hidden else "", **other}
        kept = {name: value for name, value in said.items() if value}
        return f"{BOARD}?{urlencode(kept)}" if kept else BOARD


class BoardMoved(BoardAsked):
    """moved: a task that was moved just now; before: the status that it had."""

    moved: Ref | None = None
    before: TaskStatus | None = None


class Moved(Move):
    """back: the board that the card stands on; empty on the task's own page."""

    back: Annotated[str, Field(max_length=2000)] = ""


class Decided(Decision):
    approval: Ref
    answer: Literal["approve", "reject"]


def pages(desk: Desk, look: Look, say: Say) -> Callable[[Flask], None]:
    page = partial(page_of, look, say)

    def add(app: Flask) -> None:
        _add_board(app, look, say)
        _add_moves(app, desk, look, say)

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


def _add_board(app: Flask, look: Look, say: Say) -> None:
    @app.get(BOARD)
    def show_board() -> str:
        query = page_query(BoardMoved)
        g.here = query.address()
        moved = look.task(query.moved) if query.moved else None
        toast = _toast(look, say, moved, query.before) if moved else None
        return board_page(look, say, query, toast=toast)


def _add_moves(app: Flask, desk: Desk, look: Look, say: Say) -> None:
    @app.post("/tasks/<ref>/move")
    def move_task(ref: str) -> Any:
        wanted, asked, task = read_form(Moved), from_form(), look.task(ref)
        to, note = TaskStatus(wanted.status), wanted.note.strip()
        act = partial(board.move, desk, asked, task.id, to, note)
        if not wanted.back:
            return tried(
                act,
                f"/tasks/{task.id}",
                lambda why: page_of(look, say, look.task(task.id), why, note),
            )
        query = asked_by(wanted.back)
        return tried(
            act,
            query.address(moved=task.id, before=str(task.status)),
            lambda why: board_page(look, say, query, why),
            page=query.address(),
        )


def asked_by(back: str) -> BoardAsked:
    """The board at an address of ours."""
    parts = urlsplit(back)
    try:
        return BoardAsked.model_validate(
            dict(parse_qsl(parts.query)) if parts.path == BOARD else {}
        )
    except ValidationError:
        raise fault_of_form("back", _("this is no address of the board")) from None


def board_page(
    look: Look,
    say: Say,
    query: BoardAsked,
    refused: str = "",
    toast: Mapping[str, object] | None = None,
    draft: str = "",
) -> str:
    """draft: the title of a task that could not be added."""
    at = look.last_event()  # before all else: what is shown is not older
    agents = [one for one in look.agents(None, 200) if one.status is not AgentStatus.RETIRED]
    workspaces = look.workspaces(None, 200)
    chosen = look.workspace(query.workspace).id if query.workspace else None
    mission = look.missions.mission(query.mission) if query.mission else None
    wanted = Wanted(
        chosen,
        _agent_of(look, query.agent),
        query.q.strip(),
        query.hidden,
        mission.id if mission else None,
    )
    names = [query.only] if query.only else list(COLUMNS)
    columns = look.board.columns(names, wanted, ALONE if query.only else SHOWN)
    return render_template(
        "board.html",
        at=at,
        query=query,
        address=query.address(),
        columns=columns,
        whys=_whys(columns, say),
        ages=_ages(columns, look.now()),
        empty=not any(column.count for column in columns),
        cancelled=look.board.counted("cancelled", wanted),
        hidden_column=query.only in HIDDEN,
        reviewed={code: _(word) for code, word in REVIEWED.items()},
        workspaces=workspaces,
        chosen=chosen,
        mission=mission,
        missions=_offered(look, chosen, mission),
        agents=[one for one in agents if chosen in (None, one.workspace_id)],
        names={one.id: one.name for one in workspaces},
        toast=toast,
        refused=refused,
        draft=draft,
    )


def _offered(look: Look, workspace: str | None, chosen: Mission | None) -> list[Mission]:
    """Missions to filter by: those that are alive, and the one that is chosen."""
    alive = [one.mission for one in look.missions.alive(workspace)]
    there = chosen is None or chosen.id in {one.id for one in alive}
    return alive if there or chosen is None else [*alive, chosen]


def _agent_of(look: Look, given: str) -> str | None:
    if given == NOBODY:
        return ""
    return look.agent(given).id if given else None


def _whys(columns: list[Column], say: Say) -> dict[str, str]:
    """By the tasks' ids: what each waits for, from the code that decides."""
    cards = [card for column in columns for card in column.cards]
    return {card.task.id: _why(card, say) for card in cards if card.why}


def _ages(columns: list[Column], now: datetime) -> dict[str, str]:
    """By the tasks' ids: for how long each has been where it is."""
    cards = [card for column in columns for card in column.cards]
    return {card.task.id: aged(now - card.since) for card in cards}


def _why(card: Card, say: Say) -> str:
    nearest = card.why and card.why.nearest
    return say(nearest.code, dict(nearest.values)) if nearest else ""


def _toast(look: Look, say: Say, task: Task, before: TaskStatus | None) -> dict[str, object]:
    """What became of a task that was moved, and the way back where there is one."""
    card = look.board.card(task)
    back = [step for step in card.steps if before and step.to is before]
    can = before is not None and board.can_take_back(before, task.status)
    woke = before is not None and board.wakes(replace(task, status=before), task.status)
    return {
        "card": card,
        "why": _why(card, say),
        "woke": woke,
        "undo": back[0] if back and can else None,
    }
