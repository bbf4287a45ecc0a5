"""The scheduler's loop: it wakes when something is due, goes on after errors, and stops."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from ground import JOAN, NOW, Ground

from roundtable_desktop.adapters.system import SystemClock
from roundtable_desktop.engine import heartbeat
from roundtable_desktop.engine import loop as loops
from roundtable_desktop.engine import sweeps as sweeping
from roundtable_desktop.engine.loop import DEGRADED_AFTER, LONGEST_WAIT, Loop
from roundtable_desktop.engine.routines import Routines
from roundtable_desktop.engine.sweeps import Sweep
from roundtable_desktop.model.errors import Full
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Subject
from roundtable_desktop.model.states import Health
from roundtable_desktop.rules.retry import tick_delay
from roundtable_desktop.store import agents, db, journal, wakeups
from roundtable_desktop.store.db import Store


class Steps:
    """Stands where the dispatcher stands: claims and notes."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.claimed: list[str] = []
        self.broken = 0
        self.next_turn = None

    def step(self) -> bool:
        if self.broken:
            self.broken -= 1
            raise OSError("disk I/O error")
        wakeup = self.ground.claim()
        if wakeup is not None:
            self.claimed.append(wakeup.id)
        return wakeup is not None


def loop_on(ground: Ground, steps: Any, clock: Any, sweep: Any = lambda: None, **more: Any) -> Loop:
    recurring = Routines(ground.store, ground.ids, lambda: 0.5)
    hands = (lambda: None, sweep, print, print)
    return Loop(ground.store, steps, recurring, clock, lambda: 0.5, *hands, **more)


@pytest.fixture
def live(tmp_path: Any) -> Iterator[Ground]:
    made = Ground(tmp_path, SystemClock())
    yield made
    made.close()


def until(condition: Any) -> None:
    limit = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.005)


def test_a_tick_takes_all_that_is_due_and_says_when_there_is_more(ground: Ground) -> None:
    steps = Steps(ground)
    loop = loop_on(ground, steps, ground.clock)
    workspace = ground.workspace()
    agent = ground.agent(workspace, max_concurrent_sessions=9)
    made = [ground.wakeup(agent).id for _ in range(3)]
    due = NOW + timedelta(minutes=2)
    later = ground.wakeup(agent, scheduled_retry_at=due, held_by="retry")
    assert loop.tick() == due
    assert steps.claimed == made
    ground.clock.forward(minutes=2)
    assert loop.tick() is None
    assert steps.claimed == [*made, later.id]


def test_the_next_due_time_is_the_end_of_a_cooldown(ground: Ground) -> None:
    loop = loop_on(ground, Steps(ground), ground.clock)
    agent = ground.agent(ground.workspace(), cooldown_sec=8)
    with ground.store.transaction() as tx:
        agents.touch_finished(tx, agent.id)
        ended: datetime = tx.now
    assert loop.tick() is None
    ground.wakeup(agent)
    assert loop.tick() == ended + timedelta(seconds=8)


@pytest.mark.proves("K-43")
def test_a_cooldown_that_ends_while_it_looks_is_not_left_for_the_next_look(
    ground: Ground,
) -> None:
    class Slow(Steps):
        def step(self) -> bool:
            took = super().step()
            ground.clock.forward(seconds=4)
            return took

    steps = Slow(ground)
    agent = ground.agent(ground.workspace(), cooldown_sec=8)
    with ground.store.transaction() as tx:
        agents.touch_finished(tx, agent.id)
    made = ground.wakeup(agent)
    ground.clock.forward(seconds=6)
    assert loop_on(ground, steps, ground.clock).tick() is None
    assert steps.claimed == [made.id]


@pytest.mark.proves("K-20", "R-01")
def test_it_wakes_for_a_schedule_and_says_when_the_next_one_is(ground: Ground) -> None:
    steps = Steps(ground)
    loop = loop_on(ground, steps, ground.clock)
    agent = ground.agent(ground.workspace(), cooldown_sec=0)
    with ground.store.transaction() as tx:
        routine = heartbeat.install(tx, ground.ids, JOAN, agent.id)
    assert loop.tick() == NOW + timedelta(minutes=5)
    assert steps.claimed == []
    ground.clock.forward(minutes=5)
    assert loop.tick() == NOW + timedelta(minutes=10)
    (wakeup,) = steps.claimed
    assert ground.get_wakeup(wakeup).payload["routine_id"] == routine.id


@pytest.mark.proves("C-03")
def test_it_wakes_at_once_for_what_is_enqueued(live: Ground) -> None:
    steps = Steps(live)
    loop = loop_on(live, steps, live.clock)
    loop.start()
    try:
        agent = live.agent(live.workspace(), max_concurrent_sessions=9)
        time.sleep(0.1)
        began = time.monotonic()
        made = live.wakeup(agent)
        until(lambda: steps.claimed)
        assert steps.claimed == [made.id]
        assert time.monotonic() - began < LONGEST_WAIT.total_seconds() / 3
    finally:
        loop.stop()


