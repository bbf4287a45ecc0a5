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
        # Not blocking: the agent may have put a FIFO there.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        raw = file.read(LIMIT + 1)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    return None if len(raw) > LIMIT or _CONTROL.search(text) else text
