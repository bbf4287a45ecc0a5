"""Transactions: one writer at a time, times that rise, readers that cannot write."""

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial

import peewee as pw
import pytest
from ground import NOW, Ground
from hypothesis import given
from hypothesis import strategies as st

from roundtable_desktop.adapters.system import SystemIds
from roundtable_desktop.model.errors import Broken, Busy, Conflict, Full
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import SYSTEM, Subject
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.phrases import sentence
from roundtable_desktop.store import db, events, journal, keys, lists


def tell(ground: Ground, word: str = "x") -> datetime:
    with ground.store.transaction() as tx:
        journal.tell(tx, Kind.TASK_MOVED, Subject("task", word), workspace_id=None)
        return tx.now


@given(st.datetimes(timezones=st.just(UTC)))
def test_an_instant_comes_back_as_it_was(moment: datetime) -> None:
    assert instant(micros(moment)) == moment


@given(st.integers(min_value=-62135596800_000000, max_value=253402300799_999999))
def test_microseconds_come_back_as_they_were(value: int) -> None:
    assert micros(instant(value)) == value


def test_ids_rise_and_are_never_twice() -> None:
    ids = SystemIds()
    made: list[list[str]] = []

    def make() -> None:
        made.append([ids.new() for _ in range(2000)])

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(one == sorted(one) for one in made)
    everything = [word for one in made for word in one]
    assert len(set(everything)) == len(everything)
    assert all(len(word) == 26 and word.isalnum() and word == word.lower() for word in everything)


@pytest.mark.proves("W-01")
def test_times_rise_in_commit_order_though_the_clock_stands_or_goes_back(ground: Ground) -> None:
    stamps = [tell(ground) for _ in range(3)]
    ground.clock.forward(days=-1)
    stamps += [tell(ground) for _ in range(3)]
    ground.reopen()
    stamps.append(tell(ground))
    assert stamps == sorted(set(stamps))
    assert [event.at for event in ground.events()] == stamps


@pytest.mark.proves("W-01")
def test_a_decision_that_raises_leaves_nothing_and_wakes_nobody(ground: Ground) -> None:
    heard: list[str] = []
    ground.store.listen(heard.append)
    with pytest.raises(ZeroDivisionError), ground.store.transaction() as tx:
        journal.tell(tx, Kind.TASK_MOVED, Subject("task", "x"), workspace_id=None)
        raise ZeroDivisionError
    assert ground.events() == [] and heard == []
    tell(ground)
    assert heard == ["events"]


def test_a_transaction_within_a_transaction_is_refused(ground: Ground) -> None:
    with (
        ground.store.transaction(),
        pytest.raises(Broken, match="transaction_inside_transaction"),
        ground.store.transaction(),
    ):
        pass


def test_many_writers_lose_nothing(ground: Ground) -> None:
    def write() -> None:
        for _ in range(25):
            tell(ground)

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told = ground.events()
    assert [event.id for event in told] == list(range(1, 201))
    assert [event.at for event in told] == sorted({event.at for event in told})


def test_a_reader_cannot_write_and_sees_one_state(ground: Ground) -> None:
    tell(ground)
    with ground.reader.snapshot() as view:
        assert len(events.after(view, 0, 10)) == 1
        tell(ground)
        assert len(events.after(view, 0, 10)) == 1
        with pytest.raises(Exception, match="readonly"):
            view.sql("DELETE FROM events")
    assert len(ground.events()) == 2


def test_a_snapshot_that_is_kept_too_long_is_told(ground: Ground) -> None:
    with pytest.raises(Broken, match="snapshot_kept_too_long"), ground.reader.snapshot():
        ground.clock.forward(seconds=6)
    with ground.reader.snapshot():
        ground.clock.forward(seconds=4)