@pytest.mark.proves("C-03")
def test_it_wakes_for_a_retry_when_that_is_due(live: Ground) -> None:
    steps = Steps(live)
    loop = loop_on(live, steps, live.clock)
    agent = live.agent(live.workspace())
    due = live.clock.now() + timedelta(seconds=0.4)
    live.wakeup(agent, scheduled_retry_at=due, held_by="retry")
    loop.start()
    try:
        until(lambda: steps.claimed)
        assert live.clock.now() >= due
    finally:
        loop.stop()


def test_an_error_is_tried_again_and_five_in_a_row_are_told(
    live: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, "tick_delay", lambda failures, dice: timedelta(seconds=0.1))
    steps = Steps(live)
    steps.broken = DEGRADED_AFTER
    loop = loop_on(live, steps, live.clock)
    agent = live.agent(live.workspace())
    loop.start()
    try:
        until(lambda: loop.health() is Health.DEGRADED)
        live.wakeup(agent)
        until(lambda: loop.health() is Health.OK)
        until(lambda: steps.claimed)
        assert loop.stopped_at() is None
        before = live.clock.now()
    finally:
        loop.stop()
    assert loop.health() is Health.DEAD
    assert before <= (loop.stopped_at() or before - timedelta(days=1)) <= live.clock.now()


def test_nothing_is_claimed_after_a_stop(live: Ground) -> None:
    steps = Steps(live)
    loop = loop_on(live, steps, live.clock)
    loop.start()
    agent = live.agent(live.workspace(), max_concurrent_sessions=999)
    done = threading.Event()

    def feed() -> None:
        while not done.is_set():
            live.wakeup(agent)

    feeder = threading.Thread(target=feed)
    feeder.start()
    until(lambda: len(steps.claimed) > 3)
    loop.stop()
    taken = len(steps.claimed)
    time.sleep(0.1)
    done.set()
    feeder.join()
    assert len(steps.claimed) == taken
    with live.reader.snapshot() as view:
        assert len(wakeups.claimed(view)) == taken


@pytest.mark.proves("W-07 loop", "C-04")
def test_the_rest_after_an_error_doubles_up_to_half_a_minute_with_a_quarter_of_jitter() -> None:
    middle = [tick_delay(failures, lambda: 0.5).total_seconds() for failures in range(1, 12)]
    assert middle == [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30]
    least = [tick_delay(failures, lambda: 0.0).total_seconds() for failures in (1, 20)]
    most = [tick_delay(failures, lambda: 1.0).total_seconds() for failures in (1, 20)]
    assert least == [0.1875, 22.5] and most == [0.3125, 37.5]


