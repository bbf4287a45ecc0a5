"""What the faces may see: short reads, each of one state of the database."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

from roundtable_desktop.engine import explain
from roundtable_desktop.engine.desk import held
from roundtable_desktop.engine.desk.artifacts import LookArtifacts
from roundtable_desktop.engine.desk.drafts import Draft, rows_of
from roundtable_desktop.engine.desk.foresight import Foreseen, ahead
from roundtable_desktop.engine.desk.look_agenda import LookAgenda
from roundtable_desktop.engine.desk.look_agents import LookAgents
from roundtable_desktop.engine.desk.look_board import LookBoard
from roundtable_desktop.engine.desk.look_control import Lives, LookLeaving, OfRuns, at_work
from roundtable_desktop.engine.desk.look_copies import LookCopies
from roundtable_desktop.engine.desk.look_diffs import LookDiffs
from roundtable_desktop.engine.desk.look_gates import LookGates
from roundtable_desktop.engine.desk.look_graph import GraphLook, Standing, standing
from roundtable_desktop.engine.desk.look_lists import LookLists
from roundtable_desktop.engine.desk.look_mission_control import LookMissionControl
from roundtable_desktop.engine.desk.look_missions import LookMissions
from roundtable_desktop.engine.desk.look_placed import LookPlaced
from roundtable_desktop.engine.desk.look_proposals import LookProposals, Offered, offered
from roundtable_desktop.engine.desk.look_routines import LookRoutines
from roundtable_desktop.engine.desk.look_runs import LookRuns
from roundtable_desktop.engine.desk.look_search import LookSearch
from roundtable_desktop.engine.desk.look_tray import LookTray
from roundtable_desktop.engine.desk.look_usage import LookUsage
from roundtable_desktop.engine.desk.look_waking import LookWaking
from roundtable_desktop.engine.desk.look_webhooks import LookWebhooks
from roundtable_desktop.engine.desk.memories import LookMemories
from roundtable_desktop.engine.desk.tasks import check_assignable, check_runnable, wakes_somebody
from roundtable_desktop.model.errors import Absent, Refused
from roundtable_desktop.model.glance import Counts, Glance
from roundtable_desktop.model.holds import AccountHeld
from roundtable_desktop.model.ports import (
    Foresight,
    Git,
    ProcessFacts,
    RowClock,
    Transcripts,
)
from roundtable_desktop.model.records import (
    Agent,
    Comment,
    Event,
    InboxItem,
    Process,
    Run,
    Subject,
    Task,
    Wakeup,
    Workspace,
)
from roundtable_desktop.model.settings import GlobalSettings, WorkspaceSettings
from roundtable_desktop.model.states import Health
from roundtable_desktop.model.times import instant
from roundtable_desktop.model.verdicts import Explanation, Hold
from roundtable_desktop.store import (
    agents,
    comments,
    copied,
    counts,
    events,
    holds,
    inbox,
    lists,
    proposals,
    pulses,
    runs,
    settings,
    tasks,
    wakeups,
    workspaces,
)
from roundtable_desktop.store.db import Reader, View
from roundtable_desktop.store.lists import Noun

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Doable:
    """What a person can do with a task now; wakes: whether a word of theirs wakes its agent."""

    run: bool
    assign: bool
    wakes: bool


class Look(GraphLook):
    """`ref` is an id or any unique end of it, at least 6 characters long."""

    def __init__(
        self,
        reader: Reader,
        clock: RowClock,
        git: Git,
        transcripts: Transcripts,
        processes: Callable[[Sequence[Process]], Sequence[ProcessFacts]],
        foresight: Foresight,
        copies: Path,
        lives: Lives,
        of_runs: OfRuns,
    ) -> None:
        super().__init__(reader)
        self.diffs = LookDiffs(reader, git)
        self.of_agents = LookAgents(reader, clock)
        self.board = LookBoard(reader, clock)
        self.copies = LookCopies(reader, clock, git, copies)
        self.routines = LookRoutines(reader, clock)
        self.webhooks = LookWebhooks(reader, clock)
        self.waking = LookWaking(reader, clock)
        self.leaving = LookLeaving(reader, of_runs)
        self.agenda = LookAgenda(reader, clock)
        self.tray = LookTray(reader, clock)
        self.beside = LookRuns(reader).beside
        around = LookPlaced(reader)
        self.placed, self.placed_proposals = around.placed, around.proposals
        self.asking, self.choices = around.asking, around.choices
        self.lists = LookLists(reader)
        offers = LookProposals(reader)
        self.proposals, self._alone = offers.page, offers.alone
        self.gates = LookGates(reader)
        self.search = LookSearch(reader)
        self.usage = LookUsage(reader, clock)
        self.mission_control = LookMissionControl(reader, lives)
        self.missions = LookMissions(reader)
        self.memories = LookMemories(reader)
        self.artifacts = LookArtifacts(reader)
        self._clock = clock
        self.transcripts = transcripts
        self._processes = processes
        self._foresight = foresight
        self._lives = lives

    # --- lists ---------------------------------------------------------------------------------

    def workspaces(self, after: str | None, limit: int, **filters: object) -> list[Workspace]:
        return self._page(lists.WORKSPACES, after, limit, filters)

    def agents(self, after: str | None, limit: int, **filters: object) -> list[Agent]:
        return self._page(lists.AGENTS, after, limit, filters)

    def tasks(
        self, after: str | None, limit: int, *, hidden: bool = False, **filters: object
    ) -> list[Task]:
        """hidden: those that routines made, too; who names a number means that one (K-19)."""
        if not hidden and filters.get("number") is None:
            filters["routine_id"] = lists.NOTHING
        return self._page(lists.TASKS, after, limit, filters)

    def wakeups(self, after: str | None, limit: int, **filters: object) -> list[Wakeup]:
        return self._page(lists.WAKEUPS, after, limit, filters)

    def runs(self, after: str | None, limit: int, **filters: object) -> list[Run]:
        return self._page(lists.RUNS, after, limit, filters)

    def inbox(self, after: str | None, limit: int, **filters: object) -> list[InboxItem]:
        return self._page(lists.INBOX, after, limit, filters)

    def _page(
        self, noun: Noun[R], after: str | None, limit: int, filters: Mapping[str, object]
    ) -> list[R]:
        with self._reader.snapshot() as view:
            return lists.page(view, noun, after=after, limit=limit, **filters)

    # --- one thing -----------------------------------------------------------------------------

    def workspace(self, ref: str) -> Workspace:
        return self._find(lists.WORKSPACES, workspaces.get, ref, "unknown_workspace")

    def agent(self, ref: str) -> Agent:
        return self._find(lists.AGENTS, agents.get, ref, "unknown_agent")

    def task(self, ref: str) -> Task:
        return self._find(lists.TASKS, tasks.get, ref, "unknown_task")

    def wakeup(self, ref: str) -> Wakeup:
        return self._find(lists.WAKEUPS, wakeups.get, ref, "unknown_wakeup")

    def run(self, ref: str) -> Run:
        return self._find(lists.RUNS, runs.get, ref, "unknown_run")

    def inbox_item(self, ref: str) -> InboxItem:
        return self._find(lists.INBOX, inbox.get, ref, "unknown_inbox_item")

    def proposal(self, ref: str) -> Offered:
        with self._reader.snapshot() as view:
            found = _find(view, lists.PROPOSALS, proposals.get, ref, "unknown_proposal")
            return offered(view, found)

    def with_diff(self, offered: Offered) -> Offered:
        """One that is looked at alone. The diff is computed by git now, and bounded."""
        offered = self._alone(offered)
        it = offered.proposal
        seen = self.diffs.between(it.workspace_id, it.base_commit, it.head_commit)
        if seen.failed is not None:
            return replace(offered, diff_complete=False, no_diff=seen.failed)
        return replace(offered, diff=seen.text, diff_complete=seen.complete)

    def _find(
        self,
        noun: Noun[R],
        get: Callable[[View, str], R | None],
        ref: str,
        code: str,
    ) -> R:
        with self._reader.snapshot() as view:
            return _find(view, noun, get, ref, code)

    # --- around a thing ------------------------------------------------------------------------

    def comments(self, task: Task) -> list[Comment]:
        with self._reader.snapshot() as view:
            return comments.of_task(view, task.id)

    def attempts(self, task: Task) -> list[Run]:
        with self._reader.snapshot() as view:
            return runs.of_task(view, task.id)

    def doable(self, task: Task) -> Doable:
        with self._reader.snapshot() as view:
            return Doable(
                run=_is_allowed(lambda: check_runnable(view, task)),
                assign=_is_allowed(lambda: check_assignable(task)),
                wakes=wakes_somebody(task),
            )

    def counts(self) -> Counts:
        """How much there is of what a person asks for, in all workspaces."""
        with self._reader.snapshot() as view:
            return counts.of_home(view)

    def working(self, found: Iterable[Agent]) -> dict[str, int]:
        """How many sessions each of them has now; `working` is derived, never stored (C-89)."""
        with self._reader.snapshot() as view:
            return {agent.id: wakeups.claimed_by(view, agent.id) for agent in found}

    def pulses(self, found: Iterable[Agent]) -> dict[str, datetime | None]:
        """By their ids, when each of them last gave a sign of life in a run (A-21)."""
        with self._reader.snapshot() as view:
            return pulses.of_agents(view, [agent.id for agent in found])

    def held(self, found: Iterable[Agent]) -> dict[str, Hold | None]:
        """By their ids, what of its provider keeps each of them from starting."""
        with self._reader.snapshot() as view:
            now = self._clock.now()
            return {agent.id: held.of_agent(view, agent, now) for agent in found}

    def accounts_held(self) -> list[AccountHeld]:
        with self._reader.snapshot() as view:
            return held.accounts(view, self._clock.now())

    def processes(self, run: Run) -> Sequence[ProcessFacts]:
        """The run's processes as the machine shows them now (N-18)."""
        with self._reader.snapshot() as view:
            known = runs.processes(view, run.id)
        return self._processes(known)

    def events(
        self, after: int, limit: int, workspace_id: str | None, kinds: Sequence[str] = ()
    ) -> list[Event]:
        with self._reader.snapshot() as view:
            return events.after(view, after, limit, workspace_id, kinds)

    def events_on(self, subject: Subject, after: int, limit: int) -> list[Event]:
        """Of one thing, oldest first and without a gap."""
        with self._reader.snapshot() as view:
            return events.of_one(view, subject, after, limit)

    def last_event(self) -> int:
        """Its id; 0 when there is none."""
        with self._reader.snapshot() as view:
            return events.last_id(view)

    def events_of(self, subject: Subject) -> list[Event]:
        with self._reader.snapshot() as view:
            return events.of(view, subject)

    def now(self) -> datetime:
        """The instant that shown ages are counted to."""
        return self._clock.now()

    def stands_at(self) -> datetime | None:
        """Where a test clock stands; None for the machine's clock."""
        return self._clock.now() if self._clock.stands else None

    def trouble(self) -> str | None:
        """What the database cannot do now."""
        return self._reader.trouble()

    def glance(self, health: Health) -> Glance:
        """health: of the scheduler, which is no row."""
        with self._reader.snapshot() as view:
            home = settings.of_home(view)
            turned = settings.changed_last(view, "intake")
            return Glance(
                health=health,
                intake=home.intake,
                until=None if home.intake_until is None else instant(home.intake_until),
                intake_since=turned and turned[0],
                intake_by=turned and turned[1],
                at_work=at_work(view, self._lives),
                rest=self.leaving.rest(view),
                **asdict(counts.of_home(view)),
                limited_until=holds.work_waits_until(view, self._clock.now()),
                trouble=self.trouble(),
                copied_from=copied.source(view),
            )

    def settings(self) -> tuple[GlobalSettings, int]:
        """With their revision."""
        with self._reader.snapshot() as view:
            now = settings.of_home(view)
            return now, settings.revision(view, now)

    def workspace_settings(self, workspace: Workspace) -> tuple[WorkspaceSettings, int]:
        with self._reader.snapshot() as view:
            now = settings.of_workspace(view, workspace.id)
            return now, settings.revision(view, now, workspace.id)

    def foreseen(
        self, span: timedelta, workspace: str | None, draft: Draft | None = None
    ) -> Foreseen:
        """What would happen by itself from now on. draft: a routine as somebody would have it."""
        chosen = self.workspace(workspace).id if workspace else None
        rows = rows_of(draft) if draft is not None else None
        return ahead(self._foresight, self._clock.now(), span, chosen, rows)

    # --- why -----------------------------------------------------------------------------------

    def explain_wakeup(self, wakeup: Wakeup) -> Explanation:
        with self._reader.snapshot() as view:
            return explain.of_wakeup(view, wakeup, self._clock.now())

    def explain_run(self, run: Run) -> Explanation:
        with self._reader.snapshot() as view:
            return explain.of_run(view, run, self._clock.now())

    def explain_task(self, task: Task) -> Explanation:
        with self._reader.snapshot() as view:
            return explain.of_task(view, task, self._clock.now())

    def standing(self, workspace: Workspace, mission: str | None = None) -> list[Standing]:
        """Its tasks that are not over, or a mission's, newest first, at most 50; those that wait
        for others come after all others."""
        with self._reader.snapshot() as view:
            return standing(view, workspace, self._clock.now(), mission)


def _is_allowed(check: Callable[[], None]) -> bool:
    try:
        check()
    except Refused:
        return False
    return True


def _find(
    view: View, noun: Noun[R], get: Callable[[View, str], R | None], ref: str, code: str
) -> R:
    found = get(view, ref) or lists.by_suffix(view, noun, ref)
    if found is None:
        raise Absent(code)
    return found
