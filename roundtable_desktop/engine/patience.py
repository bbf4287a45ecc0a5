"""How often an act of git may come to nothing before that is its answer.

What broke it off may be over the next time; a git that is stuck, or dies each time, would be tried
for ever, and whoever waits for it would see nothing.
"""

from collections import Counter

from roundtable_desktop.model.ports import KILLED, TIMEOUT, GitFailed

TRIES = {TIMEOUT: 3, KILLED: 12}
"""In a row. The system ends a git for want of memory, which may last some minutes; the pool's waits
between the tries grow with them."""


class Patience:
    """In memory: the next life begins with all of it."""

    def __init__(self) -> None:
        self._failed: Counter[str] = Counter()

    def lasts(self, act: str, error: GitFailed) -> bool:
        """Whether the act is to be tried again after this."""
        most = TRIES.get(error.code)
        if most is None:
            return error.broken_off
        self._failed[act] += 1
        if self._failed[act] < most:
            return True
        self.over(act)
        return False

    def over(self, act: str) -> None:
        self._failed.pop(act, None)
