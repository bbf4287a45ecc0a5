"""A runner that comes at the very end of its minute is settled and not forgotten."""

import threading
import time
from collections.abc import Callable

import pytest
from engine_stage import EQUIPMENT, Spool, Stage

from roundtable_desktop.engine.follower import Follower
from roundtable_desktop.engine.scheduler import Scheduler
from roundtable_desktop.model.states import RunOutcome


def until(condition: Callable[[], object]) -> None:
    limit = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.01)


def let_time_pass(stage: Stage) -> None:
    """From now on each wait of the follower takes five seconds."""
    wait = stage.launcher.wait

    def slowly(timeout: float) -> set[str]:
        stage.clock.forward(seconds=5)
        return wait(timeout)

    stage.launcher.wait = slowly  # type: ignore[method-assign]


@pytest.mark.proves("B-096")
def test_a_runner_that_stood_still_with_the_owner_gets_its_minute_all_the_same(
    stage: Stage,
) -> None:
    overdue: list[str] = []
    stood = iter([20 * 60.0, 10 * 3600.0])

    def wait(timeout: float) -> set[str]:
        stage.clock.forward(seconds=next(stood, 5.0))
        return set()

    stage.launcher.silent, stage.launcher.wait = True, wait  # type: ignore[method-assign]
    follower = Follower(
        stage.store,
        stage.ground.reader,
        stage.launcher,
        stage.clock,
        stage.ids,
        ended=overdue.append,
        lost=overdue.append,
        unborn=lambda run, why: overdue.append(why),
    )
    stage.assigned()
    stage.step()
    stage.play()
    follower.follow(stage.run.id)
    for _ in range(12):
        follower._look()
        assert overdue == []
    for _ in range(4):
        follower._look()
    assert overdue == ["no start in 60 s"]


def test_an_end_that_comes_while_the_start_is_given_up_is_settled(stage: Stage) -> None:
    """Its settlement is asked for while the act that found it overdue is still at work."""
    launcher = stage.launcher
    launcher.silent = True
    come = threading.Event()

    def void(run: str) -> bool:
        spool = launcher.spools[run] = Spool(launcher.orders[run].fence)
        spool.hello()
        spool.end(output_bytes=1)
        launcher.tell(run)
        until(lambda: (stage.ground.get_run(run).ended or {}).get("end"))
        time.sleep(0.1)
        come.set()
        return False

    launcher.void = void  # type: ignore[method-assign]
    scheduler = Scheduler(
        stage.store,
        stage.ground.reader,
        stage.git,
        launcher,
        stage.secrets,
        stage.ids,
        stage.clock,
        lambda: 0.5,
        copies=stage.folders.copies,
        environ={},
        zone="UTC",
        equipment=EQUIPMENT,
    )
    task = stage.assigned()
    scheduler.start()
    try:
        until(lambda: launcher.attached)
        let_time_pass(stage)
        assert come.wait(60)
        until(lambda: stage.run.outcome is RunOutcome.NO_CHANGES)
        assert stage.wakeup(task).outcome == "executed"
    finally:
        scheduler.stop()
