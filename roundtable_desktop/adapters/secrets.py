"""Values that never enter the database: the variables of agents, one private file each (S-71)."""

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


class FileSecrets:
    """Fulfils `ports.Secrets`; `read` and `write` are the home's own ways with private files.

    OWNER.json has what holds; OWNER.REVISION.next what is to hold once the owner's row in the
    database has that revision.
    """

    def __init__(
        self, folder: Path, read: Callable[[Path], str], write: Callable[[Path, str], None]
    ) -> None:
        self._folder = folder
        self._read = read
        self._write = write
        self._lock = threading.Lock()
        self._one = threading.Lock()
        self._values: frozenset[str] | None = None

    def get(self, owner: str) -> Mapping[str, str]:
        try:
            return self._held(self._file(owner))
        except FileNotFoundError:
            return {}

    def values(self) -> frozenset[str]:
        """Every secret there is, for redaction; read again after a change."""
        with self._lock:
            if self._values is None:
                files = [*self._folder.glob("*.json"), *self._folder.glob("*.next")]
                self._values = frozenset(v for file in files for v in self._held(file).values())
            return self._values

    @contextmanager
    def change(
        self, owner: str, change: Callable[[Mapping[str, str]], Mapping[str, str]], revision: int
    ) -> Iterator[Mapping[str, str]]:
        with self._one:
            values = change(self.get(owner))
            prepared = self._folder / f"{owner}.{revision}.next"
            with self._lock:
                self._values = None
                self._write(prepared, json.dumps(dict(values)))
            try:
                yield values
            except BaseException:
                self._drop(prepared)
                raise
            self._adopt(prepared, owner)

    def forget(self, owner: str) -> None:
        self._drop(self._file(owner))

    def settle(self, revision_of: Callable[[str], int | None]) -> None:
        for prepared in self._folder.glob("*.next"):
            owner, revision, _ = prepared.name.split(".")
            if revision_of(owner) == int(revision):
                self._adopt(prepared, owner)
            else:
                self._drop(prepared)

    def _adopt(self, prepared: Path, owner: str) -> None:
        with self._lock:
            self._values = None
            os.replace(prepared, self._file(owner))

    def _drop(self, prepared: Path) -> None:
        with self._lock:
            self._values = None
            prepared.unlink(missing_ok=True)

    def _held(self, file: Path) -> dict[str, str]:
        found = json.loads(self._read(file))
        return {str(name): str(value) for name, value in found.items()}

    def _file(self, owner: str) -> Path:
        return self._folder / f"{owner}.json"
