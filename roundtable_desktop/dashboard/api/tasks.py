"""The API's routes about tasks."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from roundtable_desktop.dashboard.api.explanations import Explained, explained
from roundtable_desktop.dashboard.api.runs import RunRow
from roundtable_desktop.dashboard.api.shapes import (
    Line,
    Moment,
    Object,
    Ref,
    Shown,
    Text,
    Words16,
    asked,
)
from roundtable_desktop.dashboard.reading import Listed, Once, Paging, Words, listed
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, tasks
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.settings import Label, Model
from roundtable_desktop.model.states import DeliveryMode, TaskStatus

Status = Literal[
    "todo", "in_progress", "in_review", "blocked", "interrupted", "done", "failed", "cancelled"
]


class NewTask(Words):
    """base_branch, delivery: the workspace's when left out."""

    workspace_id: Ref
    title: Line
    description: Text = ""
    assignee_agent_id: Ref | None = None
    base_branch: Annotated[str, Field(min_length=1, max_length=250)] | None = None
    delivery: Literal["approval", "auto"] | None = None
    retry_budget: Annotated[int, Field(ge=0, le=20)] = 3
    project: Label | None = None
    model: Model | None = None


class TaskChange(Words):
    """What is left out stays; project, model: taken away with null."""

    assignee_agent_id: Ref | None = None
    project: Label | None = None
    model: Model | None = None


class RunNow(Words):
    """text: what the person wants to add for this run."""

    text: Words16 | None = None


class NewComment(Words):
    text: Annotated[Words16, Field(min_length=1)]


class CommentRow(Shown):
    id: str
    task_id: str
    author_type: str
    author_id: str
    run_id: str | None
    text: str
    created_at: Moment


class TasksAsked(Paging):
    workspace_id: Ref | None = None
    status: Status | None = None
    assignee_agent_id: Ref | None = None
    number: Annotated[int, Field(ge=1)] | None = None
    hidden: bool = False


class Task(Shown):
    id: str
    workspace_id: str
    number: int
    title: str
    description: str
    status: str
    parent_id: str | None
    assignee_agent_id: str | None
    base_branch: str
    delivery: str
    retry_budget: int
    attempts_spent: int
    routine_id: str | None
    blocked: Object | None
    checkout_agent_id: str | None
    checkout_at: Moment | None
    project: str | None
    model: str | None
    created_at: Moment
    updated_at: Moment
    revision: int


def declare(api: Api, desk: Desk, look: Look) -> None:
    _declare_reads(api, look)
    _declare_commands(api, desk, look)


def _declare_reads(api: Api, look: Look) -> None:
    @api.route("GET", "/api/v1/tasks")
    def list_tasks(query: TasksAsked) -> Listed[Task]:
        """Tasks, newest first."""
        return listed(Listed[Task], query, look.tasks, Task.of)

    @api.route("GET", "/api/v1/tasks/<ref>")
    def show_task(ref: str) -> Task:
        """One task."""
        return Task.of(look.task(ref))

    @api.route("GET", "/api/v1/tasks/<ref>/attempts")
    def list_attempts(ref: str) -> Listed[RunRow]:
        """Its runs, the first one first."""
        found = look.attempts(look.task(ref))
        return Listed[RunRow](items=[RunRow.of(one) for one in found], next_cursor=None)

    @api.route("GET", "/api/v1/tasks/<ref>/comments")
    def list_comments(ref: str) -> Listed[CommentRow]:
        """What was said about it, the oldest first."""
        found = look.comments(look.task(ref))
        return Listed[CommentRow](items=[CommentRow.of(one) for one in found], next_cursor=None)

    @api.route("GET", "/api/v1/tasks/<ref>/explain")
    def explain_task(ref: str) -> Explained:
        """What happens next with it, or why nothing does."""
        return explained(look.explain_task(look.task(ref)))


def _declare_commands(api: Api, desk: Desk, look: Look) -> None:
    @api.route("POST", "/api/v1/tasks", status=201, errors=(404, 409))
    def create_task(caller: Caller, body: NewTask, once: Once | None) -> Task:
        """A task; with an assignee, that agent is woken."""
        made = tasks.create(
            desk,
            asked(caller, once),
            body.workspace_id,
            title=body.title,
            description=body.description,
            assignee_agent_id=body.assignee_agent_id,
            base_branch=body.base_branch,
            delivery=DeliveryMode(body.delivery) if body.delivery else None,
            retry_budget=body.retry_budget,
            project=body.project,
            model=body.model,
        )
        return Task.of(made)

    @api.route("PATCH", "/api/v1/tasks/<ref>", errors=(404, 409, 412))
    def change_task(
        caller: Caller, ref: str, body: TaskChange, expected_revision: int | None
    ) -> Task:
        """Another assignee: that agent is woken, the one before no more. Another project or model
        holds from its next run on."""
        by = asked(caller, revision=expected_revision)
        values = body.model_dump(include={"project", "model"}, exclude_unset=True)
        found = look.task(ref)
        return Task.of(tasks.change(desk, by, found.id, values, body.assignee_agent_id))

    @api.route("POST", "/api/v1/tasks/<ref>/comments", status=201, errors=(404, 409))
    def create_comment(caller: Caller, ref: str, body: NewComment, once: Once | None) -> CommentRow:
        """Says something; the task's agent is woken with it and goes on where it was."""
        found = look.task(ref)
        return CommentRow.of(tasks.comment(desk, asked(caller, once), found.id, body.text))

    @api.route("POST", "/api/v1/tasks/<ref>/run", status=202, errors=(404, 409, 412))
    def run_task(
        caller: Caller,
        ref: str,
        body: RunNow,
        once: Once | None,
        expected_revision: int | None,
    ) -> Task:
        """Runs it now, before all else."""
        found = look.task(ref)
        return Task.of(tasks.run(desk, asked(caller, once, expected_revision), found.id, body.text))


assert set(TaskStatus) == set(get_args(Status))
