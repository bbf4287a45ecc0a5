"""One act at a time in the folder of a copy: none is taken away while another brings it about."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Folders:
    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}

    @contextmanager
    def held(self, folder: str) -> Iterator[None]:
        with self._guard:
            lock = self._locks.setdefault(folder, threading.Lock())
        with lock:
            yield
