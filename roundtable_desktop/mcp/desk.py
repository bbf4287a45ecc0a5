"""What the tools ask of the engine, in the name of the run that holds the token."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.gates import Judged, Word
from roundtable_desktop.model.messages import WorkerResult
from roundtable_desktop.model.missions import Impact
from roundtable_desktop.model.placed import Placed
from roundtable_desktop.model.states import ProposalStatus, TaskStatus


class Claims(Protocol):
    """What a run keeps for itself; it ends with the run."""

    def acquire(
        self, holder: Holder, given: Sequence[str], key: str | None
    ) -> Mapping[str, object]:
        """All of them or none."""

    def release(
        self, holder: Holder, given: Sequence[str], key: str | None
    ) -> Mapping[str, object]:
        """Those of its own, or all of its own for none."""

    def every(self, holder: Holder) -> Mapping[str, object]:
        """All of its workspace."""


class State(Protocol):
    def get(self, holder: Holder) -> Mapping[str, object]:
        """Where it is, who else is there, and how far its tasks are."""

    def watch(
        self, holder: Holder, after: int | None, limit: int, seconds: float
    ) -> Mapping[str, object]:
        """What happened after that event to what it may see; waits for something at most so long.
        None: from now on."""


class Changes(Protocol):
    """Of tasks below its own; a coordinator whose turn is about none may change any it may see."""

    def task(
        self,
        holder: Holder,
        task_id: str,
        values: Mapping[str, str | Sequence[str]],
        assignee: str | None,
        blocked_by: Sequence[str] | None,
        key: str | None,
    ) -> Mapping[str, object]:
        """values: title, description, acceptance, expected_files, write_area; None leaves a thing
        as it is."""

    def assess(
        self, holder: Holder, impact: Impact, note: str, key: str | None
    ) -> Mapping[str, object]:
        """What a change of what is wanted means for the mission whose root it works on."""

    def block(
        self, holder: Holder, task_id: str, reason: str, owner: str, action: str, key: str | None
    ) -> Mapping[str, object]:
        """Nothing works on it until somebody opens it again."""


class LookingIn(Protocol):
    """At the commit that its run began at, or at the newest of its branch; read only."""

    def read(
        self, holder: Holder, path: str, offset: int, limit: int, newest: bool
    ) -> Mapping[str, object]:
        """limit: bytes of a file's text, or entries of a folder."""

    def search(
        self, holder: Holder, words: str, path: str, any_case: bool, limit: int, newest: bool
    ) -> Mapping[str, object]:
        """Lines that have these words as they stand."""


class Patches(Protocol):
    def submit(
        self, holder: Holder, patch: str, base: str | None, message: str, key: str | None
    ) -> Mapping[str, object]:
        """As a commit on `base`, or on the commit that its run began at; proposed when the run
        ends well, instead of what its copy holds. The last one counts."""


class Turns(Protocol):
    """One at a time, first come, first served."""

    def request(self, holder: Holder, reason: str, key: str | None) -> Mapping[str, object]: ...

    def start(self, holder: Holder, key: str | None) -> Mapping[str, object]: ...

    def complete(self, holder: Holder, text: str, key: str | None) -> Mapping[str, object]: ...


class Memories(Protocol):
    """What agents of its workspace wrote down."""

    def query(
        self, holder: Holder, words: str, after: str | None, limit: int
    ) -> Mapping[str, object]:
        """Newest first, with every word."""

    def record(
        self, holder: Holder, topic: str, text: str, replaces: str | None, key: str | None
    ) -> Mapping[str, object]: ...


class Checks(Protocol):
    """The workspace's own, on what the run's mission has merged."""

    def names(self, holder: Holder) -> Mapping[str, object]: ...

    def run(self, holder: Holder, name: str, key: str | None) -> Mapping[str, object]:
        """A handle, at once."""

    def result(self, holder: Holder, check_id: str) -> Mapping[str, object]: ...


class AgentDesk(Protocol):
    """Every answer is a mapping of JSON values; every refusal is an `errors.Refused`.

    What the holder may not see is `Absent`, with the very code of what does not exist. A write
    looks in its own transaction whether the run still lives: a call that came before its end
    may arrive after it (F-13). key: the same key of the same holder is the same act (W-30).
    """

    @property
    def claims(self) -> Claims: ...

    @property
    def state(self) -> State: ...

    @property
    def changes(self) -> Changes: ...

    @property
    def turns(self) -> Turns: ...

    @property
    def memories(self) -> Memories: ...

    @property
    def checks(self) -> Checks: ...

    @property
    def repository(self) -> LookingIn: ...

    @property
    def patches(self) -> Patches: ...

    def notice(self, holder: Holder) -> str | None:
        """What every agent has to know now, whatever it asked for; each thing once."""

    def get_task(self, holder: Holder, task_id: str | None) -> Mapping[str, object]:
        """None: the run's own. Else one that its agent may see: of a run about a task its parent
        and its subtasks, of another its own ones, or as a coordinator all of its workspace."""

    def list_tasks(
        self, holder: Holder, status: TaskStatus | None, after: str | None, limit: int
    ) -> Mapping[str, object]:
        """Those that it may see, newest first; without a status those that are not over."""

    def comment(
        self, holder: Holder, text: str, task_id: str | None, key: str | None
    ) -> Mapping[str, object]:
        """On the run's own task, or in a run about none on one that its agent may see."""

    def progress(
        self, holder: Holder, text: str, percent: int | None, key: str | None
    ) -> Mapping[str, object]:
        """How far the run is with its own task."""

    def result(self, holder: Holder, result: WorkerResult, key: str | None) -> Mapping[str, object]:
        """Of two different ones the last counts, with a note (contract, How an agent reports)."""

    def keep_refused(self, holder: Holder, text: str) -> None:
        """A report that was not taken, for people to read; it counts as none."""

    def create_task(
        self,
        holder: Holder,
        title: str,
        description: str,
        assignee: str | None,
        blocked_by: Sequence[str],
        key: str | None,
        judged: Judged,
        placed: Placed,
    ) -> Mapping[str, object]:
        """Below the run's own task; in a run about none one of its own. assignee: name or id of
        an agent of the same workspace.

        blocked_by: tasks that must be done first: subtasks of the same one, or any that it may see.
        judged: by what its work is judged, and by whom. placed: its edges, and where it may write.
        """

    def wake_self(
        self,
        holder: Holder,
        note: str,
        at: datetime | None,
        after: timedelta | None,
        key: str | None,
    ) -> Mapping[str, object]:
        """Once this run has ended, and not before `at` or before `after` has passed (K-08)."""

    def check_may(self, holder: Holder, tool: str) -> None:
        """Refused by its name where a run of this kind may not use it (K-71)."""

    def get_proposal(self, holder: Holder, proposal_id: str | None) -> Mapping[str, object]:
        """None: the one that the run judges, or the newest of its own task."""

    def list_proposals(
        self, holder: Holder, status: ProposalStatus | None, after: str | None, limit: int
    ) -> Mapping[str, object]:
        """Of the tasks that it may see, newest first."""

    def vote(
        self,
        holder: Holder,
        word: Word,
        note: str,
        findings: Sequence[Mapping[str, object]],
        key: str | None,
    ) -> Mapping[str, object]:
        """Of the work that the run was asked to judge, once."""

    def request_approval(self, holder: Holder, text: str, key: str | None) -> Mapping[str, object]:
        """Of the person; the answer wakes the same agent."""
