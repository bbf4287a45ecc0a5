"""The database: one writer at a time, one decision per transaction, readers that cannot write."""

import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import peewee as pw

from roundtable_desktop.model.errors import Broken, Busy, Full, Refused
from roundtable_desktop.model.times import MICROSECOND
from roundtable_desktop.store.view import Row, View

__all__ = ["Database", "Reader", "Row", "Store", "Time", "Tx", "View"]

log = logging.getLogger(__name__)

READ_LIMIT = timedelta(seconds=5)
"""No reader keeps its snapshot longer: the write-ahead log could not shrink (F-23)."""
_STEPS = 50_000
"""Of SQLite's machine between two looks at that limit: well below a tenth of a second."""

HELD = timedelta(seconds=2)
"""Whoever waits longer to write waits for another program, and people are told (F-22)."""

LONG = 64 * 2**20
"""Bytes of the write-ahead log from which on another program must be reading an old state."""
LOG_MOST = 2 * LONG
"""From then on nothing new is started."""

_PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "foreign_keys": 1,
    "trusted_schema": 0,
    "cache_size": -4000,
    "wal_autocheckpoint": 1000,
    "journal_size_limit": LONG // 4,
}
_BUSY_SECONDS = 10


_UNABLE = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _refused(error: pw.DatabaseError, path: object) -> Refused | None:
    """What the database could not do now, in words that a face can say (F-18, F-22, K-66); None
    where the fault is ours.

    SQLite itself rolls back when the disk is full; then peewee's own try to do so fails as well and
    stands before the reason."""
    first: BaseException = error
    while isinstance(first.__context__, pw.DatabaseError | sqlite3.DatabaseError):
        first = first.__context__
    code = getattr(first, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT:
        return Broken("snapshot_kept_too_long")
    if code == sqlite3.SQLITE_FULL:
        return Full("disk_full")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Busy("database_busy")
    if code in _DAMAGED:
        return Broken("database_damaged", path=str(path), text=str(first))
    return Broken("database_fault", text=str(first)) if code in _UNABLE else None


class Time(Protocol):
    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...

    def here(self, at: datetime) -> datetime: ...

    def outside(self, at: datetime) -> datetime: ...


class Database(pw.SqliteDatabase):
    """A peewee database that can close the connections of all its threads at the end. stopping:
    asked now and then while a statement is at work, whether it is to be broken off."""

    def __init__(
        self, path: Path, *, stopping: Callable[[], bool] | None = None, **options: Any
    ) -> None:
        super().__init__(
            path, lock_type="IMMEDIATE", timeout=_BUSY_SECONDS, check_same_thread=False, **options
        )
        self._stopping = stopping
        self._file: tuple[int, int] | None = None
        self._opened: list[sqlite3.Connection] = []
        self._opened_lock = threading.Lock()

    def _connect(self) -> sqlite3.Connection:
        connection: sqlite3.Connection = super()._connect()
        if self._stopping is not None:
            connection.set_progress_handler(self._stopping, _STEPS)
        with self._opened_lock:
            self._opened.append(connection)
        return connection

    def check_place(self) -> None:
        """Raises Broken(`database_replaced`): its name no longer leads to the file that was opened.
        What is written there nobody would find again, and a new connection would make another.
        Raises Broken(`database_damaged`) where it was emptied, of which SQLite says that another
        program holds it."""
        try:
            facts = os.stat(self.database)
        except OSError:
            facts = None
        found = None if facts is None else (facts.st_dev, facts.st_ino)
        if self._file is None:
            self._file = found
        elif found != self._file:
            raise Broken("database_replaced", path=str(self.database))
        if facts is not None and facts.st_size == 0 and self._opened:
            raise Broken("database_damaged", path=str(self.database), text="the file is empty")

    def close_all(self) -> None:
        """For the end of the process: every thread that used it has been joined."""
        with self._opened_lock:
            opened, self._opened = self._opened, []
        for connection in opened:
            connection.close()


class Tx(View):
    """One decision. `now` stands still in it and rises strictly in commit order (law 2)."""

    def __init__(self, db: Database, now: datetime) -> None:
        super().__init__(db)
        self.now = now
        self.nudges: set[str] = set()
        self.afterwards: list[Callable[[], None]] = []
        """Done once this is committed, before anybody else's turn: it must not wait or raise."""

    @contextmanager
    def apart(self) -> Iterator[None]:
        """A part of the decision that may fail alone: what it wrote is taken back then."""
        with self.db.savepoint():
            yield

    def nudge(self, topic: str) -> None:
        """Wakes the listeners of `topic` once this is committed; a courtesy, never a promise."""
        self.nudges.add(topic)

    def write(self, query: Any) -> int:
        """Rows that an UPDATE, INSERT or DELETE touched."""
        touched: int = query.execute(self.db)
        return touched

    def write_sql(self, text: str, values: Row | tuple[Any, ...]) -> int:
        """The same for SQL text, on the hot paths (peewee's builder costs 1 ms there)."""
        touched: int = self.db.execute_sql(text, values).rowcount
        return touched


class Store:
    """The writing side; it does not leave `app` and `engine`. durable: no power failure loses what
    was committed; a copy that is thrown away need not wait for the disk."""

    def __init__(self, path: Path, clock: Time, *, durable: bool = True) -> None:
        self.db = Database(
            path, pragmas=_PRAGMAS if durable else {**_PRAGMAS, "synchronous": "off"}
        )
        self._clock = clock
        self._gate = threading.Lock()
        self._last: datetime | None = None
        self._listeners: list[Callable[[str], None]] = []
        self.fault: str | None = None
        """Why the last write could not be made, until one can: `disk_full`, `database_damaged` or
        `database_fault`."""
        self._asked: float | None = None
        self.log_bytes = 0
        """Of the write-ahead log, when it was looked at last (`shorten_log`)."""

    @property
    def trouble(self) -> str | None:
        """What people have to know about the database now: its fault, or what others do to it."""
        asked = self._asked
        if self.fault is not None:
            return self.fault
        if asked is not None and self._clock.monotonic() - asked > HELD.total_seconds():
            return "database_busy"
        return "database_read" if self.log_bytes >= LONG else None

    @property
    def log_full(self) -> bool:
        return self.log_bytes >= LOG_MOST

    @property
    def stands(self) -> str | None:
        """Why nothing is taken up: nothing can be written, or the log must not grow further."""
        if self.trouble in (None, "database_read"):
            return "log_full" if self.log_full else None
        return self.trouble

    def listen(self, listener: Callable[[str], None]) -> None:
        """`listener(topic)` runs on the committing thread: it must not wait or raise."""
        self._listeners.append(listener)

    def wake(self, topic: str) -> None:
        """As `Tx.nudge`, where nothing could be written."""
        self._nudge(topic)

    @contextmanager
    def transaction(self) -> Iterator[Tx]:
        """BEGIN IMMEDIATE behind our own lock: threads queue here in turn, not in SQLite's poll."""
        if self.db.in_transaction():
            raise Broken("transaction_inside_transaction")
        self._check_place()
        try:
            self.db.connect(reuse_if_open=True)
            with self._in_turn():
                failing = self.fault is not None
                before = self._writes() if failing else 0
                if self._asked is None:
                    self._asked = self._clock.monotonic()
                with self.db.atomic():
                    self._asked = None
                    tx = Tx(self.db, self._tick())
                    yield tx
                for act in tx.afterwards:
                    act()
        except pw.DatabaseError as error:
            if (refused := _refused(error, self.db.database)) is None:
                raise
            self._failed(refused)
            raise refused from error
        if failing and self._writes() != before:
            self.fault = None
        for topic in tx.nudges:
            self._nudge(topic)

    def _check_place(self) -> None:
        try:
            self.db.check_place()
        except Broken as refused:
            self._failed(refused)
            raise

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """While a stranger holds the database, those behind us do not wait one by one (F-22)."""
        if not self._gate.acquire(timeout=_BUSY_SECONDS):
            raise Busy("database_busy")
        try:
            yield
        finally:
            self._gate.release()

    def shorten_log(self) -> int:
        """Bytes of the write-ahead log, which is written back if it is long; what another program
        reads of an older state keeps it as it is, and nobody waits for that."""
        self.log_bytes = self._log_bytes()
        if self.log_bytes >= LONG:
            self.db.connect(reuse_if_open=True)
            with self._in_turn():
                connection = self.db.connection()
                connection.execute("PRAGMA busy_timeout = 0")
                try:
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                finally:
                    connection.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}")
            self.log_bytes = self._log_bytes()
        return self.log_bytes

    def _log_bytes(self) -> int:
        try:
            return os.stat(f"{self.db.database}-wal").st_size
        except FileNotFoundError:
            return 0

    def _writes(self) -> int:
        """Rows that this thread's connection has ever written."""
        total: int = self.db.connection().total_changes
        return total

    def _failed(self, refused: Refused) -> None:
        if not isinstance(refused, Busy):
            told = isinstance(refused, Full) or refused.code == "database_damaged"
            self.fault = refused.code if told else "database_fault"
            self._nudge("queue")  # the loop tries from now on whether it can be done again

    def _nudge(self, topic: str) -> None:
        """It is committed: whoever cannot listen must not make it look as if it were not."""
        for listener in self._listeners:
            try:
                listener(topic)
            except Exception:
                log.exception("a listener failed topic=%s", topic)

    def _tick(self) -> datetime:
        now = self._clock.now()
        if self._last is not None and now <= self._last:
            now = self._last + MICROSECOND
        self._last = now
        return now

    def start_after(self, moment: datetime) -> None:
        """Times go on rising across a restart, though the wall clock was set back meanwhile."""
        self._last = moment if self._last is None else max(self._last, moment)

    def begin_at(self, tx: Tx, moment: datetime) -> None:
        """Times go on from here, also from an earlier one: for a test clock, before any work."""
        tx.now = moment
        tx.afterwards.append(lambda: setattr(self, "_last", moment))

    def here(self, at: datetime) -> datetime:
        """What rows were stamped with when the machine's clock showed `at`."""
        return self._clock.here(at)

    def outside(self, at: datetime) -> datetime:
        """What the machine's clock showed, at the latest, when rows were stamped with `at`."""
        return self._clock.outside(at)

    def close(self) -> None:
        self.db.close_all()


