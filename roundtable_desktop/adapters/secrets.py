"""Values that never enter the database: the variables of agents, one private file each (S-71)."""

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path


class FileSecrets:
    """Fulfils `ports.Secrets`; `read` and `write` are the home's own ways with private files."""

    def __init__(
        self, folder: Path, read: Callable[[Path], str], write: Callable[[Path, str], None]
    ) -> None:
        self._folder = folder
        self._read = read
        self._write = write
        self._lock = threading.Lock()
        self._values: frozenset[str] | None = None

    def get(self, owner: str) -> Mapping[str, str]:
        try:
            found = json.loads(self._read(self._file(owner)))
        except FileNotFoundError:
            return {}
        return {str(name): str(value) for name, value in found.items()}

    def values(self) -> frozenset[str]:
        """Every secret there is, for redaction; read again after a change."""
        with self._lock:
            if self._values is None:
                owners = [file.stem for file in self._folder.glob("*.json")]
                self._values = frozenset(v for owner in owners for v in self.get(owner).values())
            return self._values

    def put(self, owner: str, values: Mapping[str, str]) -> None:
        """Whole or not at all; no values, no file."""
        with self._lock:
            self._values = None
            if values:
                self._write(self._file(owner), json.dumps(dict(values)))
            else:
                self._file(owner).unlink(missing_ok=True)

    def _file(self, owner: str) -> Path:
        return self._folder / f"{owner}.json"