def test_the_feed_is_read_on_from_the_last_id(ground: Ground) -> None:
    for word in "abcab":
        tell(ground, word)
    with ground.reader.snapshot() as view:
        first = events.after(view, 0, 2)
        rest = events.after(view, first[-1].id, 10)
        assert [event.subject_id for event in first + rest] == list("abcab")
        assert [event.id for event in events.of(view, Subject("task", "a"))] == [1, 4]
        assert [event.id for event in events.of(view, Subject("task", "a"), limit=1)] == [4]
        assert events.last_instant(view) == rest[-1].at


def test_a_key_is_remembered_for_a_day_and_means_one_request(ground: Ground) -> None:
    made = Subject("task", "t1")
    with ground.store.transaction() as tx:
        assert keys.done_before(tx, SYSTEM, "k", "print") is None
        keys.remember(tx, SYSTEM, "k", "print", made)
    with ground.store.transaction() as tx:
        assert keys.done_before(tx, SYSTEM, "k", "print") == made
        with pytest.raises(Conflict, match="key_reused"):
            keys.done_before(tx, SYSTEM, "k", "another")
    ground.clock.forward(hours=24, seconds=1)
    with ground.store.transaction() as tx:
        assert keys.done_before(tx, SYSTEM, "k", "another") is None


def test_lists_go_on_where_they_stopped_and_an_id_is_known_by_its_end(ground: Ground) -> None:
    workspace = ground.workspace()
    made = [ground.agent(workspace).id for _ in range(5)]
    with ground.reader.snapshot() as view:
        first = lists.page(view, lists.AGENTS, after=None, limit=3, workspace_id=workspace.id)
        rest = lists.page(view, lists.AGENTS, after=first[-1].id, limit=3, status=("active",))
        assert [one.id for one in [*first, *rest]] == made[::-1]
        found = lists.by_suffix(view, lists.AGENTS, made[2][-6:])
        assert found is not None and found.id == made[2]
        assert lists.by_suffix(view, lists.AGENTS, made[2][-5:]) is None
        assert lists.by_suffix(view, lists.AGENTS, "%_____") is None


def test_time_goes_on_after_the_newest_event(ground: Ground) -> None:
    ground.store.start_after(NOW + timedelta(days=1))
    assert tell(ground) > NOW + timedelta(days=1)


@pytest.mark.proves("K-66", "F-18", "F-22")
def test_what_the_disk_refuses_is_told_apart_from_a_fault_of_ours(ground: Ground) -> None:
    with pytest.raises(pw.OperationalError), ground.store.transaction() as tx:
        tx.sql("SELECT colour FROM tasks")
    assert ground.store.fault is None
    tell(ground)
    limit = "PRAGMA max_page_count = {}"
    with pytest.raises(Full) as full, ground.store.transaction() as tx:
        tx.sql(limit.format(1))  # no more pages than there are
        tx.sql("CREATE TABLE more AS SELECT zeroblob(1000000) AS bytes")  # than are free in it
    assert full.value.code == ground.store.fault == "disk_full"
    with ground.store.transaction() as tx:
        tx.sql(limit.format(1_000_000))
    assert ground.store.fault == "disk_full", "nothing was written yet"
    tell(ground)
    assert ground.store.fault is None


