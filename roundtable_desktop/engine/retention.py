"""Frees working copies that hold nothing that is nowhere else; all others stay (B-115, B-184)."""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from roundtable_desktop.engine.launching import repository_of
from roundtable_desktop.engine.wakers import checked
from roundtable_desktop.model.copies import Copy, CopyState, WorkspaceStrategy, task_of_copy
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import STOPPED, TIMEOUT, Git, GitFailed
from roundtable_desktop.model.records import Agent, Subject, Task, Workspace
from roundtable_desktop.model.states import LIVE_RUNS, AgentStatus, ProposalStatus, TaskStatus
from roundtable_desktop.store import (
    agents,
    events,
    inbox,
    journal,
    lists,
    proposals,
    retries,
    runs,
    settings,
)
from roundtable_desktop.store.db import Reader, Store, View

log = logging.getLogger(__name__)

OVER = (TaskStatus.DONE, TaskStatus.CANCELLED)
UNDELIVERED = (*proposals.OPEN, ProposalStatus.APPROVED)
AGAIN = timedelta(days=1)
"""How long one that held something of its own is not read again."""
OF_AGENT = re.compile(r"a-([0-9a-z]{26})(?:-(\d+))?")


class Retention:
    """An act of housekeeping. What was collected stays under its ref, whatever becomes of the
    copy that it came from."""

    def __init__(self, store: Store, reader: Reader, git: Git, copies: Path) -> None:
        self._store, self._reader, self._git, self._copies = store, reader, git, copies
        self._looked: dict[str, datetime] = {}

    def free(self) -> int:
        """How many copies went."""
        with self._reader.snapshot() as view:
            known = lists.page(view, lists.WORKSPACES, after=None, limit=10_000)
        return sum(self._free(workspace) for workspace in known)

    def _free(self, workspace: Workspace) -> int:
        with self._store.transaction() as tx:
            now = tx.now
        with self._reader.snapshot() as view:
            due = [one for one in copies_of(view, self._copies, workspace, now) if one.is_due(now)]
        gone = 0
        for copy in due:
            if copy.path in self._looked and now < self._looked[copy.path] + AGAIN:
                continue
            self._looked[copy.path] = now
            try:
                gone += self._drop(workspace, copy)
            except GitFailed as failed:
                if failed.code == STOPPED:
                    raise
                if failed.code == TIMEOUT:  # so would the others; the next hour begins with them
                    log.warning("no copy looked at any more workspace=%s", workspace.id)
                    break
                log.warning("copy stays folder=%s why=%s", copy.name, failed)
            except Refused as refused:
                log.warning("copy stays folder=%s why=%s", copy.name, refused)
        self._forget_notes(workspace)
        return gone

    def _forget_notes(self, workspace: Workspace) -> None:
        """Of copies that are gone, but for those that the command of an open item copies from."""
        for folder, run in self._git.notes_left(str(self._copies / str(workspace.number))):
            with self._reader.snapshot() as view:
                needed = _needs_note(view, run)
            if not needed:
                self._git.forget_note(folder, run)

    def _drop(self, workspace: Workspace, copy: Copy) -> bool:
        repository, folder = repository_of(workspace), copy.path
        left = () if copy.discards else self._git.unsaved(repository, folder, copy.saved)
        if left and list(left) == list(copy.holds):
            return False
        if left:
            self._tell(workspace, copy, Kind.COPY_KEPT, {"holds": list(left)})
            return False

        def still() -> bool:
            with self._store.transaction() as tx:
                now = copies_of(tx, self._copies, workspace, tx.now)
                return any(one.path == folder and one.is_due(tx.now) for one in now)

        if not self._git.drop_copy(repository, folder, still):
            return False
        self._tell(workspace, copy, Kind.COPY_FREED, {})
        return True

    def _tell(self, workspace: Workspace, copy: Copy, kind: Kind, data: dict[str, object]) -> None:
        subject = _subject(workspace, copy)
        with self._store.transaction() as tx:
            journal.tell(tx, kind, subject, workspace_id=workspace.id, data=data)


