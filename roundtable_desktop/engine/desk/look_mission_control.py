"""What the faces may see of a mission as a whole (R-23), and of who stays with it."""

from collections.abc import Sequence
from dataclasses import dataclass

from roundtable_desktop.engine.desk import Desk
from roundtable_desktop.engine.desk.look_control import Lives
from roundtable_desktop.model.errors import PASSING, Absent
from roundtable_desktop.model.glance import Outstanding
from roundtable_desktop.model.missions import Mission, Sitting, Snapshot
from roundtable_desktop.model.records import Agent, Process, Run, Task, Workspace
from roundtable_desktop.rules.redact import MARK, redact
from roundtable_desktop.rules.shapes import without_lookalikes
from roundtable_desktop.store import (
    agents,
    counts,
    events,
    lists,
    mission_work,
    missions,
    runs,
    sittings,
)
from roundtable_desktop.store.db import Reader, View


@dataclass(frozen=True, slots=True)
class RunStatus:
    """mission: the newest one; None: there is none. What could not be found out is None (W-22).

    claimed: its wakeups that were taken up; live: its runs whose process is there; silent: those
    of them that have said nothing for a while.
    """

    mission: Mission | None
    counts: Outstanding | None
    claimed: int | None
    live: int | None
    silent: int | None

    @property
    def degraded(self) -> bool:
        return None in (self.counts, self.claimed, self.live, self.silent)


@dataclass(frozen=True, slots=True)
class AtWork:
    run: Run
    agent: Agent
    task: Task | None


@dataclass(frozen=True, slots=True)
class Attended:
    """A mission as whoever stays with it sees it. tasks: without its root. waves: how many there
    were."""

    sitting: Sitting
    mission: Mission
    workspace_id: str
    tasks: Sequence[Task]
    at_work: Sequence[AtWork]
    waves: int


@dataclass(frozen=True, slots=True)
class _Known:
    counts: Outstanding
    claimed: int
    live: Sequence[tuple[Run, Sequence[Process]]]
    silent: frozenset[str]


class LookMissionControl:
    """A part of `Look`."""

    def __init__(self, reader: Reader, lives: Lives) -> None:
        self._reader, self._lives = reader, lives

    def status(self, workspace: Workspace) -> RunStatus:
        """All of one instant; processes are asked right after it. Where the mission is found and
        its numbers are not, they are unknown, and never 0."""
        known: _Known | None = None
        try:
            with self._reader.snapshot() as view:
                mission = missions.newest(view, workspace.id)
                known = _known(view, workspace, mission)
        except PASSING:
            with self._reader.snapshot() as view:
                mission = missions.newest(view, workspace.id)
        if known is None:
            return RunStatus(mission, None, None, None, None)
        try:
            alive = {run.id for run, found in known.live if any(map(self._lives, found))}
        except OSError:  # the machine does not say which processes there are
            return RunStatus(mission, known.counts, known.claimed, None, None)
        silent = len(known.silent & alive)
        return RunStatus(mission, known.counts, known.claimed, len(alive), silent)

    def snapshots(self, mission_id: str) -> list[Snapshot]:
        """How it stood when a `roundtable run` came or went (R-22), oldest first."""
        with self._reader.snapshot() as view:
            return sittings.snapshots(view, mission_id)

    def attended(self, ref: str) -> Attended:
        with self._reader.snapshot() as view:
            sitting = lists.by_suffix(view, sittings.SITTINGS, ref)
            if sitting is None:
                raise Absent("unknown_sitting")
            mission = missions.get(view, sitting.mission_id)
            assert mission is not None, "foreign keys hold"
            live = mission_work.live(view, mission.id)
            everyone = agents.of_ids(view, [run.agent_id for run in live])
            own = [one for one in missions.tasks_of(view, mission.id)]
            by_id = {one.id: one for one in own}
            return Attended(
                sitting,
                mission,
                mission.workspace_id,
                [one for one in own if one.id != mission.root_task_id],
                [AtWork(run, everyone[run.agent_id], by_id.get(_about(run) or "")) for run in live],
                sittings.count_waves(view, mission.id),
            )


def redacted(desk: Desk, workspace: Workspace, text: str) -> str:
    """Without the values of its agents' variables, nor what looks like a key."""
    with desk.store.transaction() as tx:
        owners = [one.id for one in agents.every(tx, workspace.id)]
    known = {value for owner in owners for value in desk.secrets.get(owner).values()}
    return without_lookalikes(redact(text, known), MARK)


def _known(view: View, workspace: Workspace, mission: Mission | None) -> _Known:
    found = counts.of_workspace(view, workspace.id)
    if mission is None:
        return _Known(found, 0, (), frozenset())
    live = mission_work.live(view, mission.id)
    asking = {run.id for run in live if run.waiting_since is not None}
    silent = events.silent(view, [run.id for run in live]) - asking
    known = [(run, runs.processes(view, run.id)) for run in live]
    return _Known(found, len(mission_work.claimed(view, mission.id)), known, frozenset(silent))


def _about(run: Run) -> str | None:
    return run.task_id or run.judged_task_id