@pytest.mark.proves("F-18", "K-66")
def test_a_full_disk_is_said_at_once_stops_nothing_for_good_and_loses_nothing(
    live: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite itself answers that there is no room, for as long as no page may be added."""
    monkeypatch.setattr(loops, "SHORT_REST", timedelta(milliseconds=20))
    agent = live.agent(live.workspace())
    steps = Steps(live)
    loop = loop_on(live, steps, live.clock)
    full = threading.Event()
    whole = Store.transaction

    @contextmanager
    def transaction(store: Store) -> Iterator[Any]:
        lacking = full.is_set()
        most = 1 if lacking else 1_000_000  # at least what there is
        store.db.connect(reuse_if_open=True)
        store.db.connection().execute(f"PRAGMA max_page_count = {most}")
        with whole(store) as tx:
            yield tx
            if lacking:
                tx.sql("CREATE TABLE more AS SELECT zeroblob(1000000) AS bytes")

    monkeypatch.setattr(Store, "transaction", transaction)
    loop.start()
    try:
        until(lambda: loop.health() is Health.OK)
        full.set()
        with pytest.raises(Full) as refused:
            live.wakeup(agent)
        assert refused.value.code == "disk_full"
        assert loop.health() is Health.DEGRADED and live.rows("agent_wakeup_requests") == []
        full.clear()
        until(lambda: loop.health() is Health.OK)
        made = live.wakeup(agent)
        until(lambda: steps.claimed == [made.id])
    finally:
        loop.stop()


@pytest.mark.proves("F-23")
def test_while_another_program_keeps_the_log_long_nothing_new_is_started(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "LONG", 2**19)
    monkeypatch.setattr(loops, "LONG", 2**19)
    monkeypatch.setattr(db, "LOG_MOST", 2**20)
    monkeypatch.setattr(loops, "SHORT_REST", timedelta(milliseconds=20))
    agent = ground.agent(ground.workspace(), max_concurrent_sessions=99)
    steps = Steps(ground)
    loop = loop_on(ground, steps, ground.clock)
    said = [ground.kinds().count("owner.log_long")]
    with closing(sqlite3.connect(ground.path)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM events").fetchall()
        for _ in range(6):  # each time longer
            ground.wakeup(agent)
            for _ in range(6):
                with ground.store.transaction() as tx:
                    about = Subject("owner", "x" * 9_000)
                    journal.tell(tx, Kind.OWNER_LATE, about, workspace_id=None)
            loop.tick()
            said.append(ground.kinds().count("owner.log_long"))
        assert 0 < len(steps.claimed) < 6 and ground.store.stands == "log_full"
        assert said == sorted(said) and said[-1] == 1, "told once"
        loop.start()
        try:
            until(lambda: loop.look(1) is not None)
            assert loop.health() is Health.DEGRADED and len(steps.claimed) < 6
            other.rollback()
            until(lambda: len(steps.claimed) == 6)
            assert loop.health() is Health.OK and ground.store.trouble is None
        finally:
            loop.stop()


@pytest.mark.proves("W-36")
def test_a_part_of_a_tick_that_takes_long_is_recorded_and_shows_while_it_does(
    ground: Ground,
) -> None:
    seen: list[Health] = []
    loop = loop_on(ground, Steps(ground), ground.clock, lambda: ground.clock.forward(seconds=6))
    loop.tick()
    (late,) = [event for event in ground.events() if event.kind == "owner.late"]
    assert dict(late.data) == {"part": "sweep", "seconds": 6.0}

    def stuck() -> None:
        seen.append(loop.health())
        ground.clock.forward(seconds=31)
        seen.append(loop.health())

    loop = loop_on(ground, Steps(ground), ground.clock, stuck)
    monkey = threading.Thread(target=threading.Event().wait)  # a thread that lives
    loop._thread = monkey
    monkey.daemon = True
    monkey.start()
    loop.tick()
    assert seen == [Health.OK, Health.DEGRADED] and loop.health() is Health.OK


@pytest.mark.proves("W-08 loop")
def test_what_only_tells_may_fail_and_the_loop_goes_on(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A listener that raises, and an overrun that cannot be written."""

    def broken(*words: Any, **more: Any) -> None:
        raise OSError("no")

    ground.store.listen(broken)
    agent = ground.agent(ground.workspace())
    steps = Steps(ground)
    loop = loop_on(ground, steps, ground.clock, lambda: ground.clock.forward(seconds=6))
    made = ground.wakeup(agent)
    monkeypatch.setattr(loops, "journal", SimpleNamespace(tell=broken))
    loop.tick()
    assert steps.claimed == [made.id]


def shape(ground: Ground) -> Any:
    """Every row, and what the file says of its changes."""
    with ground.reader.snapshot() as view:
        tables = view.sql("SELECT name FROM sqlite_master WHERE type = 'table'")
        names = [str(row["name"]) for row in tables]
        return {name: view.sql(f"SELECT * FROM {name}") for name in names}


@pytest.mark.proves("R-01")
def test_an_idle_owner_looks_again_and_again_and_writes_nothing(
    live: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An hour of looks in a second, with tasks, agents and a wakeup that waits for its time."""
    monkeypatch.setattr(loops, "LONGEST_WAIT", timedelta(milliseconds=5))
    monkeypatch.setattr(sweeping, "EVERY", timedelta(milliseconds=5))
    agent = live.agent(live.workspace())
    live.task(live.workspace(), None)
    live.wakeup(agent, scheduled_retry_at=live.clock.now() + timedelta(hours=2), held_by="retry")
    sweeps: list[int] = []
    sweep = Sweep(live.store, live.reader, live.clock, live.ids)
    loop = loop_on(live, Steps(live), live.clock, lambda: sweeps.append(sweep.look()))
    loop.start()
    try:
        until(lambda: len(sweeps) > 3)
        with closing(sqlite3.connect(live.path)) as other:
            before, version = shape(live), other.execute("PRAGMA data_version").fetchone()
            size = live.path.with_name(live.path.name + "-wal").stat().st_size
            looked = len(sweeps)
            until(lambda: len(sweeps) > looked + 120)
            assert other.execute("PRAGMA data_version").fetchone() == version
        assert shape(live) == before
        assert live.path.with_name(live.path.name + "-wal").stat().st_size == size
    finally:
        loop.stop()


@pytest.mark.proves("W-34", "C-33")
def test_a_tick_never_reads_the_history(ground: Ground) -> None:
    """Not with work to do, and not without: what decides is in tables of its own."""
    workspace = ground.workspace()
    agent = ground.agent(workspace, max_concurrent_sessions=9)
    ground.task(workspace, agent)
    ground.wakeup(agent)
    asked: list[str] = []
    sweep = Sweep(ground.store, ground.reader, ground.clock, ground.ids)
    loop = loop_on(ground, Steps(ground), ground.clock, sweep.look)
    with ground.store.transaction() as tx:
        tx.db.connection().set_trace_callback(asked.append)
    with ground.reader.snapshot() as view:
        view.db.connection().set_trace_callback(asked.append)
    for _ in range(2):
        loop.tick()
        ground.clock.forward(minutes=1)
    read = [text for text in asked if "events" in text and not text.startswith("INSERT")]
    assert len(asked) > 20 and [text.lstrip()[:6] for text in read] == ["INSERT"] * len(read)
