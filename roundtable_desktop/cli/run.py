"""`roundtable run`: works towards one goal until that is over; the owner, where there is none."""

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.cli import loading, names
from roundtable_desktop.cli.client import Answer, Client, Said, Unreachable
from roundtable_desktop.cli.config import told_at_first, written
from roundtable_desktop.cli.live_view import Lines, Live, View
from roundtable_desktop.cli.output import plain
from roundtable_desktop.cli.paces import Short
from roundtable_desktop.model.errors import Busy
from roundtable_desktop.phrases import _

FAILED = 1
_LOOK = 10.0
"""Seconds within which an owner has looked at what is due."""
_COMES_UP = 20.0
"""Seconds for another owner that is just starting."""


@click.command()
@click.option(
    "--root", type=click.Path(path_type=Path), default=".", help=_("A folder of the repository.")
)
@click.option("--run", "run_id", metavar="ID", help=_("The mission to take up; else the newest."))
@click.option("--goal", metavar="TEXT", help=_("What is to be reached: makes a new mission."))
@click.option("--resume", is_flag=True, help=_("Opens it again if it is over, or lets it go on."))
@click.option("--headless", is_flag=True, help=_("No pages and no view; one cycle unless told."))
@click.option("--interval", type=Short(), default="1s", show_default=True)
@click.option("--retry-backoff", type=Short(), default="250ms", show_default=True)
@click.option("--max-consecutive-errors", type=int, default=5, show_default=True)
@click.option(
    "--max-iterations",
    type=int,
    default=0,
    show_default=True,
    help=_("0: no limit, or with --headless one cycle. Below 0: no limit."),
)
@click.pass_obj
def run(
    home: Home,
    root: Path,
    run_id: str | None,
    goal: str | None,
    resume: bool,
    headless: bool,
    interval: int,
    retry_backoff: int,
    max_consecutive_errors: int,
    max_iterations: int,
) -> None:
    """Works towards one goal until that is over.

    Where no owner is running it is the owner itself for so long; else the running one does the
    work. Ctrl-C leaves agents at work. Ends with 0 when the mission is completed, and with 1 when
    it is blocked, failed or stopped, or when the limit of cycles is reached on a terminal.
    """
    if goal is not None and (run_id or resume):
        raise click.UsageError(_("name a goal for a new mission, or take one up: not both"))
    limit = 1 if headless and max_iterations == 0 else max(max_iterations, 0)
    wanted = {"goal": goal, "run_id": run_id and names.ref(run_id), "resume": resume}
    pace = {
        "interval_ms": interval,
        "backoff_ms": retry_backoff,
        "max_errors": min(max_consecutive_errors, 1000),
    }
    with _signals() as told, _owner(home, headless) as (client, look):
        workspace = _workspace(client, root)
        path = f"/workspaces/{workspace['id']}/sittings"
        sitting = client.post(path, {**wanted, **pace, "headless": headless})
        view = Lines() if headless or not sys.stdout.isatty() else Live()
        stay = Stay(client, look, view, told, sitting, limit)
        exit = stay.until_it_is_over()
        seen = _go(client, sitting, exit, stay)
    _end(seen, exit, headless)


def _go(client: Client, sitting: Answer, exit: str, stay: "Stay") -> Answer:
    """A word to the owner that can be lost: what was done stands all the same (W-11)."""
    try:
        gone = {"exit": exit, "cycles": stay.cycles}
        return client.post(f"/sittings/{sitting['id']}/end", gone)
    except (Said, Unreachable) as why:
        click.echo(plain(_("That you went could not be written down: {why}").format(why=why)))
        return stay.seen


def _end(seen: Answer, exit: str, headless: bool) -> None:
    click.echo(plain(seen["sentence"]))
    if seen["state"] == "completed":
        said = _("See what it comes to, and deliver it: roundtable mission show {mission}")
        click.echo(plain(said.format(mission=seen["mission_id"][-8:])))
    if exit == "cancelled":
        click.echo(_("You left it as it is: agents at work go on."))
    if exit == "iteration_limit":
        limit = _("iteration_limit: the limit of cycles is reached, and it is not over.")
        click.echo(limit, err=not headless)
        raise SystemExit(0 if headless else FAILED)
    if exit == "over" and seen["state"] != "completed":
        raise SystemExit(FAILED)


