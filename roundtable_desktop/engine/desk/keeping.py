"""Backups of the database as the faces see them, and one more when a person wants it."""

import threading
from collections.abc import Sequence
from pathlib import Path

from roundtable_desktop.model.ports import Clock
from roundtable_desktop.store import backups, migrate
from roundtable_desktop.store.backups import Backup


class KeptBackups:
    """path: of the database; folder: of the backups."""

    def __init__(self, path: Path, folder: Path, clock: Clock) -> None:
        self._path, self._folder, self._clock = path, folder, clock
        self._making = threading.Lock()

    def kept(self) -> Sequence[Backup]:
        """The newest first."""
        return backups.kept(self._folder, self._clock.now())

    def make(self) -> Path:
        """One now, looked through; it may take a while, and holds nobody up. The oldest goes when
        there are more than are kept. Raises Broken."""
        with self._making:
            here = migrate.version_of(self._path)
            return backups.keep(self._path, self._folder, self._clock.now(), here, sound=True)
