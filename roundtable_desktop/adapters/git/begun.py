"""The sign that a merge of ours has begun in a checkout: an empty file in its git directory.

git's own `index.lock` is no such sign: a git that is told to end takes it away, and git advises
the user to. This one is made before git starts, and goes when nothing half done is left.
"""

import os
from pathlib import Path

_BEGINNING = "roundtable-delivery-"


def begin(git_dir: str, new: str) -> None:
    """On the disk before anything else is written. Raises OSError."""
    _sign(git_dir, new).touch()
    folder = os.open(git_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def has_begun(git_dir: str, new: str) -> bool:
    return _sign(git_dir, new).is_file()


def is_over(git_dir: str, new: str) -> None:
    _sign(git_dir, new).unlink(missing_ok=True)


def all_over(git_dir: str) -> None:
    """A delivery has come there: what a held one before left half done is the user's from now on,
    for by then they have worked with it, and nothing is taken back without a sign."""
    for sign in Path(git_dir).glob(f"{_BEGINNING}*"):
        sign.unlink(missing_ok=True)


def _sign(git_dir: str, new: str) -> Path:
    return Path(git_dir, f"{_BEGINNING}{new}")
