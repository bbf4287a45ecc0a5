"""The API's routes about workspaces."""

from typing import Annotated, Literal

from pydantic import Field

from roundtable_desktop.dashboard.api.shapes import Line, Moment, Ref, Shown, asked
from roundtable_desktop.dashboard.reading import Listed, Once, Paging, Words, example, listed
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, workspaces
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model import records
from roundtable_desktop.model.states import DeliveryMode


class NewWorkspace(Words):
    """path: a folder of the repository, absolute."""

    model_config = example(path="/srv/app", timezone="Europe/Berlin")

    path: Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^/")]
    name: Line | None = None
    base_branch: Annotated[str, Field(min_length=1, max_length=250)] | None = None
    timezone: Annotated[str, Field(max_length=64)] | None = None
    delivery: Literal["approval", "auto"] | None = None


class WorkspaceChange(Words):
    """What is left out stays. recovery_lookback_hours: brought into 1 to 720."""

    name: Line | None = None
    timezone: Annotated[str, Field(min_length=1, max_length=64)] | None = None
    recovery_lookback_hours: Annotated[int, Field(ge=-1_000_000, le=1_000_000)] | None = None
    delivery: Literal["approval", "auto"] | None = None


class WorkspacesAsked(Paging):
    """workspace_id: as every list takes it; here it leaves at most that one."""

    workspace_id: Ref | None = None


class Workspace(Shown):
    id: str
    number: int
    name: str
    path: str
    base_branch: str
    timezone: str
    delivery: str
    author_name: str
    author_email: str
    recovery_lookback_hours: int
    created_at: Moment
    updated_at: Moment
    revision: int


class WorkspaceCounts(Shown):
    """active_deliberations: reviews of which a verdict is outstanding. open_proposals: that are
    not decided. pending_approvals: all that are asked for. blockers: blocked tasks, and rejected
    proposals that nobody has answered. All of one instant."""

    active_deliberations: int
    open_proposals: int
    pending_approvals: int
    blockers: int


class WorkspaceDetail(Workspace):
    counts: WorkspaceCounts


def declare(api: Api, desk: Desk, look: Look) -> None:
    @api.route("GET", "/api/v1/workspaces")
    def list_workspaces(query: WorkspacesAsked) -> Listed[Workspace]:
        """The registered repositories, newest first."""

        def read(
            after: str | None, limit: int, *, workspace_id: str | None
        ) -> list[records.Workspace]:
            return look.workspaces(after, limit, id=workspace_id)

        return listed(Listed[Workspace], query, read, Workspace.of)

    @api.route("POST", "/api/v1/workspaces", status=201, errors=(409,))
    def create_workspace(caller: Caller, body: NewWorkspace, once: Once | None) -> Workspace:
        """Registers a repository; nothing is written into it."""
        made = workspaces.register(
            desk,
            asked(caller, once),
            body.path,
            name=body.name,
            base_branch=body.base_branch,
            timezone=body.timezone,
            delivery=DeliveryMode(body.delivery) if body.delivery else None,
        )
        return Workspace.of(made)

    @api.route("GET", "/api/v1/workspaces/<ref>")
    def show_workspace(ref: str) -> WorkspaceDetail:
        """One of them, with how much there is of what it waits for."""
        found = look.workspace(ref)
        counts = WorkspaceCounts.of(look.lists.counts_of(found))
        return WorkspaceDetail.of(found, counts=counts)

    @api.route("PATCH", "/api/v1/workspaces/<ref>", errors=(404, 409, 412))
    def change_workspace(
        caller: Caller, ref: str, body: WorkspaceChange, expected_revision: int | None
    ) -> Workspace:
        """Changes its name or its settings."""
        given = body.model_dump(exclude_none=True)
        if mode := given.pop("delivery", None):
            given["delivery"] = DeliveryMode(mode)
        by = asked(caller, revision=expected_revision)
        return Workspace.of(workspaces.edit(desk, by, look.workspace(ref).id, **given))

    @api.route("DELETE", "/api/v1/workspaces/<ref>", status=204, errors=(404, 409, 412))
    def delete_workspace(caller: Caller, ref: str, expected_revision: int | None) -> None:
        """Takes it off the list, with what was set up in it; the repository is not touched. 409
        `workspace_has_history` once something was run in it."""
        by = asked(caller, revision=expected_revision)
        workspaces.remove(desk, by, look.workspace(ref).id)
