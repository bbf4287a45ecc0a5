"""What housekeeping does for the database: a backup each day, and a look for damage."""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from roundtable_desktop.engine import worries
from roundtable_desktop.engine.housekeeping import SOON, Errand
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.ports import Clock, Ids
from roundtable_desktop.store import backups, events, migrate, opening, restored, settings
from roundtable_desktop.store.db import Reader, Store

log = logging.getLogger(__name__)

LOOK_SECONDS = 86_400.0
"""Between two looks through the whole database."""
YOUNG = (timedelta(minutes=5), timedelta(hours=1))
"""How old the newest may be of one backup, of two: the first day is when most is set up."""


class Safety:
    """folder: of the backups. Its errands take long for a large file and hold no lock meanwhile."""

    def __init__(
        self, store: Store, reader: Reader, ids: Ids, clock: Clock, path: Path, folder: Path
    ) -> None:
        self._store, self._reader, self._ids, self._clock = store, reader, ids, clock
        self._path, self._folder = path, folder
        self._looked: float | None = None

    def errands(self) -> Mapping[str, Errand]:
        return {"look_through": self.look_through, "backup": self.back_up}

    def back_up(self) -> int | None:
        """When the newest is as old as the setting says, or of a time to come; a home that holds
        nothing yet needs none. A young one is asked about at each look, for its first day's work
        is in no other backup; where nothing happened since the last, that one holds all."""
        with self._reader.snapshot() as view:
            longest = timedelta(hours=settings.of_home(view).backup_hours)
            empty, last = not restored.numbers(view), events.last_instant(view)
        now = self._clock.now()
        made = backups.kept(self._folder, now)
        if not empty and _is_due(made, now, longest, last) and not self._make(now):
            return None
        return SOON if _is_young(made) else None

    def _make(self, now: datetime) -> bool:
        here = migrate.version_of(self._path)
        try:
            made = backups.keep(self._path, self._folder, now, here, sound=True)
        except Refused as refused:
            log.error("no backup code=%s values=%s", refused.code, dict(refused.values))
            self._ask(worries.NO_BACKUP, str(refused.values.get("text", refused.code)))
            return False
        log.info("backup made path=%s", made)
        self._over(worries.NO_BACKUP)
        return True

    def look_through(self) -> None:
        """At the start and once a day, for it reads all of the file; table by table, so that no
        look keeps the log from shrinking for long (F-23)."""
        now = self._clock.monotonic()
        if self._looked is not None and now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        found = opening.damaged_tables(self._path)
        if found:
            log.error("the database is damaged: %s", found)
            opening.suspect(self._path)
            self._ask(worries.DAMAGED, found)
        else:
            self._over(worries.DAMAGED)

    def _ask(self, why: str, text: str) -> None:
        newest = next(iter(backups.kept(self._folder, self._clock.now())), None)
        known = {"text": text, "backup": str(newest.path) if newest else None}
        with self._store.transaction() as tx:
            worries.ask(tx, self._ids, why, known)

    def _over(self, why: str) -> None:
        with self._store.transaction() as tx:
            worries.over(tx, why)


def _is_due(
    made: Sequence[backups.Backup], now: datetime, longest: timedelta, last: datetime | None
) -> bool:
    """made: the newest first. last: when something happened last."""
    if not made:
        return True
    age = now - made[0].at
    if age < timedelta(0) or age >= longest:
        return True
    grown = last is not None and last >= made[0].at
    return grown and _is_young(made) and age >= YOUNG[len(made) - 1]


def _is_young(made: Sequence[backups.Backup]) -> bool:
    """Of a large database few are kept, however old it is; so it is not the number alone."""
    size = sum(one.size for one in made) + (made[0].size if made else 0)
    return len(made) <= len(YOUNG) and size <= backups.KEPT_BYTES
