"""Decides when a run has been silent or has lasted too long, by awake time (law 7)."""

from collections import deque

from roundtable_desktop.runner.order import Deadlines

IDLE_SHARE = 0.01
"""Of one core: below it a silent tree counts as doing nothing."""
PULSE = 30.0


def period_of(limits: Deadlines) -> float:
    """Seconds between two looks: five to the shortest deadline, at most 5 s apart."""
    shortest = min(limits.silent, limits.silence_limit, limits.soft, limits.hard)
    return min(5.0, max(0.05, shortest / 5))


class Watch:
    """Told the time and what the run has done, it names what has come due: `silent`, `silence`,
    `soft`, `hard` or `pulse`."""

    def __init__(self, limits: Deadlines, period: float, monotonic: float) -> None:
        self.awake = 0.0
        self.share = 0.0
        self._limits = limits
        self._longest_step = 2 * period
        self._last = monotonic
        self._output = 0
        self._silent_since = 0.0
        self._told: set[str] = set()
        self._pulse_at = PULSE
        self._used: deque[tuple[float, float]] = deque([(0.0, 0.0)])

    @property
    def silence(self) -> float:
        """Seconds since the last output."""
        return self.awake - self._silent_since

    def look(self, monotonic: float, output: int, cpu: float) -> list[str]:
        """output: bytes so far; cpu: seconds so far. A suspend adds two periods at most."""
        self.awake += min(monotonic - self._last, self._longest_step)
        self._last = monotonic
        self._remember(cpu)
        if output != self._output:
            self._output = output
            self._silent_since = self.awake
            self._told.discard("silent")
        return [name for name, due in self._due() if due]

    def _due(self) -> list[tuple[str, bool]]:
        limits = self._limits
        silence = self.silence >= limits.silence_limit and self._idle()
        pulse = self.awake >= self._pulse_at
        if pulse:
            self._pulse_at = self.awake + PULSE
        return [
            ("silent", self._once("silent", self.silence >= limits.silent)),
            ("soft", self._once("soft", self.awake >= limits.soft)),
            ("silence", self._once("silence", silence)),
            ("hard", self._once("hard", self.awake >= limits.hard)),
            ("pulse", pulse),
        ]

    def _once(self, name: str, due: bool) -> bool:
        if not due or name in self._told:
            return False
        self._told.add(name)
        return True

    def _remember(self, cpu: float) -> None:
        """Keeps the looks of one silence limit, and one more as their beginning."""
        at, used = self._used[-1]
        if self.awake > at:
            self.share = max(0.0, cpu - used) / (self.awake - at)
        self._used.append((self.awake, cpu))
        while len(self._used) > 2 and self._used[1][0] <= self.awake - self._limits.silence_limit:
            self._used.popleft()

    def _idle(self) -> bool:
        (start, before), (end, now) = self._used[0], self._used[-1]
        return end > start and (now - before) / (end - start) < IDLE_SHARE
