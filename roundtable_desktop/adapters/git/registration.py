"""What is found out about a repository once, when a person registers it."""

import os
from pathlib import Path

from roundtable_desktop.adapters.git.command import OLDEST, Answer, Runner
from roundtable_desktop.adapters.git.room import pairs
from roundtable_desktop.adapters.git.special import refuse_above
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.ports import GitFailed, RepositoryFacts

BYTE_SETTINGS = (
    "core.autocrlf",
    "core.eol",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.filemode",
    "core.symlinks",
    "core.sharedrepository",
)
"""What decides which bytes and modes a file gets; core.excludesfile comes apart."""


def inspect(runner: Runner, user_home: Path, path: str) -> RepositoryFacts:
    """
    1. The folder is there, git is new enough, and would wait for nothing.
    2. It is in a working tree, and that tree holds it (a repository may claim another one).
    3. HEAD is a commit.
    4. Identity and settings, as the user's own git sees them.
    """
    _check_version(runner)
    refuse_above(path)
    look = _Look(runner, user_home, path)
    top, said = look.top(), look.said()
    settings = {name: value for name in BYTE_SETTINGS if (value := said.get(name))}
    if excludes := look.excludes():
        settings["core.excludesfile"] = excludes
    return RepositoryFacts(
        path=top,
        git_dir=look.answer("rev-parse", "--path-format=absolute", "--git-common-dir") or "",
        branch=look.branch(),
        author_name=said.get("user.name", ""),
        author_email=said.get("user.email", ""),
        settings=settings,
    )


def _check_version(runner: Runner) -> None:
    try:
        runner.version()
    except GitFailed as failed:
        needed = ".".join(map(str, OLDEST))
        raise Invalid(failed.code, "/path", found=failed.text, needed=needed) from failed


class _Look:
    """Questions that read configuration and refs only: `rev-parse`, `config`, `symbolic-ref`.

    The one place where git discovers a repository and knows the user's own configuration.
    """

    def __init__(self, runner: Runner, user_home: Path, path: str) -> None:
        self._runner = runner
        self._user_home = user_home
        self._path = path

    def answer(self, *arguments: str) -> str | None:
        answer = self._ask(*arguments)
        if answer.code:
            return None
        return os.fsdecode(answer.out.removesuffix(b"\n"))

    def _ask(self, *arguments: str) -> Answer:
        return self._runner.run(arguments, cwd=self._path, environment=self._users_own())

    def _users_own(self) -> dict[str, str | None]:
        return {
            "HOME": str(self._user_home),
            "XDG_CONFIG_HOME": self._config_home(),
            "GIT_CONFIG_NOSYSTEM": None,
            "GIT_CONFIG_SYSTEM": os.environ.get("GIT_CONFIG_SYSTEM"),
            "GIT_CONFIG_GLOBAL": os.environ.get("GIT_CONFIG_GLOBAL"),
        }

    def _config_home(self) -> str:
        return os.environ.get("XDG_CONFIG_HOME") or f"{self._user_home}/.config"

    def top(self) -> str:
        if not os.path.isdir(self._path):
            raise Invalid("path_missing", "/path")
        kind = self.answer("rev-parse", "--is-bare-repository", "--is-inside-git-dir")
        is_bare, _, is_inside = (kind or "").partition("\n")
        if is_bare == "true":
            raise Invalid("bare_repository", "/path")
        if is_inside == "true":
            raise Invalid("inside_git_dir", "/path")
        top = self.answer("rev-parse", "--show-toplevel")
        if not top or not Path(os.path.realpath(self._path)).is_relative_to(top):
            raise Invalid("not_a_repository", "/path")
        if self.answer("rev-parse", "-q", "--verify", "HEAD^{commit}") is None:
            raise Invalid("no_commit", "/path")
        return top

    def branch(self) -> str | None:
        head = self.answer("symbolic-ref", "-q", "HEAD")
        return head.removeprefix("refs/heads/") if head else None

    def said(self) -> dict[str, str]:
        """Every key by its name, asked once: a process for each would be felt."""
        listed = self._ask("config", "--list", "-z")
        return dict(pairs(listed.out)) if listed.code == 0 else {}

    def excludes(self) -> str:
        """git's default lies in the user's home, which our own calls never see."""
        named = self.answer("config", "--type=path", "--get", "core.excludesfile")
        path = named or f"{self._config_home()}/git/ignore"
        return path if os.path.isfile(path) else ""
