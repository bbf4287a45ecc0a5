"""What the faces may see around runs: who works, where, and on what."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from roundtable_desktop.engine.merges import branch_of
from roundtable_desktop.engine.places import own_copy
from roundtable_desktop.model.proposals import Proposal
from roundtable_desktop.model.records import Agent, InboxItem, Run, Task, Workspace
from roundtable_desktop.store import agents, choices, runs, tasks, workspaces
from roundtable_desktop.store.choices import Named
from roundtable_desktop.store.db import Reader, View


@dataclass(frozen=True, slots=True)
class Placed:
    """A run with who works, in which workspace, and on what. reviewed: the task whose work it
    judges."""

    run: Run
    agent: Agent
    task: Task | None
    workspace: Workspace
    reviewed: Task | None = None

    @property
    def copy(self) -> str | None:
        """Where a run without a task works, in the home."""
        own = self.run.copy_number is not None
        return f"copies/{own_copy(self.workspace, self.run)}" if own else None


@dataclass(frozen=True, slots=True)
class Choices:
    """What lists can be filtered by, newest first."""

    workspaces: Sequence[Named]
    agents: Sequence[Named]
    routines: Sequence[Named]


@dataclass(frozen=True, slots=True)
class PlacedProposal:
    """A proposal with whose work it is. run, agent: None of what a mission as a whole wants in.
    branch: where it is to be brought."""

    task: Task
    workspace: Workspace
    branch: str
    run: Run | None
    agent: Agent | None


class LookPlaced:
    """A part of `Look`."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def placed(self, found: Iterable[Run]) -> list[Placed]:
        with self._reader.snapshot() as view:
            return _placed(view, list(found))

    def of_ids(self, run_ids: Iterable[str]) -> dict[str, Placed]:
        """By the runs' ids; one that is not there is left out."""
        with self._reader.snapshot() as view:
            known = runs.of_ids(view, run_ids)
            return dict(zip(known, _placed(view, list(known.values())), strict=True))

    def proposals(self, found: Iterable[Proposal]) -> dict[str, PlacedProposal]:
        """By the proposals' ids."""
        with self._reader.snapshot() as view:
            return _around_proposals(view, list(found))

    def asking(self, found: Iterable[InboxItem]) -> dict[str, Placed]:
        """By the items' ids, the run that each of them is about."""
        about = {one.id: str(one.data.get("run_id")) for one in found}
        known = self.of_ids(about.values())
        return {item: known[run] for item, run in about.items() if run in known}

    def choices(self, most: int) -> Choices:
        """At most so many of each."""
        with self._reader.snapshot() as view:
            return Choices(
                choices.workspaces(view, most),
                choices.agents(view, most),
                choices.routines(view, most),
            )


def _around_proposals(view: View, found: Sequence[Proposal]) -> dict[str, PlacedProposal]:
    """In one statement for each kind of thing, but for what missions want in: that is rare."""
    run = runs.of_ids(view, (one.run_id for one in found))
    agent = agents.of_ids(view, (one.agent_id for one in run.values()))
    room = workspaces.of_ids(view, (one.workspace_id for one in found))
    task = tasks.of_ids(view, (one.task_id for one in found))
    by = {one.id: run.get(one.run_id or "") for one in found}
    return {
        one.id: PlacedProposal(
            task[one.task_id],
            room[one.workspace_id],
            branch_of(view, one, task[one.task_id]),
            by_run := by[one.id],
            agent[by_run.agent_id] if by_run else None,
        )
        for one in found
    }


def _placed(view: View, found: Sequence[Run]) -> list[Placed]:
    """In one statement for each kind of thing, however many runs there are."""
    agent = agents.of_ids(view, (one.agent_id for one in found))
    room = workspaces.of_ids(view, (one.workspace_id for one in found))
    judged = {one.id: str(one.payload.get("task_id")) for one in found if one.gate_id}
    task = tasks.of_ids(view, [*(one.task_id for one in found), *judged.values()])
    return [
        Placed(
            one,
            agent[one.agent_id],
            task.get(one.task_id or ""),
            room[one.workspace_id],
            task.get(judged.get(one.id, "")),
        )
        for one in found
    ]