def _needs_note(view: View, run_id: str) -> bool:
    run = runs.get(view, run_id)
    lives = run is not None and run.status in LIVE_RUNS
    return lives or bool(inbox.open_about(view, Subject("run", run_id)))


def copies_of(view: View, copies: Path, workspace: Workspace, now: datetime) -> list[Copy]:
    """Those of a workspace as they are on the disk, with what is to become of each."""
    days = settings.of_workspace(view, workspace.id).keep_copies_days
    busy = {(run.task_id, run.agent_id) for run in runs.live(view)}
    above = copies / str(workspace.number)
    names = sorted(one.name for one in above.iterdir() if one.is_dir()) if above.is_dir() else []
    seeing = _Seeing(view, workspace, timedelta(days=days), busy, now)
    return [seeing.copy(above / name) for name in names if "." not in name]


@dataclass(frozen=True, slots=True)
class _Seeing:
    view: View
    workspace: Workspace
    keep: timedelta
    busy: set[tuple[str | None, str]]
    now: datetime

    def copy(self, path: Path) -> Copy:
        unknown = Copy(path.name, str(path), CopyState.UNKNOWN)
        if of_task := task_of_copy(path.name):
            number, nth = of_task
            task = self._task(number)
            return self._of_task(unknown, task, nth) if task else unknown
        if found := OF_AGENT.fullmatch(path.name):
            agent = agents.get(self.view, found[1])
            return self._of_agent(unknown, agent, int(found[2] or 1)) if agent else unknown
        return unknown

    def _of_task(self, copy: Copy, task: Task, nth: int) -> Copy:
        offered = proposals.of_task(self.view, task.id)
        saved = proposals.collected_of(self.view, task.id)
        copy = replace(copy, number=task.number, title=task.title, saved=saved)
        copy = replace(copy, discards=task.workspace_strategy is WorkspaceStrategy.MAIN)
        delivered = proposals.delivered_before(self.view, task.id, self.now)
        left_behind = nth <= delivered + retries.anew_before(self.view, task.id, self.now)
        works = any(task.id == one for one, _ in self.busy)
        if works or (task.status not in OVER and not left_behind):
            return replace(copy, state=CopyState.IN_USE)
        if any(one.status in UNDELIVERED for one in offered):
            return replace(copy, state=CopyState.UNDELIVERED)
        return self._over(copy, task.updated_at)

    def _of_agent(self, copy: Copy, agent: Agent, number: int) -> Copy:
        """What a review left there is not wanted; what a turn left was collected."""
        last = runs.last_in_copy(self.view, agent.id, number)
        judges = last is not None and (
            last.gate_id is not None or checked(last.payload) is not None
        )
        reviewed = judges and last is not None and not last.copy_kept
        saved = runs.left_by(self.view, agent.id)
        copy = replace(copy, agent=agent.name, saved=saved, discards=reviewed)
        works = any(agent.id == one for _, one in self.busy)
        if works or agent.status is not AgentStatus.RETIRED:
            return replace(copy, state=CopyState.IN_USE)
        return self._over(copy, agent.updated_at)

    def _over(self, copy: Copy, since: datetime) -> Copy:
        """Unless it was found to hold something of its own."""
        last = events.of(self.view, _subject(self.workspace, copy), 1)
        if last and last[0].kind == Kind.COPY_KEPT:
            holds = last[0].data.get("holds")
            found = [str(one) for one in holds] if isinstance(holds, list) else []
            again = last[0].at + AGAIN
            return replace(copy, state=CopyState.KEPT, free_at=again, holds=found)
        return replace(copy, state=CopyState.OVER, free_at=since + self.keep)

    def _task(self, number: int) -> Task | None:
        filters = {"workspace_id": self.workspace.id, "number": number}
        found: Sequence[Task] = lists.page(self.view, lists.TASKS, after=None, limit=1, **filters)
        return found[0] if found else None


def _subject(workspace: Workspace, copy: Copy) -> Subject:
    return Subject("copy", f"{workspace.number}/{copy.name}")
