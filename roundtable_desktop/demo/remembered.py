"""Keeps the demo agent's conversations on the disk, so that they can be gone on with later."""

import json
import os
import re
from collections.abc import Mapping
from typing import Any

KEPT = 100
"""Conversations; the oldest make room."""
TURNS = 20
TURN_CHARACTERS = 4000
_ID = re.compile(r"[0-9a-f]{16}")


class Remembered:
    """Without a home there is no memory: then `save` does nothing."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        home = environment.get("HOME")
        state = environment.get("XDG_STATE_HOME") or (home and os.path.join(home, ".local/state"))
        self._folder = os.path.join(state, "roundtable-demo-agent") if state else ""

    def new(self) -> str:
        return os.urandom(8).hex()

    def load(self, session: str) -> list[dict[str, str]] | None:
        """Its turns {asked, said}; None when there is no such conversation."""
        if not self._folder or not _ID.fullmatch(session):
            return None
        try:
            with open(self._path(session), encoding="utf-8") as file:
                turns: list[dict[str, str]] = json.load(file)["turns"]
        except (OSError, ValueError, KeyError):
            return None
        return turns

    def save(self, session: str, turns: list[dict[str, str]]) -> None:
        if not self._folder:
            return
        os.makedirs(self._folder, 0o700, exist_ok=True)
        kept: dict[str, Any] = {
            "turns": [
                {name: text[:TURN_CHARACTERS] for name, text in turn.items()}
                for turn in turns[-TURNS:]
            ]
        }
        private = self._path(f".{session}.{os.getpid()}")
        with open(os.open(private, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
            json.dump(kept, file)
        os.replace(private, self._path(session))
        self._forget()

    def _forget(self) -> None:
        files = [entry for entry in os.scandir(self._folder) if _ID.match(entry.name)]
        files.sort(key=lambda entry: entry.stat().st_mtime)
        for entry in files[:-KEPT]:
            os.unlink(entry.path)

    def _path(self, session: str) -> str:
        return os.path.join(self._folder, f"{session}.json")
