"""The pool's acts: by key one at a time, tried until they go through, and finished at a stop."""

import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from roundtable_desktop.adapters.system import SystemClock
from roundtable_desktop.engine import pool as pools
from roundtable_desktop.engine.pool import DEGRADED_AFTER, THREADS, Pool


@pytest.fixture
def pool() -> Iterator[Pool]:
    made = Pool(SystemClock(), lambda: 0.5)
    made.start()
    yield made
    made.stop(10)
    made.join()


def until(condition: Any) -> None:
    limit = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.005)


def test_an_act_of_one_key_is_never_at_work_twice(pool: Pool) -> None:
    at_work, most, done = 0, 0, 0
    lock = threading.Lock()

    def act() -> None:
        nonlocal at_work, most, done
        with lock:
            at_work += 1
            most = max(most, at_work)
        time.sleep(0.01)
        with lock:
            at_work -= 1
            done += 1

    for _ in range(20):
        pool.submit("a", act)
        time.sleep(0.002)
    until(lambda: done and not at_work)
    assert most == 1 and done < 20


def test_other_keys_go_on_beside_it(pool: Pool) -> None:
    gate, seen = threading.Event(), []
    for number in range(THREADS - 1):
        pool.submit(f"slow{number}", lambda: gate.wait(60))
    for number in range(5):
        pool.submit(f"quick{number}", lambda number=number: seen.append(number))
    until(lambda: len(seen) == 5)
    gate.set()
    assert seen == sorted(seen)


def test_an_act_that_stumbles_is_tried_until_it_goes_through(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After five errors the health says so; given up, its run would stand still for ever."""
    delays: list[int] = []

    def noted(failures: int, dice: Any) -> timedelta:
        delays.append(failures)
        return timedelta(milliseconds=20)

    monkeypatch.setattr(pools, "tick_delay", noted)
    tries = 0

    def act() -> None:
        nonlocal tries
        tries += 1
        if tries <= DEGRADED_AFTER + 2:
            raise OSError("not yet")

    pool.submit("a", act)
    until(lambda: "a" in pool.failing)
    assert tries >= DEGRADED_AFTER
    until(lambda: not pool.failing)
    assert tries == DEGRADED_AFTER + 3
    assert delays == list(range(1, DEGRADED_AFTER + 3))
    again: list[int] = []
    pool.submit("a", lambda: again.append(1))
    until(lambda: again)


def test_a_stop_waits_for_what_has_begun_and_leaves_the_rest() -> None:
    pool = Pool(SystemClock(), lambda: 0.5)
    begun, gate = threading.Semaphore(0), threading.Event()
    ended: list[int] = []

    def act() -> None:
        begun.release()
        gate.wait(60)
        ended.append(1)

    pool.start()
    for number in range(THREADS + 3):
        pool.submit(str(number), act)
    for _ in range(THREADS):
        assert begun.acquire(timeout=60)
    stopper = threading.Thread(target=pool.stop, args=(10,))
    stopper.start()
    stopper.join(0.1)
    assert stopper.is_alive()
    gate.set()
    stopper.join(60)
    assert not stopper.is_alive()
    assert len(ended) == THREADS


@pytest.mark.proves("C-101")
def test_a_stop_waits_for_an_act_no_longer_than_it_says_and_does_not_repeat_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pool, calls = Pool(SystemClock(), lambda: 0.5), []
    begun, gate = threading.Event(), threading.Event()

    def act() -> None:
        calls.append(1)
        begun.set()
        gate.wait(60)
        raise ValueError("broken off")

    pool.start()
    pool.submit("a", act)
    assert begun.wait(60)
    with caplog.at_level("INFO"):
        pool.stop(0.1)
        assert not gate.is_set()
        gate.set()
        pool.join()
    assert calls == [1] and pool.failing == set()
    assert [record.levelname for record in caplog.records] == ["INFO"]
