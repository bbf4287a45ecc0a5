"""A hard week in four zones across a change of the clock, for ten routines and whatever seed.

Nobody can be off-line yet, so that day is a sleep of a day.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from ground import JOAN
from reckoning import due
from simulated import World
from week_load import Judges, Limits, Strangers

from roundtable_desktop.adapters.pretend import DONE, Ending
from roundtable_desktop.engine.desk import Asked, routines
from roundtable_desktop.engine.desk.routines import NewRoutine
from roundtable_desktop.engine.desk.triggers import Wanted
from roundtable_desktop.model.ports import LaunchOrder
from roundtable_desktop.model.routines import Template
from roundtable_desktop.model.states import (
    Adapter,
    CatchUpPolicy,
    ConcurrencyPolicy,
    DeliveryMode,
    TriggerKind,
)
from roundtable_desktop.model.times import instant
from roundtable_desktop.store import agents, runs

ASKED = Asked(JOAN)
BEGIN = datetime(2026, 10, 24, 12, 0, tzinfo=UTC)
END = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
"""From before Europe's clocks go back until after America's do."""
KILLED = [24 * day + hour for day in (0, 1, 2, 3, 4, 6, 7) for hour in (1, 5, 8)][:20]
"""Hours in which its owner dies; on the fifth day it sleeps."""
SCHEDULES = (
    ("30 2 * * *", "Europe/Berlin"),  # comes twice on 25 October
    ("*/20 0-3 * * *", "Europe/Berlin"),
    ("0 8 * * 1-5", "Europe/Berlin"),
    ("30 1 * * *", "America/New_York"),  # comes twice on 1 November
    ("15 */4 * * *", "America/New_York"),
    ("*/30 0-3 * * *", "America/New_York"),
    ("0 9 * * *", "Asia/Kolkata"),
    ("45 */6 * * *", "Asia/Kolkata"),
    ("0 */2 * * *", "Asia/Tokyo"),
    ("7 18 * * 0,3,6", "Asia/Tokyo"),
)
WEEKLY = Ending(exit_code=1, stderr="You've hit your weekly limit, try again in 2 days")
HOURLY = Ending(exit_code=1, stderr="usage limit reached, try again in 5 hours")
PROVIDER = "one account of two agents"
LIMITS = [
    (BEGIN + timedelta(days=2), "", WEEKLY, timedelta(days=2)),
    (BEGIN + timedelta(days=5), PROVIDER, HOURLY, timedelta(hours=5)),
]
"""After which instant, whose account (any), and how long it lasts."""
OPEN = ("received", "task_created")


@dataclass
class Recurring:
    """A schedule as it is now, and all that it was due at before it was changed."""

    routine: str
    trigger: str
    cron: str
    zone: str
    since: datetime
    before: list[datetime]

    def due(self, until: datetime) -> list[datetime]:
        return [*self.before, *due(self.cron, self.zone, self.since, until)]


class Week:
    """Ten routines of all policies, light and heavy, of four agents with three accounts, three
    more that strangers fire, and two reviewers."""

    def __init__(self, root: Path, seed: int) -> None:
        self.world = World(root, seed)
        self.world.clock.move_to(BEGIN)
        ground = self.world.ground
        self.workspace = ground.workspace(delivery=DeliveryMode.AUTO)
        values = {"max_concurrent_sessions": 3, "skip_idle_wakeups": False, "cooldown_sec": 10}
        theirs = [{}, {}, {"account": PROVIDER}, {"account": PROVIDER}]
        self.agents = [ground.agent(self.workspace, **values, **more).id for more in theirs]
        values |= {"adapter": Adapter.ACP}
        reviewers = [ground.agent(self.workspace, **values).id for _ in range(2)]
        here = (self.world, self.workspace.id)
        self.strangers = Strangers(*here, self.agents[1:])
        self.judges = Judges(*here, self.agents[0], reviewers)
        self.all = [self._add(number, *one) for number, one in enumerate(SCHEDULES)]

    def _add(self, number: int, cron: str, zone: str) -> Recurring:
        policies, catch_ups = list(ConcurrencyPolicy), list(CatchUpPolicy)
        wanted = NewRoutine(
            workspace_id=self.workspace.id,
            name=f"routine {number}",
            assignee_agent_id=self.agents[number % 4],
            concurrency_policy=policies[number % 3],
            catch_up_policy=catch_ups[number % 2],
            catch_up_max=5 if number % 4 else 25,
            template=Template("Heavy {{datetime}}", "Do it.") if number % 5 in (1, 4) else None,
            triggers=[Wanted(TriggerKind.SCHEDULE, cron_expression=cron, timezone=zone)],
        )
        made = routines.create(self.world.desk, ASKED, wanted)
        (trigger,) = (
            one["id"]
            for one in self.world.ground.rows("office_routine_triggers")
            if one["routine_id"] == made.id and one["kind"] == "schedule"
        )
        return Recurring(made.id, trigger, cron, zone, BEGIN, [])

    def edit(self, number: int, cron: str, zone: str) -> None:
        one, now = self.all[number], self.world.clock.now()
        one.before, one.cron, one.zone, one.since = one.due(now), cron, zone, now
        wanted = Wanted(id=one.trigger, cron_expression=cron, timezone=zone)
        routines.edit(self.world.desk, ASKED, one.routine, triggers=[wanted])

    def sleep(self, hours: float) -> None:
        self.world.clock.move_to(self.world.clock.now() + timedelta(hours=hours))

    def firings(self) -> list[dict[str, Any]]:
        return self.world.ground.rows("office_routine_runs")


def covered(row: Mapping[str, Any], ours: Iterable[datetime]) -> list[datetime]:
    """The instants that a firing stands for: its own, and those that it says were left out."""
    at = instant(row["scheduled_at"])
    if not (span := json.loads(row["missed"] or "{}").get("left_out")):
        return [at]
    first, last = (datetime.fromisoformat(span[name]) for name in ("first", "last"))
    rest = [one for one in ours if first <= one <= last]
    assert len(rest) == span["count"], (row, rest)
    assert at not in rest or row["reason"] == "missed", row
    return rest if row["reason"] == "missed" else [at, *rest]


def lived_through(root: Path, seed: int, *, busy: bool = False) -> None:
    """Every due instant and every delivery of the week is accounted for once, with a reason. busy:
    with six times as many deliveries, and work to be judged each day."""
    week = Week(root, seed)
    world = week.world
    limits = Limits(list(LIMITS))

    def ending(order: LaunchOrder) -> Ending:
        with world.ground.reader.snapshot() as view:
            run = runs.get(view, order.run)
            assert run is not None
            agent = agents.get(view, run.agent_id)
            assert agent is not None
        span = timedelta(minutes=world.chance.choice((1, 5, 40, 90)))
        if (limit := limits.met(agent.account, world.clock.now())) is not None:
            return limit
        ending = replace(DONE, after=span)
        week.judges.launched(run, ending)
        return ending

    world.ending = ending
    for day in range(8):
        away = 24.5 if day == 4 else 9
        world.at(BEGIN + timedelta(days=day, hours=10), partial(week.sleep, away))
    world.at(
        BEGIN + timedelta(days=1, hours=3, minutes=4),
        lambda: week.edit(8, "50 * * * *", "Asia/Tokyo"),
    )
    world.at(
        BEGIN + timedelta(days=6, hours=2, minutes=8),
        lambda: week.edit(6, "0 9 * * *", "America/New_York"),
    )
    for hours in KILLED:
        world.at(BEGIN + timedelta(hours=hours), partial(mortal, world))
    visited(week, busy=busy)
    world.run(END - BEGIN)
    week_over = world.clock.now()
    world.run(timedelta(hours=12))
    assert (world.kills, week_over) == (20, END)
    accounted(week, world.clock.now())
    limits.check()
    week.strangers.check()
    week.judges.check()
    checked(week)


def visited(week: Week, *, busy: bool) -> None:
    """Strangers call now and then, and while the owner is about to die; work is handed over that
    is judged, and a person looks in."""
    chance = week.world.chance
    doomed, others, days = (KILLED * 3, 30, 1) if busy else (KILLED[::2], 5, 4)
    calls = [hours * 60 for hours in doomed]
    calls += [chance.randrange(8 * 24 * 60) for _ in range(others)]
    for number, minutes in enumerate(calls):
        week.strangers.send(f"delivery-{number}", BEGIN + timedelta(minutes=minutes), chance)
    for day in range(8):
        if day % days == 0:
            week.judges.hand_over(BEGIN + timedelta(days=day, hours=2))
        for hours in (4, 7, 21):
            week.judges.look_in(BEGIN + timedelta(days=day, hours=hours))


def mortal(world: World) -> None:
    world.die_in(world.chance.randint(1, 10), after=world.chance.random() < 0.5)


def accounted(week: Week, until: datetime) -> None:
    rows = [row for row in week.firings() if row["source"] == "cron"]
    assert {row["trigger_id"] for row in rows} == {one.trigger for one in week.all}
    for one in week.all:
        ours = one.due(until)
        mine = [row for row in rows if row["trigger_id"] == one.trigger]
        stood_for = Counter(at for row in mine for at in covered(row, ours))
        assert stood_for == Counter(ours), f"{one.cron} {one.zone}"


def checked(week: Week) -> None:
    """Each has ended and says why, but what set off within the last hours may still be at work."""
    late = week.world.clock.now() - timedelta(hours=3)
    for row in week.firings():
        if row["status"] in OPEN:
            assert instant(row["scheduled_at"]) > late, row
        else:
            assert row["reason"], row
