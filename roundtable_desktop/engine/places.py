"""Where a run works: the copy of its task, or one that is its agent's own (house, Work)."""

from dataclasses import dataclass
from pathlib import Path

from roundtable_desktop.engine import repairs
from roundtable_desktop.engine.reviewing import snapshot_of
from roundtable_desktop.engine.wakers import checked
from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Run, Task, Workspace
from roundtable_desktop.store import proposals, retries, runs, tasks
from roundtable_desktop.store.db import View


@dataclass(frozen=True, slots=True)
class Place:
    """branch: what the run starts from. base: the commit that it began at, where it did already.

    own: the agent's; it is moved to the branch's newest commit before each run. rework: what the
    copy holds did not fit, and is put on top of that commit; base is None until it is.
    discards: it is brought to the branch's newest commit before each run, whatever was in it.
    linked: it is a linked working tree of the user's repository. follows: where nothing was changed
    in it, it is brought to the branch's newest commit before the run.
    """

    folder: Path
    branch: str
    base: str | None
    own: bool
    rework: Proposal | None = None
    discards: bool = False
    linked: bool = False
    follows: bool = False


def place_of(view: View, copies: Path, workspace: Workspace, run: Run) -> Place:
    """A pure function of what is stored, so that the launch and the settlement mean the same."""
    task = tasks.get(view, run.task_id) if run.task_id else None
    if run.gate_id is not None:
        branch, commit = snapshot_of(view, run)
        folder, base = copies / own_copy(workspace, run), run.base_commit or commit
        return Place(folder, branch, base, own=True, discards=True)
    if (check := checked(run.payload)) is not None:
        folder, base = copies / own_copy(workspace, run), run.base_commit or str(check["commit"])
        return Place(folder, workspace.base_branch, base, own=True, discards=True)
    if task is None:
        folder = copies / own_copy(workspace, run)
        return Place(folder, workspace.base_branch, run.base_commit, own=True)
    folder = _copy_of(view, copies, workspace, task, run)
    if task.workspace_strategy is WorkspaceStrategy.MAIN:
        return Place(folder, task.base_branch, run.base_commit, own=False, discards=True)
    rework = _rework(view, task, run)
    base = run.base_commit or (None if rework else _kept_base(view, task, folder))
    linked = task.workspace_strategy is WorkspaceStrategy.WORKTREE
    kept = base is not None and run.base_commit is None
    return Place(
        folder,
        task.base_branch,
        base,
        own=False,
        rework=rework,
        linked=linked,
        follows=kept and task.mission_id is not None,
    )


def own_copy(workspace: Workspace, run: Run) -> str:
    """Below the copies, by the agent's id: its name may be any words, and may change."""
    assert run.copy_number is not None, "it was taken with the launch decision"
    suffix = f"-{run.copy_number}" if run.copy_number > 1 else ""
    return f"{workspace.number}/a-{run.agent_id}{suffix}"


def _copy_of(view: View, copies: Path, workspace: Workspace, task: Task, run: Run) -> Path:
    """The task's working copy. What was delivered is done with: later work starts in a new one,
    and the old folder stays as it is until retention frees it. So does work after somebody else
    looked for what made it fail.

    A delivery during the run does not move the run to another copy."""
    delivered = proposals.delivered_before(view, task.id, run.created_at)
    begun = delivered + retries.anew_before(view, task.id, run.created_at)
    suffix = f"-{begun + 1}" if begun else ""
    return copies / str(workspace.number) / f"t{task.number}{suffix}"


def was_removed(view: View, copies: Path, workspace: Workspace, run: Run, folder: Path) -> bool:
    """An earlier run of the task worked there, and there is nothing any more."""
    task = tasks.get(view, run.task_id) if run.task_id else None
    if task is None or folder.exists():
        return False
    earlier = [one for one in runs.of_task(view, task.id) if one.id != run.id and one.base_commit]
    return any(_copy_of(view, copies, workspace, task, one) == folder for one in earlier)


def _rework(view: View, task: Task, run: Run) -> Proposal | None:
    """Nobody has worked in the copy since that was collected from it; or it is of another task's
    copy, recovered from there or to be repaired, and nobody has worked for this one yet."""
    if run.base_commit is not None:
        return None
    earlier = [one for one in runs.of_task(view, task.id) if one.base_commit and one.id != run.id]
    if not earlier and repairs.waiting(view, task) is not None:
        return repairs.conflicted(view, str(task.about_task_id))
    last = repairs.conflicted(view, task.id)
    if last is None or not earlier:
        return last
    return last if last.run_id == earlier[-1].id else None


def _kept_base(view: View, task: Task, folder: Path) -> str | None:
    """A retry keeps the copy, so it keeps the commit that the copy began at."""
    if not folder.exists():
        return None
    earlier = [run.base_commit for run in runs.of_task(view, task.id) if run.base_commit]
    return earlier[-1] if earlier else None
