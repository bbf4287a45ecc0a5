"""What the engine needs of the outside world: the seams that the adapters fill."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from roundtable_desktop.model.artifacts import Artifacts
from roundtable_desktop.model.contents import Contents
from roundtable_desktop.model.repository import Branches as Branches
from roundtable_desktop.model.repository import Copies as Copies
from roundtable_desktop.model.repository import Repository as Repository
from roundtable_desktop.model.transcripts import Entry, Found, Piece

Dice = Callable[[], float]
"""A draw from [0, 1)."""


class Clock(Protocol):
    def now(self) -> datetime:
        """Wall time, aware, in UTC."""

    def monotonic(self) -> float:
        """Seconds that never run backwards; for deadlines of this process only."""


class RowClock(Clock, Protocol):
    """What rows are stamped with, and what says whether they are due."""

    @property
    def stands(self) -> bool:
        """Whether it is a test clock, which only moves when it is told to."""

    def seconds_until(self, moment: datetime) -> float | None:
        """How long to wait for it; None when no waiting brings it."""

    def here(self, at: datetime) -> datetime:
        """What this clock showed when the machine's showed `at`: runners live by the machine's."""

    def outside(self, at: datetime) -> datetime:
        """An instant of the machine's clock that is not before `at` of this one: files have its."""


class MovableClock(RowClock, Protocol):
    def move_to(self, moment: datetime) -> None: ...


class Ids(Protocol):
    def new(self) -> str:
        """26 characters of lower-case Crockford base32, rising with time (UUIDv7)."""

    def secret(self) -> str:
        """256 bits of randomness, URL-safe."""


# --- runners -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Seconds; kept by the runner alone (the house, Deadlines)."""

    silent: float = 60.0
    silence_limit: float = 600.0
    soft: float = 1800.0
    hard: float = 14400.0
    ask: float = 86400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOrder:
    """All that a runner needs. environment: without secrets; secrets: name → value, never stored
    in the database and gone from the disk once the runner has read them."""

    run: str
    task: str | None
    attempt: int | None
    fence: str
    control_key: str
    adapter: str
    command: Sequence[str]
    cwd: str
    model: str | None = None  # to use; None: the agent's own default
    prompt: str
    resume_prompt: str = ""  # instead of `prompt` when `session` could be loaded
    environment: Mapping[str, str]
    session: str | None = None  # an ACP conversation to load
    permission_policy: str = "ask"  # ask | allow | deny
    nudge: str = ""  # said once in the same session when a turn ends without a result
    demo_script: str | None = None  # `@demo` lines, for the built-in agent
    bridge: Sequence[str] = ()  # the command of the MCP stdio bridge; () for none
    secrets: Mapping[str, str] = field(repr=False, default_factory=dict)
    hidden: Sequence[str] = field(repr=False, default=())  # redacted too, and not given to it
    most_memory: int = 0  # bytes that its whole tree may use; 0: half of the machine's
    deadlines: Deadlines = Deadlines()


