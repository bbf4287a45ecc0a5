"""The sign that a merge of ours has begun in a checkout: an empty file in its git directory.

git's own `index.lock` is no such sign: a git that is told to end takes it away, and git advises
the user to. This one is made before git starts, and goes when nothing half done is left.
"""

import os
from pathlib import Path

_BEGINNING = "roundtable-delivery-"


def begin(git_dir: str, new: str) -> None:
    """On the disk before anything else is written. Raises OSError, also where something else has
    that name: neither a link nor a pipe is opened."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    os.close(os.open(_sign(git_dir, new), flags, 0o666))
    folder = os.open(git_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def has_begun(git_dir: str, new: str) -> bool:
    sign = _sign(git_dir, new)
    return sign.is_file() and not sign.is_symlink()


def is_over(git_dir: str, new: str) -> None:
    _sign(git_dir, new).unlink(missing_ok=True)


def all_over(git_dir: str) -> None:
    """A delivery has come there: what a held one before left half done is the user's from now on,
    for by then they have worked with it, and nothing is taken back without a sign."""
    for sign in Path(git_dir).glob(f"{_BEGINNING}*"):
        sign.unlink(missing_ok=True)


def _sign(git_dir: str, new: str) -> Path:
    return Path(git_dir, f"{_BEGINNING}{new}")
