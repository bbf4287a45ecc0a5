"""Turns one stream of an agent's bytes into redacted text: transcript, tail and log."""

import codecs
import os
import re
from pathlib import Path

from roundtable_desktop.rules.redact import Redactor, clip
from roundtable_desktop.runner.spool import micros
from roundtable_desktop.runner.transcript import Transcript

_HALF = re.compile(r"(?:\x1b(?:\[[0-?]{0,64}|[\]PX^_k][^\x07\x1b\n]{0,1000}\x1b?)?|\r+)\Z")
_HALF_LONGEST = 1100
"""Characters of a terminal's sequence, or of a line's end, whose rest may still come."""
LINE = 64 * 1024
"""Characters; also the size of a batch, so that only a batch's first line can be too long."""
CUT = " [cut]"
LOG = 1024 * 1024


class Lines:
    """Cuts lines that are too long, across any number of pieces."""

    def __init__(self) -> None:
        self._length = 0

    def cut(self, text: str) -> str:
        """text: at most LINE characters."""
        head, newline, rest = text.partition("\n")
        room = max(0, LINE - self._length)
        mark = CUT if self._length <= LINE < self._length + len(head) else ""
        self._length += len(head)
        if newline:
            self._length = len(rest) - rest.rfind("\n") - 1
        return head[:room] + mark + newline + rest


class Log:
    """A file that stops growing at its limit; the transcript has the rest."""

    def __init__(self, path: Path, *, limit: int = LOG) -> None:
        flags = os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        self._descriptor = os.open(path, flags, 0o600)
        self._room = limit

    def write(self, raw: bytes) -> None:
        kept = raw[: self._room]
        self._room -= len(kept)
        try:
            os.write(self._descriptor, kept)
        except OSError:
            self._room = 0

    def close(self) -> None:
        os.close(self._descriptor)


class Output:
    """One stream. Redaction comes first: nothing behind it ever holds a secret."""

    def __init__(
        self,
        stream: str,
        transcript: Transcript,
        redactor: Redactor,
        *,
        tail_bytes: int,
        log: Log | None = None,
    ) -> None:
        self.received = 0
        self._stream = stream
        self._transcript = transcript
        self._redactor = redactor.stream()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._half = ""
        self._lines = Lines()
        self._log = log
        self._tail_bytes = tail_bytes
        self._tail = ""
        self._batch: list[str] = []
        self._batched = 0

    @property
    def tail(self) -> str:
        return clip(self._tail, self._tail_bytes)

    @property
    def waiting(self) -> bool:
        """Something is batched that `flush` would write."""
        return bool(self._batch)

    def feed(self, raw: bytes) -> None:
        self.received += len(raw)
        self._take(self._redactor.feed(raw), final=False)

    def flush(self) -> None:
        if self._batch:
            self._transcript.write(micros(), self._stream, "".join(self._batch))
            self._batch.clear()
            self._batched = 0

    def close(self) -> None:
        """What was held back is written too; nothing may be fed afterwards."""
        self._take(self._redactor.flush(), final=True)
        self.flush()
        if self._log:
            self._log.close()

    def _take(self, clean: bytes, *, final: bool) -> None:
        if self._log:
            self._log.write(clean)
        text = self._half + self._decoder.decode(clean, final)
        half = None if final else _HALF.search(text, max(0, len(text) - _HALF_LONGEST))
        # No record ends within a sequence: who reads it alone would take its rest for text.
        self._half = half[0] if half else ""
        text = text[: half.start()] if half else text
        for start in range(0, len(text), LINE):
            self._add(text[start : start + LINE])

    def _add(self, piece: str) -> None:
        kept = self._lines.cut(piece)
        if not kept:
            return
        self._tail = (self._tail + kept)[-self._tail_bytes :]
        self._batch.append(kept)
        self._batched += len(kept)
        if self._batched >= LINE:
            self.flush()
