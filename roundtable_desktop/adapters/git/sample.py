"""A small repository for practice, and what its branch says afterwards."""

from collections.abc import Mapping
from pathlib import Path

from roundtable_desktop.adapters.git.command import Runner

AUTHOR = {"user.name": "Practice", "user.email": "practice@localhost"}


def make_sample(runner: Runner, folder: Path, files: Mapping[str, str]) -> None:
    """`folder` must not exist; it becomes a repository with one commit on `main`."""
    folder.mkdir(mode=0o700, parents=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    _tell(runner, folder, "init", "--quiet", "--initial-branch=main", "--template=")
    for key, value in AUTHOR.items():
        _tell(runner, folder, "config", "--local", key, value)
    _tell(runner, folder, "add", "--all")
    _tell(runner, folder, "commit", "--quiet", "--message=Begin")


def messages(runner: Runner, folder: Path, branch: str) -> list[str]:
    """Of all commits that the branch has, newest first."""
    listed = _tell(runner, folder, "log", "-z", "--format=%B", f"refs/heads/{branch}", "--")
    return [one.strip() for one in listed.split("\0") if one.strip()]


def text_of(runner: Runner, folder: Path, branch: str, path: str) -> str | None:
    """Of a file as the branch has it; None where it has none."""
    answer = runner.run(("cat-file", "blob", f"refs/heads/{branch}:{path}"), cwd=folder)
    return None if answer.code else answer.out.decode(errors="replace")


def changed(runner: Runner, folder: Path) -> list[str]:
    """What is changed in the working tree and not committed, as `git status --porcelain` has it."""
    return _tell(runner, folder, "status", "--porcelain", "--untracked-files=all").splitlines()


def _tell(runner: Runner, folder: Path, *arguments: str) -> str:
    answer = runner.run(arguments, cwd=folder, config=AUTHOR)
    if answer.code:
        raise answer.failure()
    return answer.out.decode(errors="replace")
