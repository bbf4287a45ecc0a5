"""Writes down what happens in a run, redacted: messages in the spool, text in the transcript."""

from contextlib import suppress
from pathlib import Path

from roundtable_desktop.rules.redact import Redactor, clip
from roundtable_desktop.runner.output import Log, Output
from roundtable_desktop.runner.spool import Spool
from roundtable_desktop.runner.transcript import Transcript


class Record:
    def __init__(self, folder: Path, spool: Spool, redactor: Redactor) -> None:
        self._spool = spool
        self._redactor = redactor
        self._transcript = Transcript(folder / "out")

    def note(self, kind: str, **body: object) -> None:
        """A message that the run can do without when the disk is full."""
        with suppress(OSError):
            self._spool.put(kind, **body)

    def clean(self, text: str, limit_bytes: int) -> str:
        """What an agent said, fit for a message. Redacted first: a cut may halve a secret."""
        return clip(self._redactor.redact(text), limit_bytes, keep="start")

    def stream(self, name: str, *, tail_bytes: int = 1, log: Log | None = None) -> Output:
        return Output(name, self._transcript, self._redactor, tail_bytes=tail_bytes, log=log)

    def close(self) -> None:
        self._transcript.close()