@pytest.mark.proves("F-22")
def test_a_database_that_another_program_holds_is_busy_and_no_fault(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(ground)
    ground.store.db.connection().execute("PRAGMA busy_timeout = 50")
    with closing(sqlite3.connect(ground.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Busy) as busy:
            tell(ground)
        assert (busy.value.code, ground.store.fault) == ("database_busy", None)
        assert ground.store.trouble is None, "a moment is no trouble"
        ground.clock.forward(seconds=3)
        assert ground.store.trouble == "database_busy"
    tell(ground)
    assert ground.store.trouble is None


@pytest.mark.proves("F-22")
def test_who_waits_for_another_program_says_so_while_it_does(ground: Ground) -> None:
    tell(ground)
    with closing(sqlite3.connect(ground.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        waits = threading.Thread(target=tell, args=(ground, "late"))
        waits.start()
        end = time.monotonic() + 8
        while ground.store.trouble is None and time.monotonic() < end:
            ground.clock.forward(seconds=1)
            threading.Event().wait(0.01)
        assert ground.store.trouble == "database_busy"
        other.rollback()
    waits.join()
    assert ground.store.trouble is None
    assert [event.subject_id for event in ground.events()] == ["x", "late"]


@pytest.mark.proves("F-23")
def test_a_statement_that_reads_for_too_long_is_broken_off(ground: Ground) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    ended: list[Broken] = []
    begun = threading.Event()

    def read() -> None:
        told = pytest.raises(Broken, match="snapshot_kept_too_long")
        with told as broken, ground.reader.snapshot() as view:
            begun.set()
            view.sql(endless)
        ended.append(broken.value)

    reads = threading.Thread(target=read)
    reads.start()
    begun.wait()
    ground.clock.forward(seconds=4)
    assert not ended
    ground.clock.forward(seconds=2)
    reads.join(20)
    assert len(ended) == 1
    with ground.reader.snapshot() as view:
        assert view.sql("SELECT 1 AS one")[0]["one"] == 1


@pytest.mark.proves("F-23")
def test_a_log_that_another_program_keeps_long_is_written_back_when_it_lets_go(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "LONG", 2**20)
    with closing(sqlite3.connect(ground.path)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM events").fetchall()
        for _ in range(300):
            tell(ground, "x" * 20_000)
        began = time.monotonic()
        assert ground.store.shorten_log() > 2**20 and ground.store.trouble == "database_read"
        assert time.monotonic() - began < 5, "nobody waits for whoever reads"
        other.rollback()
    assert (ground.store.shorten_log(), ground.store.trouble) == (0, None)
    tell(ground)
    assert len(ground.events()) == 301


@pytest.mark.proves("F-21", "F-19")
@pytest.mark.parametrize("in_its_place", ["nothing", "another"])
def test_nothing_is_written_to_a_file_that_nobody_would_find_again(
    ground: Ground, in_its_place: str
) -> None:
    """It was taken away under the owner's feet: it says so, makes no new one, and goes on with the
    one that it had once that is back."""
    tell(ground)
    path, away = ground.path, ground.path.with_name("away.db")
    with ground.reader.snapshot() as view:
        before = events.last_instant(view)
    path.rename(away)
    if in_its_place == "another":
        path.write_bytes(away.read_bytes())
    for _ in range(2):
        with pytest.raises(Broken, match="database_replaced"):
            tell(ground)
        with pytest.raises(Broken, match="database_replaced"), ground.reader.snapshot():
            pass
    assert ground.store.trouble == "database_fault"
    assert path.exists() == (in_its_place == "another")
    away.rename(path)
    assert tell(ground) > (before or NOW)
    assert ground.store.trouble is None


@pytest.mark.proves("F-19", "F-22")
@pytest.mark.parametrize("size", [0, 100, 8192])
def test_a_file_cut_short_while_it_is_open_is_said_to_be_damaged(ground: Ground, size: int) -> None:
    """To who comes new to it; of an empty one SQLite says that another program holds it."""
    tell(ground)
    look(ground)
    ground.store.db.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    os.truncate(ground.path, size)

    def met(act: Callable[[], object]) -> Broken:
        with pytest.raises(Broken) as refused:
            act()
        return refused.value

    with ThreadPoolExecutor(1) as anew:  # who had it open may have all of it in memory
        for act in (partial(tell, ground), partial(look, ground)):
            refused = anew.submit(met, act).result(5)
            assert refused.code == "database_damaged"
            assert "start again" in sentence(refused.code, refused.values).lower()
    assert ground.store.trouble == ground.store.stands == "database_damaged"


def look(ground: Ground) -> None:
    with ground.reader.snapshot() as view:
        view.sql("SELECT * FROM events")
