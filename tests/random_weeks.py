"""Random weeks in a simulated world, and what must be true after each of them."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from ground import JOAN, NOW
from simulated import World

from roundtable_desktop.adapters.pretend import DONE, Ending
from roundtable_desktop.engine.desk import Asked, board, control, inbox, pausing, tasks
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.graph import Edge
from roundtable_desktop.model.ports import LaunchOrder
from roundtable_desktop.model.states import AgentStatus, DeliveryMode, ErrorKind

ASKED = Asked(JOAN)
ENDED = (
    "wakeup.settled",
    "wakeup.coalesced",
    "wakeup_stale_cancelled",
    "wakeup_retry_cancelled",
)
ENDINGS = (
    DONE,
    Ending(result={"status": "completed", "summary": "", "next": "more"}),
    Ending(result={"status": "failed", "summary": "no", "error": {"kind": "x", "text": "no"}}),
    Ending(
        result={
            "status": "blocked",
            "summary": "",
            "blocked": {"owner": "user", "action": "look"},
        }
    ),
    Ending(exit_code=-9),
    Ending(exit_code=1, stderr="429 rate limit. Retry-After: 3600"),
    Ending(exit_code=1, stderr="usage limit reached, try again in 5 minutes"),
    Ending(exit_code=0),
    Ending(lost=True),
    Ending(unborn=ErrorKind.SPAWN_FAILED),
    Ending(unborn=ErrorKind.CLI_MISSING),
)


def lived(root: Path, seeds: Iterable[int]) -> int:
    """Each seed is played and checked; how often an owner died in all."""
    kills = 0
    for seed in seeds:
        folder = root / str(seed)
        folder.mkdir()
        world = World(folder, seed)
        play(world)
        check(world)
        kills += world.kills
        world.ground.close()
    return kills


class Player:
    """Whoever does random things to a world."""

    def __init__(self, world: World) -> None:
        self.world, self.chance = world, world.chance
        chance = self.chance
        world.set(coalescing_window_sec=chance.choice((0, 0, 20, 300)))
        self.workspace = world.ground.workspace()
        self.agents = [
            world.ground.agent(
                self.workspace,
                cooldown_sec=chance.choice((0, 10, 600)),
                max_concurrent_sessions=chance.randint(1, 3),
            ).id
            for _ in range(chance.randint(1, 3))
        ]
        self.tasks: list[str] = []

    def ending(self, order: LaunchOrder) -> Ending:
        after = timedelta(seconds=self.chance.choice((0, 1, 30, 600, 10_000)))
        return replace(self.chance.choice(ENDINGS), after=after)

    def create(self) -> None:
        given: dict[str, Any] = {"title": "Do it", "assignee_agent_id": self.agent()}
        if self.tasks and self.chance.random() < 0.3:
            given["depends_on"] = [Edge(depends_on_task_id=self.task())]
        if self.chance.random() < 0.7:
            given["delivery"] = DeliveryMode.AUTO
        if self.chance.random() < 0.2:
            given["requires_approval"] = True
        made = tasks.create(self.world.desk, ASKED, self.workspace.id, **given)
        self.tasks.append(made.id)

    def agent(self) -> str:
        return self.chance.choice(self.agents)

    def task(self) -> str:
        return self.chance.choice(self.tasks)

    def deed(self) -> Callable[[], object]:
        desk, chance, clock = self.world.desk, self.chance, self.world.clock
        deeds: tuple[Callable[[], object], ...] = (
            self.create,
            self.create,
            lambda: tasks.comment(desk, ASKED, self.task(), "Hear me"),
            lambda: tasks.comment(desk, ASKED, self.task(), "And this"),
            lambda: tasks.assign(desk, ASKED, self.task(), self.agent()),
            lambda: tasks.run(desk, ASKED, self.task()),
            lambda: board.move(desk, ASKED, self.task(), chance.choice(board.BY_HAND)),
            lambda: self.answer(chance.choice(("approve", "reject", "drop_edge", "cancel"))),
            lambda: pausing.pause(desk, ASKED, self.agent()),
            lambda: pausing.resume(desk, ASKED, self.agent()),
            lambda: control.pause(desk, ASKED),
            lambda: control.resume(desk, ASKED),
            lambda: clock.move_to(clock.now() + timedelta(hours=chance.randint(1, 9))),
            lambda: self.world.die_in(chance.randint(1, 12), after=chance.random() < 0.5),
        )
        return chance.choice(deeds)

    def answer(self, word: str) -> None:
        """To the oldest question that has this answer."""
        for item in self.world.ground.rows("inbox_items"):
            options = json.loads(item["data"]).get("options", ())
            if item["status"] == "open" and any(one["kind"] == word for one in options):
                inbox.act(self.world.desk, ASKED, item["id"], word)
                return

    def do(self, deed: Callable[[], object]) -> None:
        """What is refused is said to who asked, and changes nothing."""
        with suppress(Refused):
            deed() if self.tasks else self.create()


def play(world: World) -> None:
    """Two days of deeds, then a fortnight in which everything is let go on."""
    player, chance = Player(world), world.chance
    world.ending = player.ending
    for _ in range(chance.randint(5, 40)):
        at = NOW + timedelta(seconds=chance.choice((0, 1, 5, 3600, 172_800)) * chance.random())
        world.at(at, partial(player.do, player.deed()))
    world.run(timedelta(days=2))
    world.die_in(-1)
    world.ending = lambda order: DONE
    control.resume(world.desk, ASKED)
    for agent in player.agents:
        with suppress(Refused):
            pausing.resume(world.desk, ASKED, agent)
    world.run(timedelta(days=14))


def check(world: World) -> None:
    rows, events = world.ground.rows, world.ground.events()
    wakeups, runs = rows("agent_wakeup_requests"), rows("runs")
    over = {one["id"]: one["status"] for one in wakeups}
    held = [one for one in wakeups if one["held_by"] == "blockers"]
    waits = {one["id"] for one in held if over[one["id"]] == "queued" and over.pop(one["id"])}
    assert set(over.values()) <= {"finished", "failed", "cancelled", "coalesced", "skipped"}, over
    assert all(one["outcome"] and one["finished_at"] for one in wakeups if one["id"] in over)
    status = {one["id"]: one["status"] for one in rows("tasks")}
    after = [(one["task_id"], one["depends_on_task_id"]) for one in rows("task_dependencies")]
    for one in wakeups:  # held for something that is still to come
        open_before = [status[it] for task, it in after if task == one["task_id"]]
        assert one["id"] not in waits or set(open_before) - {"done"}, one
    ends = Counter(one.subject_id for one in events if one.kind in ENDED)
    assert ends == dict.fromkeys(over, 1)
    assert all(run["ended_at"] for run in runs)
    assert max(Counter(one["idempotency_key"] for one in runs).values(), default=1) == 1
    assert not rows("leases")
    agents = {one["id"]: one for one in rows("agents")}
    assert all(one["status"] == AgentStatus.ACTIVE for one in agents.values())
    no_two_at_once(runs, "task_id", dict.fromkeys((run["task_id"] for run in runs), 1))
    no_two_at_once(runs, "wakeup_id", dict.fromkeys((run["wakeup_id"] for run in runs), 1))
    most = {key: one["max_concurrent_sessions"] for key, one in agents.items()}
    no_two_at_once(runs, "agent_id", most)


def no_two_at_once(runs: list[dict[str, Any]], of: str, most: dict[str, int]) -> None:
    live: Counter[str] = Counter()
    turns = [(run["created_at"], 1, run[of]) for run in runs]
    turns += [(run["ended_at"], -1, run[of]) for run in runs]
    for _, step, key in sorted(turns, key=lambda turn: (turn[0], turn[1])):
        live[key] += step
        assert live[key] <= most[key], f"{live[key]} runs at once of {of} {key}"
