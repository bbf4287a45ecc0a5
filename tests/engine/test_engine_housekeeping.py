"""Housekeeping: keys that count no more go, what still counts stays, and no job stops another."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from ground import JOAN, Ground

from roundtable_desktop.engine import housekeeping
from roundtable_desktop.engine.housekeeping import PERIOD, AwakeTime, Housekeeping
from roundtable_desktop.model.callers import WebSession
from roundtable_desktop.model.records import Subject
from roundtable_desktop.model.states import WakeupOutcome, WakeupStatus
from roundtable_desktop.store import browsers, keys, wakeups
from roundtable_desktop.store.db import Tx


def looked(ground: Ground, times: int = 61) -> Housekeeping:
    """After so many minutes of awake time, with a look in each."""
    kept = Housekeeping(ground.store, ground.clock)
    for _ in range(times):
        ground.clock.forward(seconds=PERIOD)
        kept.look()
    return kept


def key_of(ground: Ground, wakeup_id: str) -> Any:
    (row,) = [row for row in ground.rows("agent_wakeup_requests") if row["id"] == wakeup_id]
    return row["idempotency_key"]


def over(ground: Ground, wakeup: Any) -> None:
    with ground.store.transaction() as tx:
        wakeups.settle(
            tx, wakeup, WakeupStatus.CANCELLED, outcome=WakeupOutcome.USER_CANCELLED, actor=JOAN
        )


@pytest.mark.proves("K-10", "C-06")
def test_the_key_of_a_wakeup_counts_for_a_day_and_until_it_is_over(ground: Ground) -> None:
    agent = ground.agent(ground.workspace())
    names = ("done", "waiting", "resume:w1:1")
    ended, waits, resumed = (ground.wakeup(agent, key=name) for name in names)
    over(ground, ended)
    over(ground, resumed)
    looked(ground)
    assert key_of(ground, ended.id) == "done"
    assert ground.wakeup(agent, key="done").id == ended.id
    ground.clock.forward(hours=24)
    looked(ground)
    assert key_of(ground, ended.id) is None
    assert key_of(ground, waits.id) == "waiting", "its event must not make another beside it"
    assert key_of(ground, resumed.id) == "resume:w1:1", "a resume asks by it for ever"
    assert ground.wakeup(agent, key="done").id != ended.id
    assert ground.wakeup(agent, key="waiting").id == waits.id


@pytest.mark.proves("K-10", "F-27")
def test_more_keys_than_one_batch_go_in_one_look(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each in a transaction of its own, so that whoever wants to write waits for one (F-27)."""
    monkeypatch.setattr(housekeeping, "BATCH", 2)
    agent = ground.agent(ground.workspace())
    for number in range(5):
        over(ground, ground.wakeup(agent, key=f"key-{number}"))
    ground.clock.forward(hours=24)
    at_once: list[int] = []
    drop = housekeeping.JOBS["wakeup_keys"]

    def counted(tx: Tx, most: int) -> int:
        at_once.append(drop(tx, most))
        return at_once[-1]

    monkeypatch.setitem(housekeeping.JOBS, "wakeup_keys", counted)
    looked(ground)
    assert {row["idempotency_key"] for row in ground.rows("agent_wakeup_requests")} == {None}
    assert at_once == [2, 2, 1]


@pytest.mark.proves("W-30 keys")
def test_keys_of_requests_and_browsers_go_when_they_count_no_more(ground: Ground) -> None:
    with ground.store.transaction() as tx:
        keys.remember(tx, JOAN, "once", "print", Subject("task", "t1"))
        browsers.add(tx, WebSession(id_hash="h", created_at=tx.now, seen_at=tx.now))
    looked(ground)
    assert len(ground.rows("idempotency_keys")) == len(ground.rows("web_sessions")) == 1
    ground.clock.forward(hours=24)
    looked(ground)
    assert ground.rows("idempotency_keys") == [] and len(ground.rows("web_sessions")) == 1
    ground.clock.forward(days=30)
    looked(ground)
    assert ground.rows("web_sessions") == []


def test_a_job_that_fails_stops_no_other_one(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(tx: object, most: int) -> int:
        raise OSError("no room")

    monkeypatch.setattr(housekeeping, "JOBS", {"broken": fails, **housekeeping.JOBS})
    with ground.store.transaction() as tx:
        keys.remember(tx, JOAN, "once", "print", Subject("task", "t1"))
    ground.clock.forward(hours=24)
    looked(ground)
    assert ground.rows("idempotency_keys") == []
    assert "housekeeping failed job=broken" in caplog.text


def test_a_suspend_is_no_awake_time(ground: Ground) -> None:
    awake = AwakeTime(ground.clock)
    began = awake.now()
    ground.clock.forward(hours=8)
    assert awake.now() - began == timedelta(seconds=2 * PERIOD)
    ground.clock.forward(seconds=PERIOD)
    assert awake.now() - began == timedelta(seconds=3 * PERIOD)


def test_its_thread_is_at_work_from_the_start_and_joined_at_the_stop(ground: Ground) -> None:
    with ground.store.transaction() as tx:
        keys.remember(tx, JOAN, "once", "print", Subject("task", "t1"))
    ground.clock.forward(hours=25)
    kept = Housekeeping(ground.store, ground.clock)
    kept.start()
    try:
        while ground.rows("idempotency_keys"):
            assert any(thread.name == "housekeeping" for thread in threading.enumerate())
    finally:
        kept.stop()
    assert all(thread.name != "housekeeping" for thread in threading.enumerate())
