"""Starts the program that foresees, in a process of its own, and hands over what it says."""

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from roundtable_desktop.model.errors import Broken, Busy

SECONDS = 50.0
"""Within the time that a client of ours waits for an answer."""
OF_THEM = 0.6
"""The share of it in which it plays; then it tells what it has seen so far."""
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ")


class ForeseeingChild:
    """Fulfils `ports.Foresight`."""

    def __init__(self, program: Sequence[str], database: Path, seconds: float = SECONDS) -> None:
        self._program, self._database = program, database
        self._seconds = seconds
        self._one = threading.Lock()

    def __call__(self, **asked: object) -> Mapping[str, Any]:
        if not self._one.acquire(blocking=False):
            raise Busy("foresight_runs")
        try:
            # Made and removed here: the child may be ended in the middle of its work.
            with tempfile.TemporaryDirectory(prefix="roundtable-") as folder:
                given = {"database": str(self._database), "folder": folder}
                return self._asked({**given, "seconds": OF_THEM * self._seconds, **asked})
        finally:
            self._one.release()

    def _asked(self, request: Mapping[str, object]) -> Mapping[str, Any]:
        try:
            done = subprocess.run(
                self._program,
                input=json.dumps(request).encode(),
                capture_output=True,
                timeout=self._seconds,
                env={name: os.environ[name] for name in KEPT if name in os.environ},
            )
        except subprocess.TimeoutExpired:
            raise Busy("foresight_too_long", seconds=int(self._seconds)) from None
        except OSError as fault:
            raise Broken("foresight_failed", text=str(fault)) from fault
        if done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise Broken("foresight_failed", text=said[-1] if said else str(done.returncode))
        answer: Mapping[str, Any] = json.loads(done.stdout)
        return answer
