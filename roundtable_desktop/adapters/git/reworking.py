"""Work that no longer fits its branch, put on top of it in its copy, for its agent to settle."""

from collections.abc import Mapping
from datetime import datetime

from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.history import write_commit
from roundtable_desktop.adapters.git.merging import merged_tree
from roundtable_desktop.adapters.git.moving import begin_head, move_copy
from roundtable_desktop.adapters.git.names import check_commit
from roundtable_desktop.adapters.git.private import private_room
from roundtable_desktop.model.ports import GitFailed, Repository

MESSAGE = "Work that is to be brought onto the branch anew\n"


def rework_copy(
    runner: Runner,
    repository: Repository,
    folder: str,
    *,
    base: str,
    head: str,
    onto: str,
    at: datetime,
    refs: Mapping[str, str],
    linked: bool = False,
) -> None:
    """
    1. Merge base…head onto the commit, with git's marks where both changed the same lines.
    2. Move the copy there; what git does not know in it stays.
    3. Its HEAD is the branch's commit: what the agent has to settle are its own changes to that.

    The copy holds what `head` has and nothing that was not collected. Killed on the way it is done
    again from the start.
    """
    with private_room(runner, repository, commit=base, keeps_objects=True) as room:
        for side in (base, head, onto):
            if room.commit(check_commit(side)) is None:
                raise GitFailed("commit_missing", side)
        tree = merged_tree(room, base, onto, head)
        marked = write_commit(room, tree, onto, MESSAGE, at)
    move_copy(runner, repository, folder, marked, refs, linked=linked)
    begin_head(runner, repository, folder, onto)
