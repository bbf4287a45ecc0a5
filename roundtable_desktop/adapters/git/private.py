"""A git directory of our own that borrows the user's objects and nothing else of his."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.room import Room, identity, object_store
from roundtable_desktop.adapters.git.special import plain_bytes, refuse_objects
from roundtable_desktop.model.ports import Repository


@contextmanager
def private_room(
    runner: Runner, repository: Repository, *, commit: str, keeps_objects: bool
) -> Iterator[Room]:
    """No configuration, hook or attribute of any repository is read in here.

    keeps_objects: new objects go to the user's store at once; else they vanish with the room.
    commit: any object name of the repository; its length tells the format. Raises
    GitFailed(`special_file`) of what git reads of the user's objects.
    """
    refuse_objects(object_store(repository))
    with tempfile.TemporaryDirectory(prefix="roundtable-git-") as folder:
        store = object_store(repository)
        lay_out(
            Path(folder),
            config=format_section(commit),
            head="ref: refs/heads/none",
            borrowed=[] if keeps_objects else [store],
            shallow=Path(repository.git_dir, "shallow"),
        )
        yield Room(
            runner=runner,
            git_dir=folder,
            objects=store if keeps_objects else None,
            borrowed=store,
            config=dict(repository.settings),
            identity=identity(repository),
        )


def lay_out(
    git_dir: Path, *, config: str, head: str, borrowed: Sequence[str], shallow: Path
) -> None:
    """What `git init` makes, without a template and without a process."""
    for part in ("objects/info", "objects/pack", "refs/heads", "info"):
        (git_dir / part).mkdir(parents=True)
    (git_dir / "config").write_text(config, errors="surrogateescape")
    (git_dir / "HEAD").write_text(head + "\n")
    if borrowed:
        lines = "".join(f"{alternate(path)}\n" for path in borrowed)
        (git_dir / "objects/info/alternates").write_text(lines, errors="surrogateescape")
    if (known := plain_bytes(shallow, through_links=True)) is not None:
        (git_dir / "shallow").write_bytes(known)


def format_section(commit: str) -> str:
    if len(commit) == 64:
        return section("core", {"repositoryformatversion": "1"}) + section(
            "extensions", {"objectformat": "sha256"}
        )
    return section("core", {"repositoryformatversion": "0"})


def section(name: str, values: Mapping[str, str]) -> str:
    """A part of a configuration file; every value is quoted."""
    lines = (f"\t{key} = {_quoted(value)}\n" for key, value in values.items())
    return f"[{name}]\n" + "".join(lines)


def alternate(path: str) -> str:
    return _quoted(path) if "\n" in path else path


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
