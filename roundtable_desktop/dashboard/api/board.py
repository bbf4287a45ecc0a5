"""The API's routes that move a task: on the board, to blocked, to cancelled."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from roundtable_desktop.dashboard.api.other_names import OtherStatus
from roundtable_desktop.dashboard.api.shapes import Words16, asked
from roundtable_desktop.dashboard.api.tasks_shown import Task, show
from roundtable_desktop.dashboard.reading import Nothing, Once, Words
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, board, losses
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.owners import BLOCKED_OWNER
from roundtable_desktop.model.states import TaskStatus
from roundtable_desktop.model.statuses import by_own_name

_PLACE = Literal["todo", "in_progress", "in_review", "done", "cancelled"]
Place = Annotated[_PLACE, BeforeValidator(by_own_name, json_schema_input_type=_PLACE | OtherStatus)]


class Move(Words):
    """note: kept as a comment; the agent of work that is sent back is woken with it."""

    status: Place
    note: Words16 = ""


class Block(Words):
    """owner: user, coordinator, architect, debugger or agent:<id>, who has to do what `action`
    says."""

    reason: Annotated[str, Field(max_length=2000)] = ""
    owner: Annotated[str, Field(pattern=BLOCKED_OWNER, max_length=200)]
    action: Annotated[str, Field(min_length=1, max_length=2000)]


class Cancel(Words):
    note: Words16 = ""


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("POST", "/api/v1/tasks/<ref>/move", errors=(404, 409, 412))
    def move_task(
        caller: Caller, ref: str, body: Move, once: Once | None, expected_revision: int | None
    ) -> Task:
        """As on the board. A run that works on what is taken out of In progress is ended."""
        who, to = asked(caller, once, expected_revision), TaskStatus(body.status)
        return show(look, board.move(desk, who, look.task(ref).id, to, body.note.strip()))

    @api.route("POST", "/api/v1/tasks/<ref>/cancel", errors=(404, 409, 412))
    def cancel_task(
        caller: Caller, ref: str, body: Cancel, once: Once | None, expected_revision: int | None
    ) -> Task:
        """Ends it for good, with the run that works on it; what waits for it is asked about."""
        who, to = asked(caller, once, expected_revision), TaskStatus.CANCELLED
        return show(look, board.move(desk, who, look.task(ref).id, to, body.note.strip()))

    @api.route("POST", "/api/v1/tasks/<ref>/restore", errors=(404, 409, 412))
    def restore_task(
        caller: Caller, ref: str, body: Nothing, once: Once | None, expected_revision: int | None
    ) -> Task:
        """It is to be done after all. What was cancelled stays so: the answer is the new task that
        takes its place, for all that wait for it."""
        who = asked(caller, once, expected_revision)
        return show(look, losses.restore(desk, who, look.task(ref).id))

    @api.route("POST", "/api/v1/tasks/<ref>/block", errors=(404, 409, 412))
    def block_task(
        caller: Caller, ref: str, body: Block, once: Once | None, expected_revision: int | None
    ) -> Task:
        """Nothing works on it until somebody opens it again."""
        who, found = asked(caller, once, expected_revision), look.task(ref)
        words = {"reason": body.reason, "owner": body.owner, "action": body.action}
        return show(look, board.block(desk, who, found.id, **words))
