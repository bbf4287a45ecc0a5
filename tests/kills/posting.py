"""Posts tasks and asks to run them, and keeps the ledger of what was acknowledged."""

import http.client
import os
import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from kills.owners import Owners, Refusal

THREADS = 3
AGAIN = 0.03
TOO_OFTEN = 429
REFUSABLE = ("run", "pause", "resume", "approve", "reject", "withdraw")
"""What may not be possible at this moment: a definite answer."""


@dataclass(frozen=True)
class Wish:
    """One request; kind: what the ledger calls it; about: what it is about, if that is not what the
    answer names; send: how, if not by the owner's token; again: how often after it was answered."""

    kind: str
    path: str
    body: dict[str, Any] | None
    about: str | None = None
    send: Callable[[], Any] | None = None
    again: int = 0


class AckLedger:
    """One line per acknowledged key, on the disk before the next request."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def add(self, key: str, kind: str, task_id: str) -> None:
        with self._lock:
            os.write(self._file, f"{key} {kind} {task_id}\n".encode())
            os.fsync(self._file)

    def close(self) -> None:
        os.close(self._file)


class Load:
    """`count` requests at `rate` a second while the backlog is below `backlog`; each is repeated
    with its Idempotency-Key until the owner, whichever lives then, has answered it. make: the next
    wish, from its key and the tasks so far; behind: the backlog now."""

    def __init__(
        self,
        owners: Owners,
        ledger: AckLedger,
        make: Callable[[str, random.Random, Sequence[str]], Wish],
        *,
        count: int,
        rate: float,
        behind: Callable[[], int],
        backlog: int,
        dice: random.Random,
    ) -> None:
        self._owners, self._ledger, self._make = owners, ledger, make
        self._count, self._rate, self._backlog = count, rate, backlog
        self._behind, self._dice = behind, dice
        self._lock = threading.Lock()
        self._taken = 0
        self._tasks: list[str] = []
        self._stopping = threading.Event()
        self.acked = self.refused = self.repeated = 0
        self._threads = [threading.Thread(target=self._work) for _ in range(THREADS)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def finish(self, seconds: float) -> bool:
        """Waits for the rest; False when not all was answered in time."""
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def stop(self) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while not self._stopping.is_set():
            with self._lock:
                if self._taken >= self._count:
                    return
                self._taken += 1
                key = f"key-{self._taken:05d}"
                wish = self._make(key, self._dice, self._tasks)
            for _ in range(1 + wish.again):
                self._until_answered(key, wish)
            self._pace()

    def _until_answered(self, key: str, wish: Wish) -> None:
        while not self._stopping.is_set():
            try:
                send = wish.send or partial(self._owners.ask, "POST", wish.path, wish.body, key=key)
                made = send()
            except Refusal as refusal:
                if refusal.status == TOO_OFTEN:
                    self._stopping.wait(1.0)
                elif refusal.status < 500:
                    with self._lock:
                        self.refused += 1
                    assert wish.kind in REFUSABLE, f"{wish} {refusal}"
                    return
            except (OSError, ValueError, http.client.HTTPException):
                pass  # nobody there, or cut in the middle
            else:
                self._ledger.add(key, wish.kind, wish.about or made["id"])
                with self._lock:
                    self.acked += 1
                    if wish.kind == "task":
                        self._tasks.append(made["id"])
                return
            with self._lock:
                self.repeated += 1
            self._stopping.wait(AGAIN)

    def _pace(self) -> None:
        self._stopping.wait(THREADS / self._rate * self._dice.uniform(0.5, 1.5))
        while not self._stopping.is_set() and self._behind() > self._backlog:
            self._stopping.wait(0.1)
