"""The branches that the product makes for the work of missions; none of them is moved here."""

from pathlib import Path

from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.names import check_branch, check_commit
from roundtable_desktop.adapters.git.room import users_room
from roundtable_desktop.model.ports import GitFailed, Repository

OURS = "roundtable/m/"
"""Nobody but the product writes there: a lock that is found was left by a git that was killed."""
_NONE = ""
"""Not there yet, in a repository of either kind of object names."""


def begin_branch(runner: Runner, repository: Repository, branch: str, commit: str) -> str:
    if not branch.startswith(OURS):
        raise GitFailed("bad_ref")
    room = users_room(runner, repository)
    ref = check_branch(branch)
    words = ("update-ref", "--no-deref", "-m", "roundtable", ref, check_commit(commit), _NONE)
    if room.ask(*words).code == 0:
        return commit
    found = room.commit(ref)
    if found is not None:
        return found
    lock = Path(room.git_dir, f"{ref}.lock")
    if lock.is_file():  # no folder is there where a branch has the name of one
        lock.unlink(missing_ok=True)
    room.tell(*words)
    return commit
