"""A whole run of the harness: load, kills, restarts, quiescence, counters, one table."""

import contextlib
import http.client
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kills import merging, working
from kills.counting import Counters, count, unsettled, waiting
from kills.ledgers import Record, read_acks, read_launches
from kills.missioning import Bystander
from kills.mixing import MISSIONS, Mixture
from kills.owners import Owners, runners, until
from kills.posting import AckLedger, Load, Wish
from kills.reading import Rows
from kills.showing import table

AGENT = Path(__file__).with_name("ledger_agent.py")
BRANCH = "work"
COMMANDS = 4
"""Agents with the ledger; each may have two sessions."""
EARLY = 0.15
"""The share of kills that do not wait until the owner is ready (F-08)."""
YOUNG = 2.0
"""Seconds after its start in which the death of an owner is one during recovery (F-08)."""
LOOK_EVERY = 50
"""After so many kills the whole database is looked at, besides the look at the end (F-01)."""
_BEHIND = "SELECT count(*) FROM agent_wakeup_requests WHERE status IN ('queued', 'claimed')"


def a_seed() -> int:
    """The one that was asked for, else any. The same one draws the same load and nearly the same
    kills; when they fall is not in its hands."""
    return int(os.environ.get("ROUNDTABLE_SEED") or random.SystemRandom().randrange(10_000))


@dataclass
class Plan:
    """hurt: the chance that with the owner a runner or an agent is killed as well; repeats: the
    share of requests that ask for a task again; auto: of tasks that nobody needs to deliver; mixed:
    of requests that are about something else (fires, comments, wakes, limits, pauses, gates,
    approvals, missions); missions: of these, the share that is one; files: of the repository,
    besides a handful; life: seconds that an owner who is ready lives at most; hurried: how its
    owners begin."""

    kills: int
    posts: int
    seconds: float
    rate: float = 10.0
    backlog: int = 40
    early: float = EARLY
    hurt: float = 0.0
    quiet: float = 3.0
    repeats: float = 0.15
    auto: float = 0.3
    mixed: float = 0.0
    missions: float = MISSIONS
    files: int = 0
    life: float = 0.45
    hurried: bool = False
    seed: int = field(default_factory=a_seed)


@dataclass
class Outcome:
    """faults: of git, or that it never came to rest; crashed: runs that did not start or died."""

    counters: Counters
    faults: list[str]
    lines: list[str]
    hurt: int
    crashed: int

    @property
    def table(self) -> str:
        return "\n".join(self.lines)


