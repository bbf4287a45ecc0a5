"""The log: one line an entry, rotating, and without a secret in it."""

import logging
import sys
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path

BYTES, KEPT = 5_000_000, 4  # the file and four older ones, 5 MB each
_QUIET = ("peewee", "waitress", "werkzeug", "urllib3")


class _Redacting(logging.Formatter):
    """`time level room code key=value…`; tracebacks go through the redaction too (W-10)."""

    def __init__(self, redact: Callable[[str], str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        return self._redact(super().format(record))


def set_up(file: Path, redact: Callable[[str], str], *, to_stderr: bool) -> None:
    """Replaces what an earlier call set up; other libraries speak at WARNING only."""
    handlers: list[logging.Handler] = [
        RotatingFileHandler(file, maxBytes=BYTES, backupCount=KEPT, encoding="utf-8")
    ]
    if to_stderr:
        handlers.append(logging.StreamHandler(sys.stderr))
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
        old.close()
    for handler in handlers:
        handler.setFormatter(_Redacting(redact))
        root.addHandler(handler)
    root.setLevel(logging.INFO)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
