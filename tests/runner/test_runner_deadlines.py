"""The deadlines as values: no clock, no process."""

import time
from dataclasses import asdict

import pytest

from roundtable_desktop.engine.follower import START_ACK
from roundtable_desktop.model import ports
from roundtable_desktop.runner.deadlines import EXTENSION, Activity, Watch, elapsed, period_of
from roundtable_desktop.runner.order import Deadlines

LIMITS = Deadlines(silent=60, silence_limit=600, soft=1800, hard=14400, ask=86400)


def due_by_time(watch: Watch, seconds: range, output: int = 0, cpu: float = 0.0) -> dict[str, int]:
    """When each deadline came due first; cpu: used per second."""
    found: dict[str, int] = {}
    for second in seconds:
        for name in watch.look(float(second), output, cpu * second):
            found.setdefault(name, second)
    return found


@pytest.mark.proves("C-31")
def test_nobody_has_set_any_and_these_hold() -> None:
    """A start that is not told of in a minute failed; these are asked of a runner that lives."""
    assert asdict(ports.Deadlines()) == asdict(LIMITS)
    assert (START_ACK, EXTENSION) == (60, 900)


def test_the_period_follows_the_shortest_deadline() -> None:
    assert period_of(LIMITS) == 5
    assert period_of(Deadlines(0.5, 1, 2, 3, 4)) == 0.1


@pytest.mark.proves("F-42", "C-31")
def test_an_idle_agent_comes_due_in_order() -> None:
    found = due_by_time(Watch(LIMITS, 5, 0), range(0, 14500, 5))
    assert found == {"pulse": 30, "silent": 60, "silence": 600, "soft": 1800, "hard": 14400}


@pytest.mark.proves("F-42")
def test_a_silence_is_told_within_five_seconds_of_its_limit() -> None:
    """Whenever between two looks the last word came."""
    for tenth in range(50):
        last = 100 + tenth / 10
        watch = Watch(LIMITS, 5, 0)
        told = [s for s in range(0, 300, 5) if "silent" in watch.look(s, min(s, last), 0.0)]
        assert len(told) == 1 and abs(told[0] - last - LIMITS.silent) <= 5


@pytest.mark.proves("C-31")
def test_a_busy_tree_is_silent_but_not_ended_for_it() -> None:
    found = due_by_time(Watch(LIMITS, 5, 0), range(0, 2000, 5), cpu=0.06)
    assert "silence" not in found
    assert found["silent"] == 60


def test_the_ticking_of_an_agent_that_waits_is_no_work() -> None:
    assert due_by_time(Watch(LIMITS, 5, 0), range(0, 2000, 5), cpu=0.03)["silence"] == 600


def test_a_tree_that_stops_working_is_ended_one_limit_later() -> None:
    watch = Watch(LIMITS, 5, 0)
    due_by_time(watch, range(0, 1000, 5), cpu=1.0)
    found = {}
    for second in range(1000, 2000, 5):
        for name in watch.look(second, 0, 995.0):
            found.setdefault(name, second)
    assert 1565 <= found["silence"] <= 1600


def test_each_silence_is_told_once() -> None:
    watch = Watch(LIMITS, 5, 0)
    told = [s for s in range(0, 400, 5) if "silent" in watch.look(s, s // 200, 0.0)]
    assert told == [60, 260]


@pytest.mark.proves("W-20")
def test_the_end_of_a_silence_is_told_once() -> None:
    watch = Watch(LIMITS, 5, 0)
    told = [s for s in range(0, 400, 5) if "heard" in watch.look(s, s // 200, 0.0)]
    assert told == [200]


@pytest.mark.proves("F-30", "F-42")
def test_a_suspend_adds_two_periods_at_most() -> None:
    watch = Watch(LIMITS, 5, 0)
    assert watch.look(8 * 3600.0, 0, 0.0) == []
    assert watch.awake == 10


@pytest.mark.proves("B-096")
@pytest.mark.parametrize("sleep", [11.0, 1200.0, 8 * 3600.0])
def test_after_a_sleep_a_whole_limit_must_pass_anew(sleep: float) -> None:
    """It had been silent for all of its limit but five seconds."""
    watch = Watch(LIMITS, 5, 0)
    assert due_by_time(watch, range(0, 600, 5)) == {"pulse": 30, "silent": 60}
    found: dict[str, float] = {}
    for second in range(0, 700, 5):
        for name in watch.look(595 + sleep + second, 0, 0.0):
            found.setdefault(name, second)
    assert (found["silent"], found["silence"]) == (60, 600)


@pytest.mark.proves("B-096", "F-42")
def test_a_busy_machine_is_no_sleep() -> None:
    """With short limits each look comes late there; still the silence comes to its end."""
    watch = Watch(Deadlines(silent=1, silence_limit=2, soft=60, hard=60, ask=60), 0.2, 0)
    looks = [watch.look(late * 2.5, 0, 0.0) for late in range(1, 9)]
    assert ["silence" in due for due in looks].count(True) == 1


@pytest.mark.proves("B-096")
def test_the_time_of_a_sleep_is_seen_by_the_clock_of_the_deadlines() -> None:
    """Where the monotonic clock stands still meanwhile, this one does not."""
    before = time.clock_gettime(time.CLOCK_BOOTTIME)
    assert before <= elapsed() <= time.clock_gettime(time.CLOCK_BOOTTIME)


def test_a_pulse_comes_every_thirty_seconds_at_most() -> None:
    watch = Watch(LIMITS, 5, 0)
    pulses = [s for s in range(0, 305, 5) if "pulse" in watch.look(s, 0, 0.5 * s)]
    assert pulses == list(range(30, 301, 30))
    assert watch.share == 0.5


def told_at(watch: Watch, name: str, seconds: range, activity: Activity) -> list[int]:
    return [s for s in seconds if name in watch.look(float(s), 0, 0.0, activity)]


@pytest.mark.proves("A-22", "C-31")
def test_the_soft_limit_is_extended_as_long_as_tools_run() -> None:
    watch = Watch(LIMITS, 5, 0)
    assert told_at(watch, "soft", range(0, 2000, 5), Activity(tools=3)) == [1800]
    second, third = 1800 + int(EXTENSION), 1800 + 2 * int(EXTENSION)
    assert told_at(watch, "soft", range(2000, 14000, 5), Activity(tools=4)) == [second, third]


def test_without_a_tool_the_soft_limit_comes_once() -> None:
    assert told_at(Watch(LIMITS, 5, 0), "soft", range(0, 14000, 5), Activity()) == [1800]


@pytest.mark.proves("A-21", "C-31")
def test_a_running_tool_is_work_however_silent() -> None:
    watch = Watch(LIMITS, 5, 0)
    assert told_at(watch, "silence", range(0, 1500, 5), Activity(1, working=True)) == []
    assert told_at(watch, "silence", range(1500, 1600, 5), Activity(1)) == [1500]


@pytest.mark.proves("C-31")
def test_a_question_stops_every_clock_but_the_pulse() -> None:
    watch = Watch(LIMITS, 5, 0)
    found: dict[str, int] = {}
    for second in range(0, 100_000, 5):
        for name in watch.look(float(second), 0, 0.0, Activity(asking=True)):
            found.setdefault(name, second)
    assert found == {"pulse": 30}
    assert (watch.silence, watch.awake, watch.step) == (0, 99_995, 5)
    assert told_at(watch, "silent", range(100_000, 100_200, 5), Activity()) == [100_055]
