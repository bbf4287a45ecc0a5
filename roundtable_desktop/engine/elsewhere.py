"""A home that lies elsewhere than when it ran last takes its working copies along."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from roundtable_desktop.engine.copied import is_copied
from roundtable_desktop.engine.launching import repository_of
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.ports import Copies, GitFailed
from roundtable_desktop.model.records import Workspace
from roundtable_desktop.model.whereabouts import Whereabouts
from roundtable_desktop.store import copied, workspaces
from roundtable_desktop.store.db import View

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Left:
    """was: the folder of the copies when it ran last. moved: it is there no more."""

    was: Path
    moved: bool
    workspaces: list[Workspace]


def left_elsewhere(view: View, copies: Path, here: Whereabouts) -> Left | None:
    """None: it lies where it lay, or no version that could tell has run here yet."""
    was = copied.lay(view)
    if was is None or was.root == here.root:
        return None
    moved = not is_copied(was, here)
    return Left(Path(was.root, copies.name), moved, workspaces.every(view))


def take_along(git: Copies, copies: Path, left: Left) -> None:
    """In the user's repository a copy is known by its path (S-68): one that is not would be taken
    for a stranger's folder, and its task could never go on. A repository that does not answer
    keeps no start waiting for more than one of its copies."""
    for workspace in left.workspaces:
        above = copies / str(workspace.number)
        try:
            for folder in _folders(above):
                was = left.was / above.name / folder.name
                git.take_along(repository_of(workspace), str(was), str(folder), moved=left.moved)
        except (GitFailed, Refused, OSError) as failed:
            log.warning("copies not taken along workspace=%s why=%s", workspace.id, failed)


def _folders(above: Path) -> Iterable[Path]:
    """Those of which rows may tell: others have a dot in their names."""
    found = sorted(above.iterdir()) if above.is_dir() else []
    return [one for one in found if "." not in one.name and one.is_dir() and not one.is_symlink()]
