"""A pretend world for simulations: runners, git and secrets that are values, without a process."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from roundtable_desktop.model.artifacts import KeptFile
from roundtable_desktop.model.contents import Patched
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.joined import Joined
from roundtable_desktop.model.moved import Moved
from roundtable_desktop.model.ports import (
    Change,
    Clock,
    Collected,
    Delivered,
    LaunchFailed,
    LaunchHeld,
    LaunchOrder,
    Prepared,
    Repository,
    RepositoryFacts,
    RunnerGone,
    SpoolState,
)
from roundtable_desktop.model.times import micros

COMMIT = "0" * 39


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a pretend run ends, and how long after its start.

    used: what its agent says that it used. unborn: it does not even start, for this reason. lost:
    its runner vanishes without a word.
    """

    after: timedelta = timedelta(minutes=5)
    result: Mapping[str, object] | None = None
    why: str = "exited"
    exit_code: int | None = 0
    stderr: str = ""
    unborn: str = ""
    lost: bool = False
    used: Mapping[str, object] = field(default_factory=dict)


DONE = Ending(result={"status": "completed", "summary": ""})


class _Spool:
    def __init__(self, due: datetime, ending: Ending) -> None:
        self.due, self.ending = due, ending
        self.text, self.seq, self.locked = b"", 0, True

    def say(self, at: datetime, kind: str, **words: object) -> None:
        self.seq += 1
        line = {"seq": self.seq, "at": micros(at), "kind": kind, **words}
        self.text += json.dumps(line).encode() + b"\n"


class PretendLauncher:
    """Fulfils `ports.PretendLauncher`. `ends` says how the run of an order will end."""

    def __init__(self, clock: Clock, ends: Callable[[LaunchOrder], Ending]) -> None:
        self._clock = clock
        self._ends = ends
        self._spools: dict[str, _Spool] = {}
        self._news: set[str] = set()

    def launch(self, order: LaunchOrder, may: Callable[[], bool] = lambda: True) -> None:
        if not may():
            raise LaunchHeld(order.run)
        now, ending = self._clock.now(), self._ends(order)
        if ending.unborn:
            raise LaunchFailed(ending.unborn, "pretended")
        spool = _Spool(now + ending.after, ending)
        spool.say(now, "hello", protocol=1, pid=1, boot="", ticks=0, fence=order.fence, control="")
        self._spools[order.run] = spool

    def adopt(self, run: str, offset: int, seq: int, ending: Ending) -> None:
        """A run that lives already when the simulation begins: so far it was read, as it really
        was, and what it will say comes after that."""
        spool = _Spool(self._clock.now() + ending.after, ending)
        spool.text, spool.seq = b" " * offset, seq
        self._spools[run] = spool

    def pass_time(self) -> datetime | None:
        """Ends what has come to its end by now; when the next one will."""
        now = self._clock.now()
        for run, spool in self._spools.items():
            if spool.locked and spool.due <= now:
                self._end(run, spool.ending)
        return min((one.due for one in self._spools.values() if one.locked), default=None)

    def take_news(self) -> Sequence[str]:
        """Runs that have something new, in the order of their birth."""
        news, self._news = self._news, set()
        return sorted(news)

    def _end(self, run: str, ending: Ending) -> None:
        spool, now = self._spools[run], self._clock.now()
        if ending.used:
            spool.say(now, "usage", **ending.used)
        if ending.result is not None:
            spool.say(now, "result", source="file", text=json.dumps(ending.result))
        if not ending.lost:
            spool.say(now, "end", why=ending.why, exit_code=ending.exit_code, stderr=ending.stderr)
        spool.locked = False
        self._news.add(run)

    def keep_files(self, run: str, copy: str, paths: Sequence[str]) -> Sequence[KeptFile]:
        return [KeptFile(path=path, fault="artifact_absent") for path in paths]

    def kept_file(self, run: str, number: int) -> bytes | None:
        """Nothing is there."""

    def state(self, run: str) -> SpoolState:
        spool = self._spools.get(run)
        if spool is None:
            return SpoolState.ABSENT
        return SpoolState.LOCKED if spool.locked else SpoolState.FREE

    def unborn(self, run: str) -> str | None:
        return None

    def void(self, run: str) -> bool:
        if run in self._spools:
            return False
        now = self._clock.now()
        spool = self._spools[run] = _Spool(now, DONE)
        spool.say(now, "void")
        spool.locked = False
        return True

    def read(self, run: str, offset: int) -> bytes:
        spool = self._spools.get(run)
        return spool.text[offset:] if spool else b""

    def attach(self, run: str) -> None:
        self._news.add(run)

    def detach(self, run: str) -> None:
        self._news.discard(run)

    def wait(self, timeout: float) -> set[str]:
        return set(self.take_news())

    def nudge(self) -> None:
        """Nobody waits here."""

    def close(self) -> None:
        """There is nothing to let go of."""

    def control(self, run: str, request: Mapping[str, object]) -> Mapping[str, object]:
        spool = self._spools.get(run)
        if spool is None or not spool.locked:
            raise RunnerGone(run)
        if request.get("do") == "cancel":
            reason = request.get("reason")
            why = "interrupted" if reason == "interrupted" else "cancelled"
            self._end(run, Ending(why=why, exit_code=None))
        return {"ok": True}

    def fence(self) -> None:
        """Everything here happens in turn."""

    def tie(self, tied: bool) -> None:
        """Nobody outlives a simulation."""

    def living(self) -> Sequence[str]:
        return ()  # nobody force-stops a simulation

    def sweep(self, run: str) -> Sequence[int]:
        spool = self._spools.get(run)
        if spool is not None and spool.locked:
            spool.locked = False
            self._news.add(run)
        return ()


