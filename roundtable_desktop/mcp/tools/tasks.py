"""The tools about the task that a run works on."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from roundtable_desktop.mcp.calls import Arguments, Call, Tool, tool
from roundtable_desktop.mcp.tools.planning import Before, Optional, Priority, WriteArea, edges
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.gates import GateKind, Judged, Wanted
from roundtable_desktop.model.messages import WorkerResult
from roundtable_desktop.model.placed import Placed
from roundtable_desktop.model.states import TaskStatus
from roundtable_desktop.model.statuses import by_own_name

PROGRESS_LENGTH = 500
COMMENT_BYTES = 16 * 1024
RESULT_BYTES = 64 * 1024  # as much as a result file may have
DESCRIPTION_LENGTH = 64 * 1024
SUBTASKS = 20

Title = Annotated[
    str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$")
]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Path = Annotated[str, Field(min_length=1, max_length=1024)]
Status = Literal[
    "todo", "in_progress", "in_review", "blocked", "interrupted", "done", "failed", "cancelled"
]


class TaskAsked(Arguments):
    task_id: Annotated[
        str | None,
        Field(description="Which task; left out: your own. task_list shows which you may see."),
        Field(min_length=6, max_length=64),
    ] = None


class TasksAsked(Arguments):
    status: Annotated[
        Annotated[Status, BeforeValidator(by_own_name, json_schema_input_type=Status)] | None,
        Field(description="Only these; left out: all that are not done or cancelled."),
    ] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[
        str | None,
        Field(description="next_cursor of the answer before, for older ones."),
        Field(min_length=6, max_length=64),
    ] = None


class CommentGiven(Arguments):
    text: Annotated[str, Field(min_length=1, max_length=COMMENT_BYTES, description="Markdown.")]
    task_id: Annotated[
        str | None,
        Field(
            description="Left out: your own. Of a mission that you lead: one below it. If your turn"
            " is about none: which."
        ),
        Field(min_length=6, max_length=64),
    ] = None


class ProgressGiven(Arguments):
    text: Annotated[str, Field(min_length=1, max_length=PROGRESS_LENGTH)]
    percent: Annotated[int | None, Field(ge=0, le=100)] = None


Roles = Literal[
    "coordinator", "worker", "specialist", "assistant", "reviewer", "architect", "debugger"
]


class GateWanted(Arguments):
    """A gate of a new task."""

    kind: Literal["review", "approval"]
    agents: Annotated[
        list[Name],
        Field(max_length=8, default_factory=list),
        Field(description="Of a review: names or ids of agents. An approval is the developer's."),
    ]
    roles: Annotated[
        list[Roles],
        Field(max_length=7, default_factory=list),
        Field(description="Of a review: all agents with one of these roles, but the work's own."),
    ]
    needed: Annotated[
        int | None, Field(ge=1, le=8, description="How many must approve; left out: all.")
    ] = None
    veto: Annotated[
        list[Roles] | None,
        Field(max_length=7, description="Roles whose veto counts as one; left out: all."),
    ] = None


class SubtaskWanted(Arguments):
    title: Title
    description: Annotated[str, Field(max_length=DESCRIPTION_LENGTH)] = ""
    assignee_agent: Annotated[
        Name | None,
        Field(
            description="Name or id of an agent of this workspace. It starts at once; in a mission"
            " when a wave has room for it. Left out in a mission: the worker with the least to do."
        ),
    ] = None
    blocked_by: Annotated[
        list[Name],
        Field(max_length=SUBTASKS, default_factory=list),
        Field(description="Ids of tasks that must be done first; below a task, its subtasks only."),
    ]
    gates: Annotated[
        list[GateWanted],
        Field(max_length=8, default_factory=list),
        Field(description="What its work must pass before it is done, in order."),
    ]
    acceptance: Annotated[
        str,
        Field(max_length=DESCRIPTION_LENGTH),
        Field(description="By what its work is judged."),
    ] = ""
    expected_files: Annotated[
        list[Path],
        Field(max_length=100, default_factory=list),
        Field(description="Paths that it should change."),
    ]
    depends_on: Annotated[
        list[Before],
        Field(max_length=SUBTASKS, default_factory=list),
        Field(description="As blocked_by, where the kind matters."),
    ]
    write_area: WriteArea
    priority: Priority = 0
    optional: Optional = False


class ApprovalWanted(Arguments):
    text: Annotated[
        str,
        Field(min_length=1, max_length=COMMENT_BYTES),
        Field(description="What you want to do, and what happens if the answer is no."),
    ]


@tool(TaskAsked, reads=True)
def task_get(call: Call, asked: TaskAsked) -> Mapping[str, object]:
    """Your task as it stands now: title, description, status, comments and subtasks. If your turn
    is about no task, name one."""
    return call.desk.get_task(call.holder, asked.task_id)


@tool(TasksAsked, reads=True)
def task_list(call: Call, asked: TasksAsked) -> Mapping[str, object]:
    """The tasks that you may see, newest first: your own, its parent and its subtasks. If your turn
    is about no task: those that are assigned to you, for a coordinator all of the workspace."""
    status = TaskStatus(asked.status) if asked.status is not None else None
    return call.desk.list_tasks(call.holder, status, asked.cursor, asked.limit)


@tool(CommentGiven)
def task_comment(call: Call, given: CommentGiven) -> Mapping[str, object]:
    """Says something on your task, for people and for whoever works on it next. Of a mission that
    you lead, and if your turn is about no task, you may name another one: its agent is woken."""
    _check_size(given.text, COMMENT_BYTES, "/text")
    return call.desk.comment(call.holder, given.text, given.task_id, call.key)


@tool(ProgressGiven)
def task_progress(call: Call, given: ProgressGiven) -> Mapping[str, object]:
    """Says how far you are with your task, for people who look on. Seldom and in a few words: at
    most one in five seconds is shown. It wakes nobody."""
    return call.desk.progress(call.holder, given.text, given.percent, call.key)


@tool(WorkerResult, keeps=True)
def task_result(call: Call, given: WorkerResult) -> Mapping[str, object]:
    """Reports how your work on the task ended. Call it once, last: it decides what happens next.

    completed: it is done. failed: it could not be done; if another try could not do it either,
    error.kind says why: interface (two parts do not fit), environment (this machine cannot do it)
    or choice (something has to be chosen first). blocked: somebody else has to do something
    first; then `blocked` says who (user, coordinator, architect, debugger or agent:<id>) and what.
    """
    if given.status == "blocked" and given.blocked is None:
        raise Invalid("blocked_on_nobody", "/blocked")
    _check_size(given.model_dump_json(), RESULT_BYTES, "")
    return call.desk.result(call.holder, given, call.key)


@tool(SubtaskWanted)
def task_create(call: Call, wanted: SubtaskWanted) -> Mapping[str, object]:
    """Makes a subtask of your task; if your turn is about no task, a task of its own."""
    gates = [
        Wanted(
            kind=GateKind(one.kind),
            agents=tuple(one.agents),
            roles=tuple(one.roles),
            needed=one.needed,
            veto=None if one.veto is None else tuple(one.veto),
            pointer=f"/gates/{place}",
        )
        for place, one in enumerate(wanted.gates)
    ]
    placed = Placed(
        depends_on=edges(wanted.depends_on),
        write_area=tuple(wanted.write_area),
        priority=wanted.priority,
        optional=wanted.optional,
    )
    return call.desk.create_task(
        call.holder,
        wanted.title,
        wanted.description,
        wanted.assignee_agent,
        wanted.blocked_by,
        call.key,
        Judged(
            gates=tuple(gates),
            acceptance=wanted.acceptance,
            expected_files=tuple(wanted.expected_files),
        ),
        placed,
    )


@tool(ApprovalWanted)
def approval_request(call: Call, wanted: ApprovalWanted) -> Mapping[str, object]:
    """Asks the developer for a yes or a no. End your turn after it, as blocked on the user: the
    answer wakes you."""
    _check_size(wanted.text, COMMENT_BYTES, "/text")
    return call.desk.request_approval(call.holder, wanted.text, call.key)


TOOLS: tuple[Tool, ...] = (
    task_get,
    task_list,
    task_comment,
    task_progress,
    task_result,
    task_create,
    approval_request,
)


def _check_size(text: str, limit: int, pointer: str) -> None:
    """The models count characters; what is stored are bytes."""
    if len(text.encode()) > limit:
        raise Invalid("text_too_large", pointer, limit=limit // 1024)
