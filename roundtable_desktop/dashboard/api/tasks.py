"""The API's routes about tasks."""

from operator import itemgetter
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from roundtable_desktop.dashboard.api.board import Place
from roundtable_desktop.dashboard.api.explanations import Explained, explained
from roundtable_desktop.dashboard.api.gates_shown import GatesWanted, only_approval, wanted
from roundtable_desktop.dashboard.api.other_names import Assigned, Status
from roundtable_desktop.dashboard.api.runs import RunRow
from roundtable_desktop.dashboard.api.shapes import (
    Line,
    Moment,
    Ref,
    Shown,
    Text,
    Words16,
    asked,
)
from roundtable_desktop.dashboard.api.task_planning import (
    Planning,
    PlanningChange,
    changed,
    planned,
)
from roundtable_desktop.dashboard.api.tasks_shown import (
    EdgesWanted,
    Refs,
    Task,
    edges,
    show,
    show_all,
)
from roundtable_desktop.dashboard.reading import (
    Listed,
    Once,
    Paging,
    Piece,
    Words,
    example,
    listed,
    piece,
)
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Asked, Desk, board, tasks
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model import records
from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.settings import Label, Model
from roundtable_desktop.model.states import DeliveryMode, TaskStatus

Paths = Annotated[list[Annotated[str, Field(min_length=1, max_length=1024)]], Field(max_length=100)]


class NewTask(Planning, Assigned):
    """base_branch, delivery, workspace_strategy: the workspace's when left out. With the strategy
    `main` its agent has a copy to look at only, and what it changes there is discarded. `worktree`
    is a linked working tree of the repository: made faster, and with the repository's own branches,
    but an agent there can move them, and change hooks and configuration. All of that is compared
    before and after each run, and told; it is not put back.

    status: where it begins on the board, `todo` as a rule; elsewhere as if it were moved there at
    once. blocked_by: ids; short for hard edges. gates: asked in order
    when its work is handed in; an approval alone is the same as requires_approval. acceptance,
    expected_files: by what its work is judged; its agent and its reviewers are told.

    mission_id: of which mission it is a part; then its planner wakes its agent, in waves, and
    nobody else does. write_area: paths and globs that it may change; of two tasks that may write
    the same one waits. optional: the mission may end well though it failed. priority: a higher one
    goes first.
    """

    model_config = example(
        workspace_id="01k7m3zq8v0000000000000000",
        title="Mend the login page",
        description="The button does nothing on a narrow screen.",
        assignee_agent_id="01k7m3zq8w0000000000000000",
    )

    workspace_id: Ref
    title: Line
    description: Text = ""
    status: Place = "todo"
    assignee_agent_id: Ref | None = None
    base_branch: Annotated[str, Field(min_length=1, max_length=250)] | None = None
    delivery: Literal["approval", "auto"] | None = None
    retry_budget: Annotated[int, Field(ge=0, le=20)] = 3
    project: Label | None = None
    model: Model | None = None
    parent_id: Ref | None = None
    depends_on: EdgesWanted = Field(default_factory=list)
    blocked_by: Refs = Field(default_factory=list)
    requires_approval: bool = False
    workspace_strategy: Literal["isolated_copy", "worktree", "main"] | None = None
    gates: GatesWanted = Field(default_factory=list)
    acceptance: Text = ""
    expected_files: Paths = Field(default_factory=list)


class TaskChange(PlanningChange, Assigned):
    """What is left out stays; project, model: taken away with null. depends_on, blocked_by, gates:
    all that it waits for and must pass from now on; what is in review is looked at anew by other
    gates."""

    assignee_agent_id: Ref | None = None
    title: Line | None = None
    description: Text | None = None
    project: Label | None = None
    model: Model | None = None
    depends_on: EdgesWanted | None = None
    blocked_by: Refs | None = None
    requires_approval: bool | None = None
    gates: GatesWanted | None = None
    acceptance: Text | None = None
    expected_files: Paths | None = None


class RunNow(Words):
    """text: what the person wants to add for this run."""

    text: Words16 | None = None


class NewComment(Words):
    """via: the chat or the like from which a bridge brings what its person said there."""

    text: Annotated[Words16, Field(min_length=1)]
    via: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")] | None = None


class CommentRow(Shown):
    id: str
    task_id: str
    author_type: str
    author_id: str
    via: str | None
    run_id: str | None
    text: str
    created_at: Moment


class TasksAsked(Paging, Assigned):
    """q: words that all stand in its title, its description or what was said about it. hidden:
    those that routines made, too."""

    workspace_id: Ref | None = None
    status: Status | None = None
    assignee_agent_id: Ref | None = None
    mission_id: Ref | None = None
    number: Annotated[int, Field(ge=1)] | None = None
    q: Annotated[str, AfterValidator(str.strip), Field(max_length=200)] = ""
    hidden: bool = False