class LaunchFailed(Exception):
    """The runner could not be started; kind is an ErrorKind, text is bounded, without secrets."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text


class LaunchHeld(Exception):
    """It was decided, and may not be started any more: nothing was."""


class SpoolState(StrEnum):
    ABSENT = "absent"  # nobody was born here
    LOCKED = "locked"  # the runner lives
    FREE = "free"  # the runner is gone; what is written is all there will ever be


class RunnerGone(Exception):
    """No runner answers on that control channel."""


class Launcher(Artifacts, Protocol):
    """Starts and follows runners; a container or another machine would be another one."""

    def launch(self, order: LaunchOrder, may: Callable[[], bool] = ...) -> None:
        """Writes the folder and starts the runner, whose spool tells the rest; LaunchFailed, or
        LaunchHeld when `may` says no in the last moment."""

    def fence(self) -> None:
        """Returns when no launch is between its `may` and the start of its agent: what was written
        before is seen by every later one (W-17)."""

    def state(self, run: str) -> SpoolState: ...

    def unborn(self, run: str) -> str | None:
        """How a runner ended that was started in this life and never born; None while one may
        come, or has come."""

    def void(self, run: str) -> bool:
        """Creates the spool with `void`; False when the runner was first (then follow it)."""

    def read(self, run: str, offset: int) -> bytes:
        """Whole lines from `offset`, at most 256 KiB; b"" when there is no whole line yet."""

    def attach(self, run: str) -> None:
        """From now on `wait` tells of this run; no error when its channel is not there yet."""

    def detach(self, run: str) -> None:
        """Nothing more is wanted of it; its process, if it was ours, is reaped."""

    def wait(self, timeout: float) -> set[str]:
        """Runs that have something new, or nothing after `timeout` seconds. One thread only."""

    def nudge(self) -> None:
        """Makes `wait` return at once."""

    def close(self) -> None:
        """From now on `wait` returns at once, also from among runners that do not answer."""

    def control(self, run: str, request: Mapping[str, object]) -> Mapping[str, object]:
        """Asks a live runner (`ping, cancel, reply, message`). Raises RunnerGone."""

    def tie(self, tied: bool) -> None:
        """Whether runners end when this owner has gone and none follows it within seconds. Asked
        again, it changes nothing."""

    def living(self) -> Sequence[str]:
        """Runs with a runner, as their folders tell it."""

    def sweep(self, run: str) -> Sequence[int]:
        """Ends every process that carries this run's mark; the pids that are left."""


class PretendLauncher(Launcher, Protocol):
    """Its runs end by a clock that is moved; for simulations, on one thread."""

    def pass_time(self) -> datetime | None:
        """Ends what has come to its end by now; when the next one will."""

    def take_news(self) -> Sequence[str]:
        """Runs that have something new, in the order of their birth."""


# --- git ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryFacts:
    """What registration finds out (once, with the real HOME for identity and settings)."""

    path: str
    git_dir: str
    branch: str | None  # checked out now; None when detached
    author_name: str
    author_email: str
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One path between two commits; modes are git's octal words, "000000" where there is none."""

    path: str
    status: str  # A | M | D | T
    old_mode: str
    new_mode: str
    added: int | None = None  # lines; None for binary
    removed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What a run left in its copy, as a commit on its base; head is None when nothing changed.

    held: a code with values, when the commit exists but must not be delivered without a look
    (a submodule, a filtered path, …).
    """

    head: str | None
    changes: tuple[Change, ...] = ()
    held: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """NEW for a delivery onto `old`; None when it conflicts, then `conflicts` has the paths, and
    `command` merges it by hand. `old` itself when it has the whole change already."""

    old: str
    new: str | None
    conflicts: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """How a delivery ended. held: {"code", "path"?, "command"?}; nothing was written then.

    found_in: nothing was written either: this commit of the branch had the change already.
    """

    held: Mapping[str, object] | None = None
    found_in: str | None = None
    moved: bool = False  # the branch is no longer at `old`: prepare again


STOPPED = "git_stopped"
TIMEOUT = "git_timeout"
KILLED = "git_killed"
SPECIAL = "special_file"
BROKEN_OFF = (KILLED, TIMEOUT, "git_not_started", "git_left_over", STOPPED)


class GitFailed(Exception):
    """git did not do it; text is its bounded error output. `code` is stable. command: what a person
    can paste to mend it.

    `special_file`: git was not asked, for it would have waited for ever; text is the path.
    """

    def __init__(self, code: str, text: str = "", command: str = "") -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text
        self.command = command

    @property
    def broken_off(self) -> bool:
        """git may have begun, or could not begin just now: the act is to be done again, and looks
        at what is there first."""
        return self.code in BROKEN_OFF


class Git(Branches, Contents, Copies, Protocol):
    """The one hardened runner of git (law 13). No call here runs code of the repository."""

    def stop(self) -> None:
        """Ends every git that is at work, and lets none begin: from now on each act raises
        GitFailed(`git_stopped`)."""

    def inspect(self, path: str) -> RepositoryFacts:
        """Raises Invalid (`not_a_repository`, `bare_repository`, `no_commit`, …), pointer /path."""

    def commit_of(self, repository: Repository, branch: str) -> str | None:
        """The commit of refs/heads/<branch>; None when there is no such branch."""

    def refs(self, repository: Repository) -> Mapping[str, str]:
        """Every branch and tag as a full ref, with the object that it names."""

    def collect(
        self,
        repository: Repository,
        folder: str,
        *,
        base: str,
        ref: str,
        message: str,
        at: datetime,
    ) -> Collected:
        """The copy's files as one commit on `base`, kept under `ref`. The same input gives the
        same commit, so that it can be done again after a crash."""

    def keep_ref(self, repository: Repository, ref: str, commit: str) -> None:
        """A name of ours for a commit of the user's repository."""

    def drop_ref(self, repository: Repository, ref: str) -> None: ...

    def changes(self, repository: Repository, base: str, head: str) -> tuple[Change, ...]: ...

    def diff(self, repository: Repository, base: str, head: str, limit: int) -> tuple[str, bool]:
        """The patch as text, at most `limit` bytes of it, and whether that is all."""

    def prepare(
        self,
        repository: Repository,
        branch: str,
        *,
        base: str,
        head: str,
        message: str,
        at: datetime,
        joins: bool = False,
    ) -> Prepared:
        """A commit whose first parent is the branch's head and that brings base…head, made without
        any checkout; `head` itself when the branch still is at `base`. joins: a merge always."""

    def deliver(
        self,
        repository: Repository,
        branch: str,
        *,
        old: str,
        new: str,
        into_checkout: bool,
    ) -> Delivered:
        """The rule of the house, Work: touches no path that the user has changed."""

    def finish(
        self, repository: Repository, branch: str, *, old: str, new: str, intended_at: datetime
    ) -> Delivered | None:
        """After a crash: completes or takes back what a killed delivery left. None: it is as if
        it had not begun, and may be tried anew."""