class Site:
    """A home, a repository and agents; all of it goes with the folder."""

    def __init__(self, folder: Path, files: int = 0, hurried: bool = False) -> None:
        self.auto, self.repeats, self.mixed, self.branch = 0.3, 0.0, 0.0, BRANCH
        self.mixture: Mixture | None = None
        self.home = folder / "home"
        self.repository = folder / "repository"
        self.ledger, self.acks, self.locks = folder / "agents", folder / "acks", folder / "locks"
        self.locks.mkdir()
        self.owners = Owners(self.home, hurried=hurried)
        working.make_repository(self.repository, BRANCH, files)
        self.bystander = Bystander(self.repository, BRANCH)

    def settle_in(self, commands: int = COMMANDS, demos: int = 1, sessions: int = 2) -> list[str]:
        """Registers the repository and its agents; needs a living owner."""
        ask = self.owners.ask
        self.workspace = ask("POST", "/workspaces", {"path": str(self.repository)})["id"]
        ledger = self.ledger_agent()
        demo = [sys.executable, "-I", "-m", "roundtable_desktop.demo.agent"]
        self.agents = [self.add_agent(f"command-{n}", ledger, sessions) for n in range(commands)]
        self.demos = [self.add_agent(f"demo-{n}", demo, 1) for n in range(demos)]
        return self.agents

    def ledger_agent(self) -> list[str]:
        return [sys.executable, "-I", "-S", str(AGENT), str(self.ledger), str(self.locks)]

    def mix(self, share: float, missions: float = MISSIONS) -> None:
        """From now on that share of the load is about something else than tasks."""
        self.mixed, self.mixture = share, Mixture(self, self.ledger_agent(), missions)

    def add_agent(self, name: str, command: list[str], sessions: int, **more: Any) -> str:
        told = {"workspace_id": self.workspace, "name": name, "adapter": "command"}
        body = {**told, "command": command, "cooldown_sec": 0, "max_concurrent_sessions": sessions}
        return str(self.owners.ask("POST", "/agents", {**body, **more})["id"])

    def post(self, key: str, told: str, agent: int = 0, **more: Any) -> str:
        """One task by hand; its id, also where the owner died before it had said it."""
        body = {"workspace_id": self.workspace, "title": key, "base_branch": BRANCH}
        body |= {"description": told, "assignee_agent_id": self.agents[agent], **more}
        try:
            return str(self.owners.ask("POST", "/tasks", body)["id"])
        except (OSError, http.client.HTTPException):
            return str(self.told("SELECT id FROM tasks WHERE title = ?", key))

    def starts(self, kind: str = "START") -> list[Record]:
        return read_launches(self.ledger).of(kind)

    def wish(self, key: str, dice: random.Random, tasks: Sequence[str]) -> Wish:
        """What the load asks for."""
        if self.mixture is not None and dice.random() < self.mixed:
            return self.mixture.wish(key, dice, tasks)
        if tasks and dice.random() < self.repeats:
            return Wish("run", f"/tasks/{dice.choice(tasks)}/run", {})
        return Wish("task", "/tasks", self.task(key, dice))

    def task(self, key: str, dice: random.Random) -> dict[str, Any]:
        """Mostly ledger agents, one in twelve for the demo agent."""
        body = {"workspace_id": self.workspace, "title": key, "base_branch": BRANCH}
        delivery = "auto" if dice.random() < self.auto else "approval"
        if self.demos and dice.random() < 1 / 12:
            agent = dice.choice(self.demos)
            told = f"@demo sleep {dice.uniform(0.05, 0.4):.2f}\n@demo write {key}.txt done"
        else:
            agent = dice.choice(self.agents)
            # Some outlive a start or two of the owner, else hardly any would be adopted.
            longer = 3.0 if dice.random() < 0.25 else 0.4
            told = f"@work {dice.uniform(0.05, longer):.2f} {behaviour(key, dice)}"
        more = {"description": told, "assignee_agent_id": agent, "delivery": delivery}
        return {**body, **more, "retry_budget": 1}

    def told(self, sql: str, *values: Any) -> Any:
        """The first value that a query answers, as the database is now."""
        rows = Rows(self.home)
        try:
            return rows.one(sql, *values)
        finally:
            rows.close()

    def status(self, task: str) -> str:
        return str(self.told("SELECT status FROM tasks WHERE id = ?", task))

    def at_rest(self) -> bool:
        rows = Rows(self.home)
        try:
            return not unsettled(rows) and not (self.mixture and waiting(rows))
        finally:
            rows.close()

    def merged(self) -> merging.Found:
        """What became of its missions, and of what is the user's; needs an owner that has ended."""
        self.bystander.look()
        seen, launches = self.bystander.branches, read_launches(self.ledger)
        asked = merging.Asked.of(self.home, self.repository, BRANCH, seen, launches)
        found = merging.judge(asked, read_acks(self.acks))
        found.touched += self.bystander.touched
        return found

    def quiet(self, span: float, seconds: float) -> bool:
        """Nothing unsettled for `span`; False when that did not come in time."""
        end, since = time.monotonic() + seconds, time.monotonic()
        while time.monotonic() < end:
            if not self.at_rest():
                since = time.monotonic()
            elif time.monotonic() - since > span:
                return True
            time.sleep(0.1)
        return False

    def rests(self, span: float, seconds: float) -> bool:
        """Quiet, with everything let go on that waits for a person."""
        end = time.monotonic() + seconds
        while self.mixture is not None:
            self.mixture.go_on()
            if not self.quiet(span, end - time.monotonic()) or not self.mixture.try_again():
                break
        return self.quiet(span, end - time.monotonic())


def behaviour(key: str, dice: random.Random) -> str:
    draw = dice.random()
    if draw < 0.10:
        return f"write {key}.txt escape"
    if draw < 0.16:
        return "fail"
    if draw < 0.20:
        return "exit 3"
    if draw < 0.28:
        return "nothing"
    return f"write {key}.txt"


@contextlib.contextmanager
def site(files: int = 0, hurried: bool = False) -> Iterator[Site]:
    """In a folder with a short name: sockets have no room for a long one."""
    with tempfile.TemporaryDirectory(prefix="rtk", ignore_cleanup_errors=True) as name:
        made = Site(Path(name), files, hurried)
        try:
            yield made
        finally:
            made.owners.close()


