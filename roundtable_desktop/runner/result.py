"""Takes the agent's own report from where it may lie: its result file, or its last message."""

import os
import re
import stat
from contextlib import suppress
from pathlib import Path

from roundtable_desktop.rules.redact import Redactor

LIMIT = 64 * 1024
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_BLOCK = re.compile(
    r"^ {0,3}(?P<fence>`{3,})[ \t]*roundtable-result[ \t]*\r?\n"
    r"(?P<text>.*?)"
    r"(?:^ {0,3}(?P=fence)`*[ \t]*\r?$|\Z)",
    re.MULTILINE | re.DOTALL,
)


def take_result(path: Path) -> str | None:
    """Its text as found. None: absent, a link, no regular file, too big, or no UTF-8 text."""
    try:
        return _sound(_read(path))
    except (OSError, UnicodeDecodeError):
        return None


def redact_result(path: Path, redactor: Redactor) -> None:
    """The agent's own file stays with the run: without secrets, once nobody writes there."""
    text = take_result(path)
    if text is None or (clean := redactor.redact(text)) == text:
        return
    with suppress(OSError):
        os.unlink(path)
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(clean)


def find_block(message: str) -> str | None:
    """The last fenced `roundtable-result` in it; one that the message ends in may lack its end."""
    blocks = [match["text"] for match in _BLOCK.finditer(message)]
    return _sound(blocks[-1].encode("utf-8", "replace")) if blocks else None


def _sound(raw: bytes) -> str | None:
    """Control characters are no text: escaped in JSON they would make a line that no reader
    takes."""
    text = raw.decode()
    return None if len(raw) > LIMIT or _CONTROL.search(text) else text


def _read(path: Path) -> bytes:
    # Not blocking: the agent may have put a FIFO there.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("no regular file")
        return os.read(descriptor, LIMIT + 1)
    finally:
        os.close(descriptor)
