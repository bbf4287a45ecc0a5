"""Takes the agent's own report from where it may lie: its result file, or its last message."""

import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from roundtable_desktop.rules.fitting import Misfit, misfits
from roundtable_desktop.rules.redact import Redactor

LIMIT = 64 * 1024
LONGEST = 16 * 1024 * 1024
"""Bytes of a result file that stay with the run."""
SHOWN = 8 * 1024
"""Bytes of a report that cannot be taken at all, for a person to see what it was."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_BLOCK = re.compile(
    r"^ {0,3}(?P<fence>`{3,})[ \t]*roundtable-result[ \t]*\r?\n"
    r"(?P<text>.*?)"
    r"(?:^ {0,3}(?P=fence)`*[ \t]*\r?$|\Z)",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Report:
    """text: as it was found. fault: why it cannot be read as one, a code; then text is what can be
    shown of it."""

    text: str
    fault: str = ""

    def misfits(self) -> list[Misfit]:
        """Empty where it is a result that counts."""
        return [Misfit("", self.fault)] if self.fault else misfits(self.text)


def take_result(path: Path) -> Report | None:
    """None: there is none."""
    try:
        raw = _read(path, LIMIT + 1)
    except FileNotFoundError:
        return None
    except OSError:
        return Report("", "report_no_file")
    return _report(raw)


def best(*found: Report | None) -> Report | None:
    """The first that fits; where none does, the first that is there."""
    there = [one for one in found if one is not None]
    return next((one for one in there if not one.misfits()), there[0] if there else None)


def redact_result(path: Path, redactor: Redactor) -> None:
    """The agent's own file stays with the run: without secrets, once nobody writes there. Of one
    that is too long the beginning stays, and no half secret at its end."""
    with suppress(OSError):
        raw = _read(path, LONGEST + LIMIT)
        stream = redactor.stream()
        clean = stream.feed(raw) + stream.flush()
        if len(raw) == LONGEST + LIMIT:  # at its end half a secret may stand
            clean = clean[:-LIMIT]
        if len(raw) > LONGEST:
            clean = clean[:LONGEST]
        if clean == raw:
            return
        os.unlink(path)
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(path, flags, 0o600), "wb") as file:
            file.write(clean)


def find_block(message: str) -> Report | None:
    """The last fenced `roundtable-result` in it; one that the message ends in may lack its end."""
    blocks = [match["text"] for match in _BLOCK.finditer(message)]
    return _report(blocks[-1].encode("utf-8", "replace")) if blocks else None


def _report(raw: bytes) -> Report:
    """Control characters are no text: escaped in JSON they would make a line that no reader
    takes."""
    if len(raw) > LIMIT:
        return Report(_shown(raw), "report_too_large")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return Report(_shown(raw), "report_not_text")
    return Report(_shown(raw), "report_not_text") if _CONTROL.search(text) else Report(text)


def _shown(raw: bytes) -> str:
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", raw[:SHOWN].decode("utf-8", "replace"))


def _read(path: Path, most: int) -> bytes:
    # Not blocking: the agent may have put a FIFO there.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("no regular file")
        return os.read(descriptor, most)
    finally:
        os.close(descriptor)
