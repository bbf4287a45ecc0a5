"""What a run left in its copy, as a commit: to be proposed, or kept under a name of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roundtable_desktop.engine import artifacts
from roundtable_desktop.engine.checkpoints import notes_of
from roundtable_desktop.engine.launching import repository_of
from roundtable_desktop.engine.patience import Patience
from roundtable_desktop.engine.places import place_of
from roundtable_desktop.engine.wakers import checked
from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.errors import PASSING, Refused
from roundtable_desktop.model.messages import End, WorkerResult, worker_result
from roundtable_desktop.model.moved import Moved, reason
from roundtable_desktop.model.ports import SPECIAL, Collected, Git, GitFailed
from roundtable_desktop.model.records import Agent, Run, Task, Wakeup, Workspace
from roundtable_desktop.model.states import ErrorKind
from roundtable_desktop.model.times import instant
from roundtable_desktop.rules import results
from roundtable_desktop.rules.changes import also
from roundtable_desktop.rules.fitting import Misfit, misfits
from roundtable_desktop.store import agents, runs, tasks, wakeups, workspaces
from roundtable_desktop.store.db import Reader

LEFT = "refs/roundtable/left/"
PROPOSED = "refs/roundtable/proposals/"


@dataclass(frozen=True, slots=True)
class Ended:
    """What the runner left behind of one run. unfit: the report that could not be taken, and
    misfits: why. notes: where its agent was, as it said itself."""

    end: End
    result: WorkerResult | None
    unfit: str | None
    misfits: Sequence[Misfit] = ()
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Around:
    """A run with what it belongs to."""

    run: Run
    agent: Agent
    workspace: Workspace
    wakeup: Wakeup
    task: Task | None


PATCH = "patch"
"""Of `ended`: what the tool proposal_create was given and took."""


@dataclass(frozen=True, slots=True)
class Patch:
    """A commit that its agent handed in as a patch. id: of the proposal that it becomes."""

    id: str
    base: str
    head: str
    held: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class Left:
    """fault: it could not be collected, and why; then it stays in the copy. kind: of that.
    discarded: paths that were changed where nothing may be (C-55). moved: what changed in the
    user's repository. patch: what was handed in by a tool, instead of what the copy holds.
    files: those that the report names, as far as they could be kept."""

    collected: Collected
    fault: str | None = None
    kind: ErrorKind = ErrorKind.SPAWN_FAILED
    discarded: tuple[str, ...] = ()
    moved: tuple[Moved, ...] = ()
    patch: Patch | None = None
    files: artifacts.Found = ()


REFUSED = "mcp_refused"
"""Of `ended`: what the tool task_result was given and did not take."""
NOTHING = Left(Collected(head=None))
NOT_COMPARED = {"code": "repository_not_compared"}


class Collecting:
    """Repeated after a crash it gives the same commit under the same ref."""

    def __init__(self, reader: Reader, git: Git, copies: Path) -> None:
        self._reader, self._git, self._copies = reader, git, copies
        self._patience = Patience()

    def around(self, run_id: str) -> Around:
        with self._reader.snapshot() as view:
            run = runs.get(view, run_id)
            assert run is not None
            agent, workspace = (
                agents.get(view, run.agent_id),
                workspaces.get(view, run.workspace_id),
            )
            wakeup = wakeups.get(view, run.wakeup_id)
            assert agent is not None and workspace is not None and wakeup is not None
            task = tasks.get(view, run.task_id) if run.task_id else None
            return Around(run, agent, workspace, wakeup, task)

    def collect(self, around: Around, ended: Ended | None) -> Left:
        """With what changed in the user's repository, where the agent had that; such work is to be
        looked at before it is delivered."""
        left = self._collect(around, ended)
        if not _is_linked(around):
            return left
        moved = self._moved(around)
        why = reason(moved) if moved is not None else NOT_COMPARED
        collected = replace(left.collected, held=also(left.collected.held, why))
        return replace(left, collected=collected, moved=tuple(moved or ()))

    def _moved(self, around: Around) -> Sequence[Moved] | None:
        folder, run = self.folder(around), around.run.id
        try:
            moved = self._git.moved(repository_of(around.workspace), folder, run)
        except GitFailed as error:
            if self._patience.lasts(f"compare:{run}", error):
                raise
            return None
        self._patience.over(f"compare:{run}")
        return moved

    def forget(self, around: Around, left: Left) -> None:
        """What was noted before the run; where something changed, it is the way back."""
        if _is_linked(around) and not left.moved:
            self._git.forget_note(self.folder(around), around.run.id)

    def folder(self, around: Around) -> str:
        with self._reader.snapshot() as view:
            return str(place_of(view, self._copies, around.workspace, around.run).folder)

    def _collect(self, around: Around, ended: Ended | None) -> Left:
        """Of a task's run only what it ended well with; the copy keeps the rest for the next
        attempt. An agent's own copy is moved before the next run: all of it is taken, however
        the run ended (ended is None for one that vanished)."""
        task = around.task
        if checked(around.run.payload) is not None:
            return NOTHING
        looks = task is not None and task.workspace_strategy is WorkspaceStrategy.MAIN
        if looks or (around.run.gate_id is not None and around.run.base_commit is not None):
            return Left(Collected(head=None), discarded=self._discarded(around))
        own = task is None and around.run.gate_id is None
        if around.run.base_commit is None or not (own or _is_wanted(ended)):
            return NOTHING
        act, patch = f"collect:{around.run.id}", patch_of(around.run)
        try:
            if patch is not None and not own:
                return self._patched(around, patch)
            left = Left(self._taken(around, ended))
            self._patience.over(act)
            return left
        except GitFailed as error:
            if self._patience.lasts(act, error):
                raise  # it is collected again: the same copy gives the same commit
            if error.code == SPECIAL:
                said = f"{error.text}\n{error.command}"
                return Left(Collected(head=None), said, ErrorKind.SPECIAL_FILE)
            if own and error.code == "copy_missing":
                return NOTHING
            return Left(Collected(head=None), f"{error.code}: {error.text}")
        except PASSING:
            raise
        except Refused as error:
            return Left(Collected(head=None), str(error))

    def _patched(self, around: Around, patch: Patch) -> Left:
        """In place of what the copy holds, which stays there."""
        repository = repository_of(around.workspace)
        self._git.keep_ref(repository, f"{PROPOSED}{around.run.id}", patch.head)
        changes = self._git.changes(repository, patch.base, patch.head)
        self._patience.over(f"collect:{around.run.id}")
        return Left(Collected(head=patch.head, changes=changes, held=patch.held), patch=patch)

    def _discarded(self, around: Around) -> tuple[str, ...]:
        """Told of only: a copy that cannot be read keeps no run from its end. The agent's own
        branches and stashes stay in it."""
        try:
            left = self._git.unsaved(repository_of(around.workspace), self.folder(around), ())
            return tuple(one for one in left if not one.startswith(REFS))
        except GitFailed as error:
            if self._patience.lasts(f"collect:{around.run.id}", error):
                raise
            return ()

    def _taken(self, around: Around, ended: Ended | None) -> Collected:
        run, task = around.run, around.task
        assert run.base_commit is not None
        result = ended.result if ended else None
        message = commit_message(task, run, result) if task else _left(around.agent, run, result)
        return self._git.collect(
            repository_of(around.workspace),
            self.folder(around),
            base=run.base_commit,
            ref=f"{PROPOSED if task else LEFT}{run.id}",
            message=message,
            at=instant(ended.end.at) if ended else run.created_at,
        )


REFS = "refs/"
"""What `unsaved` calls by this is no file."""


def _is_linked(around: Around) -> bool:
    task = around.task
    return task is not None and task.workspace_strategy is WorkspaceStrategy.WORKTREE


def _is_wanted(ended: Ended | None) -> bool:
    return ended is not None and results.wants_collecting(ended.end, ended.result)


def patch_of(run: Run) -> Patch | None:
    mark = (run.ended or {}).get(PATCH)
    return Patch(**mark) if isinstance(mark, dict) else None


def read_ended(kept: Mapping[str, object]) -> Ended:
    """What `spools` kept; a result that does not fit counts as none and is shown (C-103)."""
    end, notes = End.model_validate(kept["end"]), notes_of(kept)
    result = reported(kept)
    if result is not None:
        return Ended(end, result, None, notes=notes)
    refused = kept.get(REFUSED)
    given = kept if "result" in kept else refused if isinstance(refused, dict) else {}
    text, fault = given.get("result"), given.get("result_fault")
    if not isinstance(text, str):
        return Ended(end, None, None, notes=notes)
    found = [Misfit("", str(fault))] if fault else misfits(text)
    return Ended(end, None, text, found, notes)


def reported(kept: Mapping[str, object]) -> WorkerResult | None:
    """What its agent said of itself, in whatever way, if it fits."""
    text = kept.get("mcp") or ("" if kept.get("result_fault") else kept.get("result"))
    return worker_result(text) if isinstance(text, str) else None


def commit_message(task: Task, run: Run, result: WorkerResult | None) -> str:
    return _message(f"T-{task.number}: {task.title}", run, result)


def _left(agent: Agent, run: Run, result: WorkerResult | None) -> str:
    return _message(f"Left by {agent.name}", run, result)


def _message(subject: str, run: Run, result: WorkerResult | None) -> str:
    summary = result.summary.strip() if result else ""
    parts = [subject, summary, f"Roundtable-Run: {run.id}"]
    return "\n\n".join(part for part in parts if part) + "\n"