# --- the rest ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessFacts:
    """A process of a run as the machine shows it. cpu: seconds used; rss: bytes; both None when
    it is gone or cannot be seen ("unmeasured is not zero")."""

    pid: int
    name: str | None
    role: str  # runner | agent | child
    started_at: datetime | None
    alive: bool
    cpu: float | None
    rss: int | None
    ticks: int | None = None  # its kernel start time: with the pid, which process it is


class Foresight(Protocol):
    def __call__(self, **asked: object) -> Mapping[str, Any]:
        """now, until, seed, workspace_id → items, whole, complete, until: what the engine would do,
        tried on a copy of the database; complete: False when its time was over before `until`.
        Instants in microseconds. Raises Busy and Broken."""


class Transcripts(Protocol):
    """By the ids of runs. Cursors are for nobody to take apart."""

    def read(self, run: str, after: str | None) -> Piece: ...

    def before(self, run: str, cursor: str) -> Piece: ...

    def search(self, run: str, words: str, after: str | None, limit: int) -> Found:
        """Whatever the case of its letters, and without what drives a terminal."""

    def entries(self, run: str) -> Iterator[Entry]:
        """All of it, read while it is asked for."""


class Secrets(Protocol):
    """Values that never enter the database: an agent's environment."""

    def get(self, owner: str) -> Mapping[str, str]: ...

    def change(
        self, owner: str, change: Callable[[Mapping[str, str]], Mapping[str, str]], revision: int
    ) -> AbstractContextManager[Mapping[str, str]]:
        """Within it the transaction gives the owner's row that revision. The new values, made by
        `change` from the old ones, hold when it has gone well, and never if it has not."""

    def forget(self, owner: str) -> None:
        """The owner is gone, and its values with it."""

    def settle(self, revision_of: Callable[[str], int | None]) -> None:
        """After a crash: what was changed holds if the owner's row has the revision."""
