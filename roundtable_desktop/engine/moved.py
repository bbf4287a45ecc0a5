"""Tells a person what of their repository changed while an agent worked in a linked tree of it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.moved import Moved, mark
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.records import Json, Run, Subject, Task, Workspace
from roundtable_desktop.model.states import InboxKind, Severity
from roundtable_desktop.rules.redact import redact
from roundtable_desktop.store import inbox, journal
from roundtable_desktop.store.db import Tx

OUTCOME = "repository_moved"
SEEN = "seen"
MOST, NAMED = 100, 5
"""Changes that are told one by one; all are counted."""


def linked_environment(workspace: Workspace, run: Run) -> Mapping[str, str]:
    """git writes its committer into the log of each ref that it moves: so the agent's moves are
    told from the user's. Its commits are not delivered; what they changed is."""
    return {"GIT_COMMITTER_NAME": f"{workspace.author_name} {mark(run.id)}".strip()}


def tell(tx: Tx, ids: Ids, run: Run, task: Task, moved: Sequence[Moved]) -> None:
    """An event of the run; and one item for what is not a remote's, which any fetch moves."""
    if not moved:
        return
    graver = [_plain(one) for one in sorted(moved, key=lambda one: not one.takes)]
    told = [one.told() for one in graver[:MOST]]
    data: dict[str, object] = {"moved": told, "count": len(moved), "names": _names(graver)}
    subject, where = Subject("run", run.id), run.workspace_id
    journal.tell(tx, Kind.RUN_REPOSITORY_MOVED, subject, workspace_id=where, data=data)
    if not any(one.is_persons for one in moved):
        return
    takes = any(one.takes for one in moved)
    inbox.open_item(
        tx,
        ids.new(),
        InboxKind.CONFIG_CHANGED,
        Severity.ATTENTION if takes else Severity.INFO,
        key=f"{OUTCOME}:{run.id}",
        subject=subject,
        workspace_id=where,
        data={**data, **_about(run, task), "task_id": task.id, "options": inbox.options((SEEN,))},
    )


def _about(run: Run, task: Task) -> Json:
    return {"outcome": OUTCOME, "number": task.number, "run_id": run.id}


def _plain(one: Moved) -> Moved:
    """A key of git's may hold an address with a password in it."""
    return replace(one, keys=[redact(key, ()) for key in one.keys])


def _names(moved: Sequence[Moved]) -> list[str]:
    names = [one.name for one in moved if one.is_persons]
    return names[:NAMED] + ["…"] * (len(names) > NAMED)
