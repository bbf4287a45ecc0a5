"""Settles git's conflict marks in a copy without a model: both sides stay, ours before theirs."""

import os
import re
from collections.abc import Iterator

MOST_BYTES = 1 << 20
"""Of a file that is looked into."""
MOST_FILES = 2000
_TOLD = "git's conflict marks"
_OURS, _BASE, _SPLIT, _THEIRS = "<<<<<<<", "|||||||", "=======", ">>>>>>>"
_MARK = re.compile(r"^(<{7}|\|{7}|={7}|>{7})(?: .*)?$")


def is_asked(prompt: str) -> bool:
    """Whether this prompt says that the copy may have them."""
    return _TOLD in " ".join(prompt.split())


def mend(folder: str) -> list[str]:
    """The paths of those files that had marks, and have none now."""
    return [path for path in _files(folder) if _mend(os.path.join(folder, path))]


def _files(folder: str) -> Iterator[str]:
    seen = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            seen += 1
            if seen > MOST_FILES:
                return
            yield os.path.relpath(os.path.join(place, name), folder)


def _mend(path: str) -> bool:
    try:
        if os.path.islink(path) or os.path.getsize(path) > MOST_BYTES:
            return False
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
    except (OSError, ValueError):
        return False
    settled = both(text)
    if settled is None:
        return False
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(settled)
    return True


def both(text: str) -> str | None:
    """None where there are no marks, or they are not whole."""
    kept: list[str] = []
    side = ""
    found = False
    for line in text.splitlines(keepends=True):
        marked = _MARK.match(line.rstrip("\r\n"))
        mark = marked[1] if marked else ""
        if mark == _OURS and not side:
            side, found = _OURS, True
        elif (mark == _BASE and side == _OURS) or (mark == _SPLIT and side in (_OURS, _BASE)):
            side = mark
        elif mark == _THEIRS and side == _SPLIT:
            side = ""
        elif side != _BASE:
            kept.append(line)
    return "".join(kept) if found and not side else None
