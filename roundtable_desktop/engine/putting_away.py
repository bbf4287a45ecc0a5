"""Moves a working copy that no row explains out of the way; nothing of it is ever removed."""

import itertools
import os
from pathlib import Path

BEFORE = ".before-"
"""In its name then. Whatever has a dot in its name is left alone by retention."""


def put_away(folder: Path, stamp: str) -> Path:
    """Beside where it was, under a name that is free."""
    names = itertools.chain([""], (f"-{count}" for count in itertools.count(2)))
    free = (folder.with_name(f"{folder.name}{BEFORE}{stamp}{name}") for name in names)
    target = next(one for one in free if not os.path.lexists(one))
    os.rename(folder, target)
    return target