class Reader:
    """The faces' side: a connection per thread that cannot write, for short snapshots only.

    trouble: of the writing side (`Store.trouble`), which faces tell. stands: why the owner takes
    nothing up (`View.stands`).
    """

    def __init__(
        self, path: Path, clock: Time, trouble: Callable[[], str | None] = lambda: None
    ) -> None:
        self._clock = clock
        self.trouble = trouble
        self.stands: Callable[[], str | None] = lambda: None
        self._limits = threading.local()
        self._db = Database(path, pragmas={**_PRAGMAS, "query_only": 1}, stopping=self._is_late)

    @contextmanager
    def snapshot(self) -> Iterator[View]:
        """One state of the database over several statements. No rendering, no I/O inside; a
        statement that takes too long is broken off."""
        self._db.check_place()
        self._limits.end = self._clock.monotonic() + READ_LIMIT.total_seconds()
        try:
            self._db.connect(reuse_if_open=True)
            self._db.begin("DEFERRED")
            try:
                view = View(self._db)
                view.stands, view.keeps = self.stands(), True
                yield view
            finally:
                self._db.rollback()
        except pw.DatabaseError as error:
            if (refused := _refused(error, self._db.database)) is None:
                raise
            raise refused from error
        if self._is_late():
            raise Broken("snapshot_kept_too_long")

    def _is_late(self) -> bool:
        late: bool = self._clock.monotonic() > self._limits.end
        return late

    def close(self) -> None:
        self._db.close_all()
