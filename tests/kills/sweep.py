"""Kills the owner, or a runner, at each system call of one scenario (enqueue, claim, launch,
follow, settle, deliver), with strace's injection and no help from the product.

The scenario is one task with automatic delivery; or a mission of one task, which is merged onto the
mission's branch and delivered with it. Points are (role, call, N): the N-th such call of the
threads of that role. Each life of the owner has one point and its own task, and finishes what the
life before left; counters are taken after every few. Several homes are swept side by side.
"""

import contextlib
import http.client
import json
import random
import shutil
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice

from kills import working
from kills.campaign import BRANCH, Site, site
from kills.counting import count
from kills.owners import Refusal, runners, until
from kills.posting import AckLedger

STRACE = shutil.which("strace")
HOW_TO_GET_IT = "strace is not installed; get it with `apt install strace` (or dnf, pacman, apk)"
CALLS = {
    # role: calls with a number a little above what one scenario makes, measured with `strace -c`
    "start": {"pwrite64": 90, "fdatasync": 6, "ftruncate": 4, "mkdir": 9, "rename": 1, "unlink": 6},
    "http": {"pwrite64": 36, "fdatasync": 2, "vfork": 2},
    "scheduler": {"pwrite64": 50, "fdatasync": 3},
    "act": {"pwrite64": 55, "fdatasync": 4, "vfork": 19, "mkdir": 16, "unlinkat": 22, "write": 12},
    "follower": {"pwrite64": 24, "fdatasync": 4, "flock": 12},
}
MISSION_CALLS = {
    "scheduler": {"pwrite64": 165, "fdatasync": 8},
    "act": {"pwrite64": 112, "fdatasync": 5, "vfork": 30, "mkdir": 26, "unlinkat": 24, "write": 17},
}
"""With the work on the mission's branch: making it, a merge, the offer, its delivery."""
RUNNER_CALLS = {
    "write": 12,
    "linkat": 1,
    "unlink": 3,
    "vfork": 1,
    "clone3": 2,
    "flock": 1,
    "mkdir": 1,
}
CHECK_EVERY = 20
ABREAST = 2
SCENARIO_SECONDS = 30.0
Post = Callable[[Site, AckLedger, str], str]


@dataclass(frozen=True, slots=True)
class Point:
    role: str
    call: str
    number: int

    def __str__(self) -> str:
        return f"{self.role} {self.call} {self.number}"


@dataclass
class Swept:
    done: int = 0
    killed: Counter[str] = field(default_factory=Counter)
    unreached: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    points: int = 0
    seconds: float = 0.0
    gate: threading.Lock = field(default_factory=threading.Lock)

    def tell(self, role: str, *, killed: bool) -> None:
        with self.gate:
            (self.killed if killed else self.unreached)[role] += 1
            self.done += 1

    @property
    def table(self) -> str:
        lines = [f"{self.done} of {self.points} points in {self.seconds:.0f} s"]
        for role in sorted({*self.killed, *self.unreached}):
            reached = self.killed[role]
            lines.append(f"{role:<10}killed {reached:>4}, not reached {self.unreached[role]:>4}")
        return "\n".join([*lines, *self.wrong])


def every_point(dice: random.Random, of: Mapping[str, Mapping[str, int]] = CALLS) -> list[Point]:
    """In an order of the dice, so that a sweep that runs out of time is an even sample."""
    points = [
        Point(role, call, number)
        for role, calls in of.items()
        for call, most in calls.items()
        for number in range(1, most + 1)
    ]
    dice.shuffle(points)
    return points


def runner_points() -> list[tuple[str, int]]:
    return [(call, n) for call, most in RUNNER_CALLS.items() for n in range(1, most + 1)]


def sweep(
    points: Sequence[Point], seconds: float, *, hurried: bool = False, mission: bool = False
) -> Swept:
    """Stops when the time is over; what was not done is the difference to `points`. hurried: how
    its owners begin, but for those that are traced from their birth."""
    swept, began = Swept(points=len(points)), time.monotonic()
    ahead, end = iter(points), began + seconds

    def work() -> None:
        while (taken := list(islice(ahead, CHECK_EVERY))) and not swept.wrong:
            if time.monotonic() < end:
                with _home(hurried) as made:
                    _chain(made, taken, swept, end, _post_mission if mission else _post)

    with ThreadPoolExecutor(ABREAST) as workers:
        for worker in [workers.submit(work) for _ in range(ABREAST)]:
            worker.result()
    swept.seconds = time.monotonic() - began
    return swept


def sweep_runners(points: Sequence[tuple[str, int]]) -> Swept:
    """One life of the owner, one task and one killed runner for each point."""
    swept, began = Swept(points=len(points)), time.monotonic()
    with _home() as made:
        made.owners.start()
        ledger = AckLedger(made.acks)
        for number, (call, nth) in enumerate(points):
            (made.home.parent / "doom").write_text(f"{call} {nth}")
            task = _post(made, ledger, f"key-{number}")
            if not until(lambda task=task: _over(made, task), 2 * SCENARIO_SECONDS, 0.05):
                swept.wrong.append(f"not over after {call} {nth}: {made.status(task)}")
            swept.done += 1
        ledger.close()
        _check(made, swept, "runners")
        swept.killed["runner"] = made.told("SELECT count(*) FROM runs WHERE outcome <> 'done'")
        swept.unreached["runner"] = swept.done - swept.killed["runner"]
    swept.seconds = time.monotonic() - began
    return swept


