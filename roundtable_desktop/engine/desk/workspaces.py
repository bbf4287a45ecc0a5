"""Commands about workspaces."""

from typing import Any

from roundtable_desktop.engine.desk import Asked, Desk, check_revision, done_before, once, remember
from roundtable_desktop.engine.launching import repository_of
from roundtable_desktop.model.errors import Absent, Blocked, Conflict, Invalid
from roundtable_desktop.model.ports import Repository, RepositoryFacts
from roundtable_desktop.model.records import Subject, Workspace
from roundtable_desktop.model.states import DeliveryMode
from roundtable_desktop.rules import zones
from roundtable_desktop.store import agents, routines, workspaces
from roundtable_desktop.store.db import Tx


def register(
    desk: Desk,
    asked: Asked,
    path: str,
    *,
    name: str | None = None,
    base_branch: str | None = None,
    timezone: str | None = None,
    delivery: DeliveryMode | None = None,
) -> Workspace:
    """Registers the git repository at `path`; nothing is written into it.

    name: defaults to its folder's, made unique. base_branch: defaults to what is checked out.
    Raises Invalid with a pointer to the field, Conflict when path or name is taken.
    """
    if not _is_text(path):
        raise Invalid("path_not_text", "/path")
    facts = desk.git.inspect(path)
    zone = zones.zone(timezone or "", desk.local_zone, "/timezone")
    if not facts.author_name or not facts.author_email:
        raise Invalid("no_identity", "/path", path=facts.path)
    branch = base_branch or facts.branch
    if branch is None:
        raise Invalid("detached_head", "/base_branch", path=facts.path)
    if desk.git.commit_of(_repository(facts), branch) is None:
        raise Invalid("unknown_branch", "/base_branch", branch=branch)

    def act() -> Subject:
        if taken := workspaces.at_path(tx, facts.path):
            raise Conflict("path_registered", "/path", path=facts.path, name=taken.name)
        workspace = workspaces.add(
            tx,
            asked.actor,
            id=desk.ids.new(),
            name=_name(tx, facts, name),
            path=facts.path,
            git_dir=facts.git_dir,
            base_branch=branch,
            timezone=zone.key,
            delivery=delivery or DeliveryMode.APPROVAL,
            author_name=facts.author_name,
            author_email=facts.author_email,
            git_settings=dict(facts.settings),
        )
        return Subject("workspace", workspace.id)

    with desk.store.transaction() as tx:
        workspace = once(tx, asked, act, workspaces.get)
    return workspace


def register_or_find(desk: Desk, asked: Asked, path: str, **words: Any) -> tuple[Workspace, bool]:
    """The workspace of a repository, and whether it was registered just now."""
    try:
        return register(desk, asked, path, **words), True
    except Conflict as taken:
        with desk.store.transaction() as tx:
            there = workspaces.at_path(tx, str(taken.values.get("path")))
        if taken.code != "path_registered" or there is None:
            raise
        return there, False


LOOKBACK_HOURS = (1, 720)
"""Where the sweep's lookback is brought to when it is set (K-37)."""


def edit(
    desk: Desk,
    asked: Asked,
    workspace_id: str,
    *,
    name: str | None = None,
    timezone: str | None = None,
    recovery_lookback_hours: int | None = None,
    delivery: DeliveryMode | None = None,
    base_branch: str | None = None,
) -> Workspace:
    """Changes what is given; what is None stays. `delivery` and `base_branch` are those of tasks
    made from now on."""
    values: dict[str, object] = {}
    if base_branch is not None:
        with desk.store.transaction() as tx:
            workspace = workspaces.get(tx, workspace_id)
        if workspace and base_branch != workspace.base_branch:
            if desk.git.commit_of(repository_of(workspace), base_branch) is None:
                raise Invalid("unknown_branch", "/base_branch", branch=base_branch)
            values["base_branch"] = base_branch
    if timezone is not None:
        values["timezone"] = zones.zone(timezone, desk.local_zone, "/timezone").key
    if recovery_lookback_hours is not None:
        least, most = LOOKBACK_HOURS
        values["recovery_lookback_hours"] = min(max(recovery_lookback_hours, least), most)
    if delivery is not None:
        values["delivery"] = delivery
    with desk.store.transaction() as tx:
        workspace = workspaces.get(tx, workspace_id)
        if workspace is None:
            raise Absent("unknown_workspace")
        if done_before(tx, asked) is not None:
            return workspace
        remember(tx, asked, Subject("workspace", workspace.id))
        check_revision(asked, workspace.revision)
        if name is not None and name != workspace.name:
            if workspaces.named(tx, name):
                raise Conflict("name_taken", "/name", name=name)
            values["name"] = name
        fresh = {key: value for key, value in values.items() if value != getattr(workspace, key)}
        return workspaces.change(tx, workspace, asked.actor, **fresh) if fresh else workspace


def remove(desk: Desk, asked: Asked, workspace_id: str) -> None:
    """Takes a workspace off the list in which nothing was ever run, with what was set up in it.
    Where something was run its history stays, and so does the workspace."""
    with desk.store.transaction() as tx:
        workspace = workspaces.get(tx, workspace_id)
        if workspace is None:
            raise Absent("unknown_workspace")
        check_revision(asked, workspace.revision)
        if workspaces.has_worked(tx, workspace.id):
            raise Blocked("workspace_has_history", name=workspace.name)
        gone = [one.id for one in agents.every(tx, workspace.id)]
        gone += routines.ids_of(tx, workspace.id)
        workspaces.remove(tx, workspace, asked.actor)
    for owner in gone:
        desk.secrets.forget(owner)


def _repository(facts: RepositoryFacts) -> Repository:
    return Repository(
        path=facts.path,
        git_dir=facts.git_dir,
        author_name=facts.author_name,
        author_email=facts.author_email,
        settings=facts.settings,
    )


def _name(tx: Tx, facts: RepositoryFacts, wanted: str | None) -> str:
    if wanted is not None:
        if workspaces.named(tx, wanted):
            raise Conflict("name_taken", "/name", name=wanted)
        return wanted
    folder = facts.path.rstrip("/").rpartition("/")[2] or "repository"
    name, number = folder, 1
    while workspaces.named(tx, name):
        number += 1
        name = f"{folder}-{number}"
    return name


def _is_text(path: str) -> bool:
    """Bytes that are no UTF-8 come in as lone surrogates, which no row can hold."""
    return not any("\ud800" <= character <= "\udfff" for character in path)
