"""Takes the agent's own report from its result file, if that is what it should be."""

import os
import re
import stat
from pathlib import Path

LIMIT = 64 * 1024
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def take_result(path: Path) -> str | None:
    """Its text as found. None: absent, a link, no regular file, too big, or no UTF-8 text.

    Control characters are no text: escaped in JSON they would make a line that no reader takes.
    """
    try:
        raw = _read(path)
        text = raw.decode()
    except (OSError, UnicodeDecodeError):
        return None
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
