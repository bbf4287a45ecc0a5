"""Work of a mission that goes beyond what its task may write: told, and merged behind its owner's.

The planner serializes what is declared (A-14); what nobody declared is seen here, when it is there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.model.proposals import Delivery, Proposal
from roundtable_desktop.model.records import SYSTEM, Subject, Task
from roundtable_desktop.model.states import TERMINAL_TASKS, TaskStatus
from roundtable_desktop.rules import areas
from roundtable_desktop.store import comments, journal, missions, proposals, runs, tasks
from roundtable_desktop.store.db import Tx, View

NAMED = 20
"""Paths that are named in a sentence, and in an event."""
TOLD = (
    "T-{number} ({title}) changed files that this task may write: {paths}. That is on the branch,"
    " or comes there. Look at what is there now before you change it, and keep what is right."
)


@dataclass(frozen=True, slots=True)
class Strayed:
    """paths: changed outside the area of its task. of: open tasks that may write some of them, each
    with those."""

    paths: tuple[str, ...]
    of: Sequence[tuple[Task, tuple[str, ...]]]

    @property
    def named(self) -> str:
        return named(self.paths)


def named(paths: Sequence[str]) -> str:
    more = ["…"] if len(paths) > NAMED else []
    return ", ".join([*paths[:NAMED], *more])


def of_proposal(view: View, proposal: Proposal) -> Strayed | None:
    """None where nothing strays: nobody said what its task may write, or it stayed within."""
    task = tasks.get(view, proposal.task_id)
    if task is None or task.mission_id is None or proposal.run_id is None:
        return None
    paths = areas.strayed([str(one["path"]) for one in proposal.files], _area(task))
    if not paths:
        return None
    others = [one for one in missions.tasks_of(view, task.mission_id) if _has_area(one, task)]
    met = [(one, _within(paths, _area(one))) for one in others]
    return Strayed(paths, [(one, theirs) for one, theirs in met if theirs])


def _area(task: Task) -> tuple[str, ...]:
    return (*task.write_area, *task.expected_files)


def _has_area(one: Task, task: Task) -> bool:
    return one.id != task.id and one.status not in TERMINAL_TASKS and bool(_area(one))


def _within(paths: Sequence[str], area: Sequence[str]) -> tuple[str, ...]:
    outside = set(areas.strayed(paths, area))
    return tuple(one for one in paths if one not in outside)


def tell(tx: Tx, ids: Ids, proposal: Proposal | None) -> None:
    """Part of what proposes it; whoever comes to those files later reads it in a comment."""
    strayed = of_proposal(tx, proposal) if proposal else None
    if proposal is None or strayed is None:
        return
    task = tasks.get(tx, proposal.task_id)
    assert task is not None, "foreign keys hold"
    data = {
        "task_id": task.id,
        "number": task.number,
        "paths": list(strayed.paths[:NAMED]),
        "count": len(strayed.paths),
        "of": [one.id for one, _theirs in strayed.of],
    }
    subject, where = Subject("proposal", proposal.id), proposal.workspace_id
    journal.tell(tx, Kind.PROPOSAL_STRAYED, subject, workspace_id=where, data=data)
    for one, theirs in strayed.of:
        if one.status is not TaskStatus.IN_REVIEW:
            words = TOLD.format(number=task.number, title=task.title, paths=named(theirs))
            comments.add(tx, one, ids.new(), SYSTEM, words, None)


def goes_first(view: View, delivery: Delivery) -> Task | None:
    """Whose work this delivery waits for: a task that may write those files, while a run works on
    it, and then until its own work is merged. Of two that both stray the older one goes first, so
    that no two wait for each other; what git may have begun waits for nothing, and neither does
    what a person had delivered."""
    if delivery.into_checkout or delivery.old_commit is not None:
        return None
    proposal = proposals.get(view, delivery.proposal_id)
    strayed = of_proposal(view, proposal) if proposal else None
    if strayed is None or not strayed.of:
        return None
    busy = {one.task_id for one in runs.live(view)} | _merging(view, delivery)
    return next((one for one, _theirs in strayed.of if one.id in busy), None)


def _merging(view: View, delivery: Delivery) -> set[str]:
    """Tasks whose own work, that stays within its area, is about to be merged."""
    found = set()
    for other in proposals.intended(view):
        proposal = proposals.get(view, other.proposal_id)
        if proposal is None or other.id == delivery.id:
            continue
        if other.old_commit is not None or of_proposal(view, proposal) is None:
            found.add(proposal.task_id)
    return found