def run(plan: Plan) -> Outcome:
    with site(plan.files, plan.hurried) as made:
        return _run(plan, made)


def _run(plan: Plan, made: Site) -> Outcome:
    dice, began = random.Random(plan.seed), time.monotonic()
    made.owners.start()
    made.settle_in()
    made.auto, made.repeats = plan.auto, plan.repeats
    if plan.mixed:
        made.mix(plan.mixed, plan.missions)
    ledger = AckLedger(made.acks)
    load = Load(
        made.owners,
        ledger,
        made.wish,
        count=plan.posts,
        rate=plan.rate,
        behind=lambda: int(made.told(_BEHIND)),
        backlog=plan.backlog,
        dice=random.Random(plan.seed + 1),
    )
    load.start()
    try:
        killed = _kill(plan, made, dice, began)
        missions = plan.posts * plan.mixed * plan.missions  # each of them is many requests
        answered = load.finish(plan.posts / plan.rate * 3 + missions + 30)
        quiet = made.rests(plan.quiet, 60 + plan.posts * 0.5)
    finally:
        load.stop()
        ledger.close()
    made.owners.stop()
    until(lambda: not runners(made.home), 15)
    counters = count(made.home, made.acks, made.ledger)
    faults = working.faults(made.home, made.repository, BRANCH)
    merged = made.merged()
    faults += merged.told
    faults += [] if answered else ["not all requests were answered"]
    faults += [] if quiet else ["it did not come to rest"]
    counters.integrity += len(killed.unsound)
    counters.told += killed.unsound
    head = f"seed {plan.seed}: {killed}"
    wall = f"{time.monotonic() - began:.0f} s, {load.acked} acknowledged, {load.repeated} repeated"
    lines = [head, wall, *merged.counts, *table(made, counters, faults)]
    crashed = made.told("SELECT count(*) FROM runs WHERE outcome = 'crashed'")
    return Outcome(counters, faults, lines, killed.hurt, crashed)


@dataclass
class Killed:
    """early: before the owner was ready; young: within `YOUNG` of its start, those among them;
    looks: at the whole database, as a kill had left it."""

    kills: int = 0
    early: int = 0
    young: int = 0
    hurt: int = 0
    looks: int = 0
    unsound: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        when = f"{self.early} before ready, {self.young} within {YOUNG:.0f} s of a start"
        told = f"{self.kills} kills ({when}), {self.hurt} agents or runners hit"
        return f"{told}, {self.looks} looks at the whole database between"

    def look(self, made: Site) -> None:
        self.looks += 1
        made.bystander.look()
        if (said := made.told("PRAGMA integrity_check")) != "ok":
            self.unsound.append(f"after kill {self.kills}: {said}")


def _kill(plan: Plan, made: Site, dice: random.Random, began: float) -> Killed:
    """Ends with a living owner, after `plan.kills` or when the time is over."""
    done = Killed()
    for number in range(plan.kills):
        if time.monotonic() - began > plan.seconds:
            break
        if dice.random() < plan.early and number:
            done.early += 1
            time.sleep(dice.uniform(0.0, 0.3 if plan.hurried else 1.0))
        else:
            if made.owners.life.ready is None and not made.owners.wait_ready():
                raise AssertionError(made.owners.errors()[-2000:])
            time.sleep(dice.uniform(0.05, plan.life))
        if dice.random() < plan.hurt:
            done.hurt += _hurt(made.home, dice)
        made.owners.kill(group=dice.random() < 0.3)
        done.kills += 1
        done.young += made.owners.life.age < YOUNG
        made.bystander.glance()
        if done.kills % LOOK_EVERY == 0:
            done.look(made)
        made.owners.spawn()
    if made.owners.life.ready is None and not made.owners.wait_ready():
        raise AssertionError(made.owners.errors()[-2000:])
    return done


def _hurt(home: Path, dice: random.Random) -> int:
    """One runner, or one runner's agent."""
    living = runners(home)
    if not living:
        return 0
    victim = dice.choice(living)
    if dice.random() < 0.5:
        children = Path(f"/proc/{victim}/task/{victim}/children")
        with contextlib.suppress(OSError, IndexError, ValueError):
            victim = int(children.read_text().split()[0])
    with contextlib.suppress(ProcessLookupError):
        os.kill(victim, signal.SIGKILL)
    return 1