def _over(made: Site, task: str) -> bool:
    return made.status(task) == "done"


@contextlib.contextmanager
def _home(hurried: bool = False) -> Iterator[Site]:
    with site(hurried=hurried) as made:
        made.owners.start()
        made.settle_in(commands=1, demos=0, sessions=4)
        made.owners.stop()
        yield made


def _chain(made: Site, points: Sequence[Point], swept: Swept, end: float, post: Post) -> None:
    ledger = AckLedger(made.acks)
    taken: list[Point] = []
    unanswered: list[str] = []
    for point in points:
        if time.monotonic() > end:
            break
        taken.append(point)
        unanswered.append(f"key-{len(taken)}")
        swept.tell(point.role, killed=_one(made, ledger, point, unanswered, post))
    made.owners.start()
    _post_all(made, ledger, unanswered, post)
    if unanswered or not until(made.at_rest, 60, 0.1):
        swept.wrong.append(f"it did not come to rest; unanswered: {unanswered}")
    ledger.close()
    _check(made, swept, ", ".join(map(str, taken)))


def _one(made: Site, ledger: AckLedger, point: Point, unanswered: list[str], post: Post) -> bool:
    """One life: posts what was not answered before, until death (True) or rest."""
    tracer = _spawn(made, point)
    if made.owners.life.ready is not None:
        _post_all(made, ledger, unanswered, post)
        end = time.monotonic() + SCENARIO_SECONDS
        while time.monotonic() < end and made.owners.life.process.poll() is None:
            if made.at_rest():
                break
            time.sleep(0.03)
    dead = made.owners.wait_dead(0.1)
    if not dead:
        made.owners.kill(group=True)
    made.bystander.glance()
    if tracer is not None:
        tracer.wait()
    return dead


def _spawn(made: Site, point: Point) -> subprocess.Popen[bytes] | None:
    """Owner and tracer: for its start the tracer is its parent and sees the first thread alone;
    later it is attached to the threads of one role."""
    inject = f"inject={point.call}:signal=SIGKILL:when={point.number}"
    tracing = [str(STRACE), "-o", "/dev/null", "-e", f"trace={point.call}", "-e", inject]
    if point.role == "start":
        made.owners.prefix = tracing
        made.owners.spawn()
        made.owners.prefix = ()
        made.owners.wait_ready()
        return None
    made.owners.start()
    threads = json.loads((made.home.parent / "threads").read_text())
    ids = [str(tid) for name, tid in threads.items() if name.startswith(_threads_of(point.role))]
    words = [word for tid in ids for word in ("-p", tid)]
    tracer = subprocess.Popen([*tracing, *words], stderr=subprocess.DEVNULL)
    pid = made.owners.life.process.pid
    assert until(lambda: all(_traced(pid, tid) for tid in ids), 10), f"not attached: {point}"
    return tracer


def _threads_of(role: str) -> str:
    return {"http": "waitress", "act": "act-"}.get(role, role)


def _traced(pid: int, tid: str) -> bool:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{tid}/status") as file:
        return any(line.startswith("TracerPid:\t") and line[11:-1] != "0" for line in file)
    return True  # gone with its process


def _post_all(made: Site, ledger: AckLedger, keys: list[str], post: Post) -> None:
    """Takes off the list what was answered; the owner may die at any of them."""
    with contextlib.suppress(OSError, ValueError, http.client.HTTPException, Refusal):
        while keys:
            post(made, ledger, keys[0])
            del keys[0]


def _post(made: Site, ledger: AckLedger, key: str) -> str:
    body = {
        **made.task(key, random.Random(0)),
        "description": f"@work 0.05 write {key}.txt",
        "delivery": "auto",
        "assignee_agent_id": made.agents[0],
    }
    done = made.owners.ask("POST", "/tasks", body, key=key)
    ledger.add(key, "task", done["id"])
    return str(done["id"])


def _post_mission(made: Site, ledger: AckLedger, key: str) -> str:
    """Of one task, which writes its file."""
    ask, where = made.owners.ask, {"workspace_id": made.workspace}
    goal = {**where, "goal": f"{key} of 1", "base_branch": BRANCH, "delivery": "auto"}
    mission = ask("POST", "/missions", goal, key=f"{key}-goal")
    body = {
        **where,
        "title": f"{key}-0",
        "description": f"@work 0.05 write {key}.txt",
        "assignee_agent_id": made.agents[0],
        "mission_id": mission["id"],
        "write_area": [f"{key}.txt"],
    }
    ask("POST", "/tasks", body, key=key)
    ledger.add(key, "mission", mission["id"])
    return str(mission["id"])


def _check(made: Site, swept: Swept, what: str) -> None:
    made.owners.stop()
    until(lambda: not runners(made.home), 15)
    counters = count(made.home, made.acks, made.ledger)
    faults = working.faults(made.home, made.repository, BRANCH) + made.merged().told
    if counters.zero() or faults:
        swept.wrong += [f"after {what}: {counters.zero()}", *counters.told, *faults]