class PretendGit:
    """Fulfils `ports.Git`: every run leaves one change, and every delivery goes well."""

    def __init__(self) -> None:
        self._commits = 0

    def _commit(self) -> str:
        self._commits += 1
        return f"{self._commits:040x}"

    def stop(self) -> None:
        """Nothing is at work."""

    def inspect(self, path: str) -> RepositoryFacts:
        raise Invalid("not_a_repository", "/path", path=path)

    def commit_of(self, repository: Repository, branch: str) -> str | None:
        return COMMIT + "1"

    def refs(self, repository: Repository) -> Mapping[str, str]:
        return _EveryBranch()

    def begin_branch(self, repository: Repository, branch: str, commit: str) -> str:
        return commit

    def join(
        self, repository: Repository, branch: str, other: str, *, message: str, at: datetime
    ) -> Joined:
        return Joined(old=COMMIT + "1", new=self._commit())

    def marks_in(self, repository: Repository, base: str, head: str) -> tuple[str, ...]:
        return ()

    def make_copy(
        self,
        repository: Repository,
        folder: str,
        commit: str,
        refs: Mapping[str, str],
        *,
        linked: bool = False,
    ) -> None:
        """No file is needed."""

    def note(self, repository: Repository, folder: str, run: str) -> None:
        """There is no repository."""

    def moved(self, repository: Repository, folder: str, run: str) -> tuple[Moved, ...]:
        return ()

    def notes_left(self, above: str) -> Sequence[tuple[str, str]]:
        return ()

    def forget_note(self, folder: str, run: str) -> None:
        """There is none."""

    def take_along(self, repository: Repository, was: str, folder: str, *, moved: bool) -> None:
        """There is none."""

    def began_at(self, repository: Repository, folder: str) -> str | None:
        return None

    def move_copy(
        self, repository: Repository, folder: str, commit: str, refs: Mapping[str, str]
    ) -> None:
        """No file is needed."""

    def rework_copy(
        self,
        repository: Repository,
        folder: str,
        *,
        base: str,
        head: str,
        onto: str,
        at: datetime,
        refs: Mapping[str, str],
        linked: bool = False,
    ) -> None:
        """No file is needed."""

    def size(self, folder: str) -> int:
        return 0

    def unsaved(self, repository: Repository, folder: str, saved: Sequence[str]) -> tuple[str, ...]:
        return ()

    def drop_copy(
        self, repository: Repository, folder: str, still: Callable[[], bool] = lambda: True
    ) -> bool:
        return False

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
        change = Change(path="pretended", status="A", old_mode="000000", new_mode="100644")
        return Collected(head=self._commit(), changes=(change,))

    def keep_ref(self, repository: Repository, ref: str, commit: str) -> None:
        """There is no repository."""

    def drop_ref(self, repository: Repository, ref: str) -> None:
        """There is none."""

    def changes(self, repository: Repository, base: str, head: str) -> tuple[Change, ...]:
        return ()

    def diff(self, repository: Repository, base: str, head: str, limit: int) -> tuple[str, bool]:
        return "", True

    def content(self, *asked: object, **more: object) -> None:
        """Nobody reads in a simulation: its agents are pretended too."""

    def search(self, *asked: object, **more: object) -> tuple[tuple[()], bool]:
        return (), True

    def patch(self, *asked: object, **more: object) -> Patched:
        return Patched(head=None)

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
        return Prepared(old=COMMIT + "1", new=head)

    def deliver(
        self, repository: Repository, branch: str, *, old: str, new: str, into_checkout: bool
    ) -> Delivered:
        return Delivered()

    def finish(
        self, repository: Repository, branch: str, *, old: str, new: str, intended_at: datetime
    ) -> Delivered | None:
        return None


class _EveryBranch(Mapping[str, str]):
    """Which branches a repository has is not known here: it has whatever is asked for."""

    def __getitem__(self, ref: str) -> str:
        return COMMIT + "1"

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class NoSecrets:
    """Fulfils `ports.Secrets`: a pretend agent needs none, and a copy has none."""

    def get(self, owner: str) -> Mapping[str, str]:
        return {}

    @contextmanager
    def change(
        self, owner: str, change: Callable[[Mapping[str, str]], Mapping[str, str]], revision: int
    ) -> Iterator[Mapping[str, str]]:
        yield change({})

    def forget(self, owner: str) -> None:
        """Nothing is kept."""

    def settle(self, revision_of: Callable[[str], int | None]) -> None:
        """Nothing is kept."""
