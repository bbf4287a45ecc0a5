"""What lies in a home's files, seen from outside."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path


def files_below(folder: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(folder):
        for name in names:
            yield Path(parent, name)


def holders(folder: Path, needles: Sequence[bytes]) -> list[Path]:
    """Files below `folder` that hold any of `needles`."""
    found = []
    for path in files_below(folder):
        with contextlib.suppress(OSError):
            content = path.read_bytes() if path.is_file() else b""
            if any(needle in content for needle in needles):
                found.append(path)
    return found