def declare(api: Api, desk: Desk, look: Look) -> None:
    _declare_reads(api, look)
    _declare_commands(api, desk, look)


def _declare_reads(api: Api, look: Look) -> None:
    @api.route("GET", "/api/v1/tasks")
    def list_tasks(query: TasksAsked) -> Listed[Task]:
        """Tasks, newest first."""

        def read(
            after: str | None, limit: int, *, q: str, hidden: bool = False, **filters: object
        ) -> list[tuple[records.Task, Task]]:
            found = look.tasks(after, limit, hidden=hidden, words=q or None, **filters)
            return show_all(look, found)

        return listed(Listed[Task], query, read, itemgetter(1), lambda one: one[0].id)

    @api.route("GET", "/api/v1/tasks/<ref>")
    def show_task(ref: str) -> Task:
        """One task."""
        return show(look, look.task(ref))

    @api.route("GET", "/api/v1/tasks/<ref>/attempts")
    def list_attempts(ref: str, query: Piece) -> Listed[RunRow]:
        """Its runs, the first one first."""
        return piece(Listed[RunRow], query, look.attempts(look.task(ref)), RunRow.of)

    @api.route("GET", "/api/v1/tasks/<ref>/comments")
    def list_comments(ref: str, query: Piece) -> Listed[CommentRow]:
        """What was said about it, the oldest first."""
        return piece(Listed[CommentRow], query, look.comments(look.task(ref)), CommentRow.of)

    @api.route("GET", "/api/v1/tasks/<ref>/explain")
    def explain_task(ref: str) -> Explained:
        """What happens next with it, or why nothing does."""
        return explained(look.explain_task(look.task(ref)))


def values_of(body: TaskChange, found: records.Task) -> dict[str, Any]:
    """What it changes by name; null takes away what a task need not have."""
    values = body.model_dump(include={"project", "model"}, exclude_unset=True)
    said = {"title", "description", "acceptance", "expected_files"}
    values |= changed(body)
    values |= body.model_dump(include=said, exclude_none=True)
    asks = body.requires_approval
    if body.gates is not None:  # all that it must pass is said there
        asks = bool(asks) or only_approval(body.gates)
    if asks not in (None, found.requires_approval):
        values["requires_approval"] = asks
    return values


def add(desk: Desk, by: Asked, body: NewTask) -> records.Task:
    strategy = body.workspace_strategy
    return tasks.create(
        desk,
        by,
        body.workspace_id,
        title=body.title,
        description=body.description,
        assignee_agent_id=body.assignee_agent_id,
        base_branch=body.base_branch,
        delivery=DeliveryMode(body.delivery) if body.delivery else None,
        retry_budget=body.retry_budget,
        project=body.project,
        model=body.model,
        parent_id=body.parent_id,
        depends_on=edges(body.depends_on, body.blocked_by),
        requires_approval=body.requires_approval or only_approval(body.gates),
        gates=wanted(body.gates),
        acceptance=body.acceptance,
        expected_files=body.expected_files,
        workspace_strategy=strategy and WorkspaceStrategy(strategy),
        mission_id=body.mission_id,
        then=board.placing(desk, by, TaskStatus(body.status)),
        **planned(body),
    )


def _declare_commands(api: Api, desk: Desk, look: Look) -> None:
    @api.route("POST", "/api/v1/tasks", status=201, errors=(404, 409))
    def create_task(caller: Caller, body: NewTask, once: Once | None) -> Task:
        """A task; with an assignee, that agent is woken."""
        made = add(desk, asked(caller, once), body)
        return show(look, made)

    @api.route("PATCH", "/api/v1/tasks/<ref>", errors=(404, 409, 412))
    def change_task(
        caller: Caller, ref: str, body: TaskChange, expected_revision: int | None
    ) -> Task:
        """Another assignee: that agent is woken, the one before no more. Other words, project or
        model hold from its next run on. Other blockers: what was held for one that went goes on."""
        found = look.task(ref)
        drawn = None
        if body.depends_on is not None or body.blocked_by is not None:
            drawn = edges(body.depends_on or [], body.blocked_by or [])
        by, values = asked(caller, revision=expected_revision), values_of(body, found)
        agent = body.assignee_agent_id
        gates = None if body.gates is None else wanted(body.gates)
        now = tasks.change(desk, by, found.id, values, agent, depends_on=drawn, gates=gates)
        return show(look, now)

    @api.route("POST", "/api/v1/tasks/<ref>/comments", status=201, errors=(404, 409))
    def create_comment(caller: Caller, ref: str, body: NewComment, once: Once | None) -> CommentRow:
        """Says something; the task's agent is woken with it and goes on where it was."""
        found, by = look.task(ref), asked(caller, once)
        return CommentRow.of(tasks.comment(desk, by, found.id, body.text, via=body.via))

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
        who = asked(caller, once, expected_revision)
        return show(look, tasks.run(desk, who, found.id, body.text))
