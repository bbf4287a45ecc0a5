"""Decides when a run has been silent or has lasted too long, by awake time (law 7)."""

import time
from collections import deque
from dataclasses import dataclass
from math import inf

from roundtable_desktop.runner.order import Deadlines

IDLE_SHARE = 0.05
"""Of one core: below it a silent tree counts as doing nothing. An agent that waits for its model
uses 2 % of one, work a good deal more (docs/rulings.md, 23)."""
PULSE = 30.0
SLEEP = 3.0
"""Seconds between two looks from which on it is a sleep; a busy machine makes shorter ones."""
EXTENSION = 900.0
"""Seconds until the soft limit comes due again, when a tool ran since it did."""


@dataclass(frozen=True, slots=True)
class Activity:
    """What is known of an agent that tells more than bytes.

    tools: calls begun so far; working: one of them runs now; asking: a question to a person is
    open, and nothing that the agent does not do meanwhile is its fault.
    """

    tools: int = 0
    working: bool = False
    asking: bool = False


UNTOLD = Activity()


_SLEEP_TOO = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Linux stops the monotonic clock while the machine sleeps, and then no sleep would be seen."""


def elapsed() -> float:
    """Seconds since some moment, those included in which the machine slept."""
    return time.clock_gettime(_SLEEP_TOO)


def period_of(limits: Deadlines) -> float:
    """Seconds between two looks: five to the shortest deadline, at most 5 s apart."""
    shortest = min(limits.silent, limits.silence_limit, limits.soft, limits.hard, limits.ask)
    return min(5.0, max(0.05, shortest / 5))


class Watch:
    """Told the time and what the run has done, it names what has come due: `silent`, `heard` (the
    end of that), `silence`, `soft`, `hard` or `pulse`. step: awake seconds between two looks.

    At the soft limit nothing ends: ACP has no way to ask in the middle of a turn, so it is told,
    and the agent is asked with the answer of its next tool (`engine.long_runs`); it comes again as
    long as tools run in between. After a sleep the silence counts from the resume: what an agent
    waits for may have to be asked for anew (B-096).
    """

    def __init__(self, limits: Deadlines, period: float, now: float) -> None:
        self.awake = 0.0
        self.step = 0.0
        self.share = 0.0
        self._limits = limits
        self._longest_step = 2 * period
        self._last = now
        self._worked = 0.0
        self._output = 0
        self._silent_since = 0.0
        self._told: set[str] = set()
        self._pulse_at = PULSE
        self._soft_at = limits.soft
        self._tools = 0
        self._cpu = 0.0
        self._used: deque[tuple[float, float]] = deque([(0.0, 0.0)])

    @property
    def silence(self) -> float:
        """Seconds since the last output, without those in which a person was asked."""
        return self._worked - self._silent_since

    def look(self, now: float, output: int, cpu: float, activity: Activity = UNTOLD) -> list[str]:
        """now: as `elapsed` says it; output: bytes so far; cpu: seconds so far. A suspend adds two
        periods at most."""
        slept = now - self._last > max(self._longest_step, SLEEP)
        self.step = min(now - self._last, self._longest_step)
        self._last = now
        self.awake += self.step
        if not activity.asking:
            self._worked += self.step
        self._remember(cpu)
        heard = output != self._output and "silent" in self._told
        if output != self._output or slept:
            self._output = output
            self._silent_since = self._worked
            self._told.discard("silent")
        due = [name for name, is_due in self._due(activity) if is_due]
        return ["heard", *due] if heard else due

    def _due(self, activity: Activity) -> list[tuple[str, bool]]:
        limits = self._limits
        idle = not activity.working and self._idle()
        silence = self.silence >= limits.silence_limit and idle
        pulse = self.awake >= self._pulse_at
        if pulse:
            self._pulse_at = self.awake + PULSE
        return [
            ("silent", self._once("silent", self.silence >= limits.silent)),
            ("soft", self._soft(activity.tools)),
            ("silence", self._once("silence", silence)),
            ("hard", self._once("hard", self._worked >= limits.hard)),
            ("pulse", pulse),
        ]

    def _once(self, name: str, due: bool) -> bool:
        if not due or name in self._told:
            return False
        self._told.add(name)
        return True

    def _soft(self, tools: int) -> bool:
        if self._worked < self._soft_at:
            return False
        self._soft_at = self._worked + EXTENSION if tools > self._tools else inf
        self._tools = tools
        return True

    def _remember(self, cpu: float) -> None:
        """Keeps the looks of one silence limit, and one more as their beginning."""
        if self.step > 0:
            self.share = max(0.0, cpu - self._cpu) / self.step
        self._cpu = cpu
        if self._worked == self._used[-1][0]:
            self._used[-1] = (self._worked, cpu)
            return
        self._used.append((self._worked, cpu))
        while len(self._used) > 2 and self._used[1][0] <= self._worked - self._limits.silence_limit:
            self._used.popleft()

    def _idle(self) -> bool:
        (start, before), (end, now) = self._used[0], self._used[-1]
        return end > start and (now - before) / (end - start) < IDLE_SHARE
