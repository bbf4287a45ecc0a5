"""One act at a time in the folder of a copy: none is taken away while another brings it about."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Folders:
    """A lock is there for as long as somebody holds it or waits for it."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._wanted: Counter[str] = Counter()

    def __len__(self) -> int:
        """Folders at work."""
        return len(self._locks)

    @contextmanager
    def held(self, folder: str) -> Iterator[None]:
        with self._guard:
            lock = self._locks.setdefault(folder, threading.Lock())
            self._wanted[folder] += 1
        try:
            with lock:
                yield
        finally:
            with self._guard:
                self._wanted[folder] -= 1
                if not self._wanted[folder]:
                    del self._wanted[folder], self._locks[folder]
