"""What agents read of the repository without a copy, and the patches that they hand in (R-21)."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict

from roundtable_desktop.engine.collecting import PATCH, PROPOSED, Patch, commit_message, patch_of
from roundtable_desktop.engine.desk import reach
from roundtable_desktop.engine.desk.in_name import Answer, InName
from roundtable_desktop.engine.launching import repository_of
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.contents import Content, FileEntry
from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.errors import Absent, Busy, Conflict, Invalid
from roundtable_desktop.model.messages import WorkerResult
from roundtable_desktop.model.ports import GitFailed, Repository
from roundtable_desktop.model.records import Run, Subject
from roundtable_desktop.rules.resources import tidy
from roundtable_desktop.store import missions, runs, workspaces
from roundtable_desktop.store.db import Tx, View

TOLD = 300
"""Characters of what git says."""


class LookingIn(InName):
    """At the commit that its run began at, or at the newest of its branch. In a review that is the
    very commit that is judged."""

    def read(self, holder: Holder, path: str, offset: int, limit: int, newest: bool) -> Answer:
        """limit: bytes of a file's text, or entries of a folder."""
        repository, commit = self._commit(holder, newest)
        place = _path(path)
        with _told():
            found = self._desk.git.content(repository, commit, place, offset=offset, limit=limit)
        if found is None:
            raise Absent("no_such_path", "/path", path=place)
        return {"commit": commit, **_content(found)}

    def search(
        self, holder: Holder, words: str, path: str, any_case: bool, limit: int, newest: bool
    ) -> Answer:
        repository, commit = self._commit(holder, newest)
        place = _path(path)
        with _told():
            found, whole = self._desk.git.search(
                repository, commit, words, place, any_case=any_case, limit=limit
            )
        return {"commit": commit, "lines": [asdict(one) for one in found], "complete": whole}

    def _commit(self, holder: Holder, newest: bool) -> tuple[Repository, str]:
        with self._reader.snapshot() as view:
            run = self._living(view, holder)
            repository, branch = _around(view, holder)
        commit = None if newest else run.base_commit
        with _told():
            commit = commit or self._desk.git.commit_of(repository, branch)
        if commit is None:
            raise Absent("unknown_branch", branch=branch)
        return repository, commit


class Patching(InName):
    """A patch becomes a commit on its stated base; it is proposed when the run ends well, in place
    of what its copy holds."""

    def submit(
        self, holder: Holder, patch: str, base: str | None, message: str, key: str | None
    ) -> Answer:
        with self._reader.snapshot() as view:
            run, task = self._living(view, holder), reach.own(view, holder)
            repository, branch = _around(view, holder)
        if task.workspace_strategy is WorkspaceStrategy.MAIN:
            raise Conflict("only_looks", number=task.number)
        known = {run.base_commit, self._head(repository, branch)}
        stands_on = base or run.base_commit
        if stands_on is None or stands_on not in known:
            raise Invalid("unknown_base", "/base", base=base or "", branch=branch)
        text = self._clean(holder, message)
        with _told():
            made = self._desk.git.patch(
                repository,
                patch.encode(),
                base=stands_on,
                ref=f"{PROPOSED}{run.id}",
                message=commit_message(task, run, WorkerResult(status="completed", summary=text)),
                at=run.created_at,
            )
            if made.head is None:
                raise Invalid("patch_changes_nothing", "/patch")
            changes = self._desk.git.changes(repository, stands_on, made.head)

        def act(tx: Tx, run: Run) -> Subject:
            before = patch_of(run)
            id_ = before.id if before else self._desk.ids.new()
            held = dict(made.held) if made.held else None
            mark = {"id": id_, "base": stands_on, "head": made.head, "held": held}
            runs.keep_ended(tx, run, {PATCH: mark})
            return Subject("run", run.id)

        words = f"patch:{made.head}:{stands_on}"
        kept = patch_of(self._once(holder, key, words, act, runs.get))
        assert kept is not None, "it was just kept"
        files = [{"path": one.path, "status": one.status} for one in changes]
        return {**_submitted(kept, holder.task_id), "files": files}

    def of_run(self, holder: Holder, proposal_id: str | None) -> Answer | None:
        """What its own run handed in and is not proposed yet, if that is what is asked for."""
        with self._reader.snapshot() as view:
            run = runs.get(view, holder.run_id)
        kept = patch_of(run) if run else None
        if kept is None or proposal_id not in (None, kept.id):
            return None
        return _submitted(kept, holder.task_id)

    def _head(self, repository: Repository, branch: str) -> str | None:
        with _told():
            return self._desk.git.commit_of(repository, branch)


def _around(view: View, holder: Holder) -> tuple[Repository, str]:
    """The repository and the branch that the run's work goes to."""
    workspace = workspaces.get(view, holder.workspace_id)
    assert workspace is not None, "foreign keys hold"
    task = reach.own(view, holder) if holder.task_id else None
    mission = missions.get(view, task.mission_id) if task and task.mission_id else None
    branch = task.base_branch if task else workspace.base_branch
    return repository_of(workspace), mission.integration_branch if mission else branch


def _path(given: str) -> str:
    if given.strip("/") in ("", "."):
        return ""
    place = tidy(given.removeprefix("./"))
    if place is None:
        raise Invalid("no_such_path", "/path", path=given)
    return place


@contextmanager
def _told() -> Iterator[None]:
    """An agent can do something with a sentence, and nothing with an exception of git's room."""
    try:
        yield
    except GitFailed as failed:
        if failed.broken_off:
            raise Busy("unavailable") from failed
        if failed.code == "output_too_large":
            raise Invalid("too_far_in", "/offset") from failed
        raise Conflict("git_refused", text=f"{failed.code} {failed.text}"[:TOLD]) from failed


def _content(found: Content) -> Mapping[str, object]:
    body: dict[str, object] = _entry(found.entry)
    if found.text is not None:
        return {**body, "text": found.text, "next_offset": found.next_offset}
    if found.entry.kind == "folder":
        body |= {"entries": [_entry(one) for one in found.entries], "complete": found.whole}
    return body


def _entry(one: FileEntry) -> dict[str, object]:
    return {"path": one.path, "kind": str(one.kind), "size": one.size}


def _submitted(kept: Patch, task_id: str | None) -> dict[str, object]:
    return {
        "id": kept.id,
        "task_id": task_id,
        "status": "submitted",
        "base_commit": kept.base,
        "head_commit": kept.head,
        "held": dict(kept.held) if kept.held else None,
    }
