"""Where a git of ours works: always a named git directory, never one that git finds by itself."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import IO

from roundtable_desktop.adapters.git.command import OUTPUT_BYTES, SECONDS, Answer, Runner
from roundtable_desktop.adapters.git.programs import overrides
from roundtable_desktop.adapters.git.special import common_of, refuse, refuse_closely
from roundtable_desktop.model.ports import GitFailed, Repository

LONG = 600.0  # seconds; for what reads or writes a whole tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """One git directory with the tree, index and objects that are used with it.

    config: what we tell git. said: what the repository's own configuration was found to say.
    borrowed: objects of the user's, where the git directory is our own.
    """

    runner: Runner
    git_dir: str
    work_tree: str | None = None
    index: str | None = None
    objects: str | None = None
    borrowed: str | None = None
    config: dict[str, str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    identity: dict[str, str] = field(default_factory=dict)

    def ask(
        self,
        *arguments: str,
        feed: bytes | IO[bytes] = b"",
        limit: int = OUTPUT_BYTES,
        seconds: float = SECONDS,
    ) -> Answer:
        """Any exit code is an answer."""
        return self.runner.run(
            arguments,
            cwd=self.work_tree or self.git_dir,
            environment=self._variables(),
            config=self.config,
            feed=feed,
            limit=limit,
            seconds=seconds,
            suspect=self._suspect,
        )

    def _suspect(self) -> None:
        """Raises GitFailed(`special_file`) for what this git may be waiting for."""
        places = [Path(self.git_dir), common_of(self.git_dir)]
        places += [Path(one).parent for one in (self.objects, self.borrowed) if one]
        refuse_closely(places, self.work_tree)

    def tell(
        self, *arguments: str, feed: bytes | IO[bytes] = b"", seconds: float = SECONDS
    ) -> bytes:
        """Must go well; its whole output."""
        answer = self.ask(*arguments, feed=feed, seconds=seconds)
        if answer.code:
            raise answer.failure()
        if not answer.whole:
            raise GitFailed("output_too_large")
        return answer.out

    def word(self, *arguments: str, feed: bytes = b"") -> str:
        return self.tell(*arguments, feed=feed).decode(errors="surrogateescape").rstrip("\n")

    def commit(self, name: str) -> str | None:
        """The commit that a full ref or object name means now."""
        answer = self.ask("rev-parse", "-q", "--verify", "--end-of-options", f"{name}^{{commit}}")
        return answer.out.decode().strip() if answer.code == 0 else None

    def at(self, moment: datetime) -> "Room":
        """The same place with the date of a commit that is the same whenever it is made."""
        date = f"@{int(moment.timestamp())} +0000"
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        return replace(self, identity=self.identity | dates)

    def with_index(self, index: str) -> "Room":
        """The same place with an index of ours, which must leave nothing in the git directory."""
        plain = {
            "core.splitindex": "false",
            "core.untrackedcache": "false",
            "index.sparse": "false",
        }
        return replace(self, index=index, config=self.config | plain)

    def with_tree(self, work_tree: str) -> "Room":
        return replace(self, work_tree=work_tree)

    def with_objects(self, objects: str) -> "Room":
        return replace(self, objects=objects)

    def _variables(self) -> dict[str, str | None]:
        return {
            **self.identity,
            "GIT_DIR": self.git_dir,
            "GIT_WORK_TREE": self.work_tree,
            "GIT_INDEX_FILE": self.index,
            "GIT_OBJECT_DIRECTORY": self.objects,
        }


def identity(repository: Repository) -> dict[str, str]:
    """The user's own name on whatever is committed; none is invented (C-108)."""
    if not repository.author_name or not repository.author_email:
        return {}
    return {
        "GIT_AUTHOR_NAME": repository.author_name,
        "GIT_AUTHOR_EMAIL": repository.author_email,
        "GIT_COMMITTER_NAME": repository.author_name,
        "GIT_COMMITTER_EMAIL": repository.author_email,
    }


def users_room(
    runner: Runner,
    repository: Repository,
    *,
    git_dir: str | None = None,
    work_tree: str | None = None,
) -> Room:
    """The user's repository, or one of its checkouts, with every program key of it pinned.

    Its keys are read anew for each use, with what it includes: a cache would have to know all
    the files that an include can reach. Raises GitFailed(`special_file`) before git could wait for
    one.
    """
    place, tree = git_dir or repository.git_dir, work_tree or repository.path
    refuse(repository.git_dir, repository.path)
    if place != repository.git_dir:
        refuse(place, tree)
    room = Room(
        runner=runner,
        git_dir=place,
        work_tree=tree,
        config=dict(repository.settings),
        identity=identity(repository),
    )
    said = dict(pairs(room.tell("config", "--list", "--includes", "-z")))
    return replace(room, said=said, config=room.config | overrides(said))


def pairs(listed: bytes) -> Iterable[tuple[str, str]]:
    """What `git config --list -z` says. Of a key that is said twice the last one counts, as with
    `git config --get`."""
    for word in listed.split(b"\0")[:-1]:
        key, _, value = word.decode(errors="surrogateescape").partition("\n")
        yield key, value


def object_store(repository: Repository) -> str:
    return str(Path(repository.git_dir, "objects"))
