"""Repositories with their first commit, made once by each worker and then copied."""

import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

Files = Mapping[str, str]


def begin(at: Path, files: Files, *, name: str, email: str, message: str) -> None:
    """As `git init`, `add -A` and `commit` leave it on `main`, its hooks' samples left out."""
    made = _made(tuple(files.items()), name, email, message)
    shutil.copytree(Path(made.name, "repo"), at, symlinks=True, dirs_exist_ok=True)
    # The copies are other files than those that the index saw: git would read each again.
    _git(at, "update-index", "-q", "--refresh")


@functools.cache
def _made(
    files: tuple[tuple[str, str], ...], name: str, email: str, message: str
) -> "tempfile.TemporaryDirectory[str]":
    """Kept until the worker ends."""
    place = tempfile.TemporaryDirectory(prefix="rtbegun")
    os.chmod(place.name, 0o755)  # also for a test that gives up root
    root = Path(place.name, "repo")
    root.mkdir()
    _git(root, "init", "-q", "-b", "main")
    for sample in (root / ".git/hooks").glob("*.sample"):
        sample.unlink()
    for file, content in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(content)
    _git(root, "add", "-A")
    _git(
        root, "-c", f"user.name={name}", "-c", f"user.email={email}", "commit", "-q", "-m", message
    )
    return place


def _git(at: Path, *words: str) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": os.devnull, "LC_ALL": "C.UTF-8"}
    subprocess.run(["git", *words], cwd=at, env=environment, check=True, timeout=60)
