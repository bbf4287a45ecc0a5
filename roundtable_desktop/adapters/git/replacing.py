"""Puts files into git directories that an agent may have filled with anything."""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp


def write(path: Path, content: bytes) -> None:
    """Whole or not at all. A link that stands there is replaced, never followed."""
    beside = Path(mkdtemp(dir=path.parent))
    (beside / "new").write_bytes(content)
    if path.is_dir() and not path.is_symlink():
        take_away(path)
    os.replace(beside / "new", path)
    beside.rmdir()


def take_away(path: Path) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