class Stay:
    """The loop of one run: a cycle at once, then one at each beat of a ticker that began with it;
    beats that pass while a cycle takes long are left out (R-08)."""

    def __init__(
        self,
        client: Client,
        look: Callable[[], object],
        view: View,
        told: int,
        sitting: Answer,
        limit: int,
    ) -> None:
        """told: a pipe that can be read once somebody wants an end. limit: 0 for none."""
        self.cycles, self.seen = 0, sitting
        self._client, self._look, self._view, self._told = client, look, view, told
        self._path = f"/sittings/{sitting['id']}"
        self._limit = limit
        pace = sitting["pace"]
        self._interval: float = pace["interval_ms"] / 1000
        self._backoff: float = pace["backoff_ms"] / 1000
        self._most = pace["max_errors"]
        self._began = time.monotonic()
        self._errors = 0

    def until_it_is_over(self) -> str:
        """Why it ends: over, iteration_limit, or cancelled."""
        while True:
            self.cycles += 1
            well = self._cycle()
            if well and self.seen["over"]:
                return "over"
            if self._limit and self.cycles >= self._limit:
                return "iteration_limit"
            if self._is_told(self._until_next() if well else self._backoff):
                return "cancelled"

    def _cycle(self) -> bool:
        """False for one that failed; as many in a row as are allowed end it."""
        try:
            self._client.post(f"{self._path}/beat", {})
            self._look()
            self.seen = self._client.get(self._path)
        except (Said, Unreachable) as why:
            self._errors += 1
            if self._errors >= self._most or _is_final(why):
                raise
            said = _("This cycle failed ({n} of {most} in a row): {why}")
            click.echo(plain(said.format(n=self._errors, most=self._most, why=why)), err=True)
            return False
        self._errors = 0
        self._view.show(self.seen)
        return True

    def _until_next(self) -> float:
        passed: float = time.monotonic() - self._began
        return self._interval - passed % self._interval

    def _is_told(self, seconds: float) -> bool:
        return bool(select.select([self._told], [], [], seconds)[0])


def _is_final(why: Exception) -> bool:
    """Asked again it would be refused again."""
    status = why.problem.get("status") if isinstance(why, Said) else None
    return isinstance(status, int) and 400 <= status < 500


@contextmanager
def _signals() -> Iterator[int]:
    """A pipe that holds a byte for each Ctrl-C and each wish that this ends; as it was after."""
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, lambda *_: None) for number in numbers]
    heard = signal.set_wakeup_fd(tell)
    try:
        yield told
    finally:
        signal.set_wakeup_fd(heard)
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
        os.close(told)
        os.close(tell)


@contextmanager
def _owner(home: Home, headless: bool) -> Iterator[tuple[Client, Callable[[], object]]]:
    """The running owner; where there is none, one of our own for as long as we stay, without pages
    if nobody looks (C-72). Second: has it look at what is due, where that can be waited for."""
    home.prepare()
    try:
        home.lock()
    except Busy as taken:
        if taken.code != "home_is_owned":
            raise
        yield _coming_up(home), lambda: None
        return
    with loading.for_good():
        from roundtable_desktop.app import Owner

        owner = Owner(home, with_pages=not headless)
        owner.start()
    try:
        yield Client(home), lambda: owner.look(_LOOK)
    finally:
        owner.stop()


def _coming_up(home: Home) -> Client:
    """Of an owner that may just be starting."""
    end = time.monotonic() + _COMES_UP
    while True:
        try:
            client = Client(home)
            client.get("/status")
            return client
        except Unreachable:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def _workspace(client: Client, root: Path) -> Answer:
    """The repository's, registered as `init` does where it is not; nothing in its file takes effect
    before a person accepts it (C-105)."""
    found = names.containing(client, str(root))
    if found is None:
        found = client.post("/workspaces", {"path": os.path.abspath(root)})
        told_at_first(written(client, found))
        return found
    seen = client.post(f"/workspaces/{found['id']}/config", {"action": "look"})
    told_at_first(seen)
    return found


COMMANDS = [run]
