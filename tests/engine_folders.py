"""Folders of a home, and a user's repository played by plain git."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from begun_repositories import begin

from roundtable_desktop.adapters import home as homes
from roundtable_desktop.adapters.git import HardenedGit
from roundtable_desktop.adapters.runners import artifacts
from roundtable_desktop.adapters.secrets import FileSecrets
from roundtable_desktop.model.artifacts import KeptFile

PERSON = {"user.name": "Joan", "user.email": "joan@example.org"}


class RunFolders:
    """Where the files of runs are kept, as on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep_files(self, run: str, copy: str, paths: Sequence[str]) -> Sequence[KeptFile]:
        (self.folder / run).mkdir(parents=True, exist_ok=True)
        return artifacts.keep(self.folder / run, copy, paths)

    def kept_file(self, run: str, number: int) -> bytes | None:
        return artifacts.kept(self.folder / run, number)


class Folders:
    """A home's folders, and a user's repository with one commit on `main`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.copies, self.repo, self.user = root / "copies", root / "repo", root / "user"
        for folder in (self.copies, self.repo, self.user, root / "empty", root / "secrets"):
            folder.mkdir(mode=0o700)
        words = [part for key, value in PERSON.items() for part in ("-c", f"{key}={value}")]
        self._git = ["git", *words, "-c", "init.defaultBranch=main"]
        (self.user / ".gitconfig").write_text("[user]\n\tname = Joan\n\temail = joan@example.org\n")
        begin(
            self.repo,
            {"a.txt": "a\n"},
            name=PERSON["user.name"],
            email=PERSON["user.email"],
            message="work",
        )
        # Nobody has `main` checked out, so it may be moved.
        self.plain("checkout", "-q", "-b", "elsewhere")

    def plain(self, *words: str) -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.user), "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            [*self._git, *words],
            cwd=self.repo,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout.strip()

    def commit(self) -> str:
        self.plain("add", "-A")
        self.plain("commit", "-q", "-m", "work")
        return self.plain("rev-parse", "HEAD")

    def shown(self, path: str, branch: str = "main") -> str:
        return self.plain("show", f"{branch}:{path}")

    def git(self) -> HardenedGit:
        return HardenedGit(self.root / "empty", self.user)

    def secrets(self) -> FileSecrets:
        return secrets_in(self.root / "secrets")


def secrets_in(folder: Path) -> FileSecrets:
    folder.mkdir(mode=0o700, exist_ok=True)
    return FileSecrets(folder, homes.read_private, homes.write_private)
