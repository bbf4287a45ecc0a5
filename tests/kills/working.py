"""Work in git, held against the database: each accepted change is kept, each delivery is once."""

import json
import sqlite3
import subprocess
from collections import Counter
from pathlib import Path

from kills.reading import Rows

TRAILER = "%(trailers:key=Roundtable-Run,valueonly,separator=%x2C)"


# A delivered one has a reason only if its branch had the change already.
PROPOSALS = """
SELECT p.*, t.title, (
    SELECT d.reason FROM deliveries AS d WHERE d.proposal_id = p.id AND d.status = 'delivered'
) AS reason
FROM proposals AS p JOIN tasks AS t ON t.id = p.task_id WHERE t.mission_id IS NULL ORDER BY p.id
"""


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True
    )
    return done.stdout


def make_repository(folder: Path, branch: str, files: int = 0) -> None:
    """files: how many small ones; with thousands git is still at work when its owner is dead."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Joan")
    git(folder, "config", "user.email", "joan@example.org")
    (folder / "README.md").write_text("# Campaign\n")
    for number in range(files):
        place = folder / f"d{number % 50}"
        place.mkdir(exist_ok=True)
        (place / f"f{number}.txt").write_text(f"{number}\n" * 20)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    git(folder, "branch", branch)


def faults(home: Path, repository: Path, branch: str) -> list[str]:
    """Proposals without their commit or with another change, deliveries done twice, never, or
    called needless although their change is not there."""
    found = []
    rows = Rows(home)
    proposals = rows.all(PROPOSALS)
    rows.close()
    carried = Counter(
        git(repository, "log", "--first-parent", f"--format={TRAILER}", branch).split()
    )
    refs = git(repository, "for-each-ref", "--format=%(objectname)", "refs/roundtable/proposals")
    kept = set(refs.split())
    for one in proposals:
        if one["head_commit"] not in kept:
            found.append(f"no ref for {one['title']} of run {one['run_id']}")
            continue
        times, reason = carried.pop(one["run_id"], 0), json.loads(one["reason"] or "{}")
        if reason and not _has(repository, branch, reason["commit"], one):
            found.append(f"{reason} and not there: {one['title']}")
        if times != (one["status"] == "delivered" and not reason):
            found.append(f"{one['status']} and on the branch {times} times: {one['title']}")
        changed = git(repository, "diff", "--name-only", one["base_commit"], one["head_commit"])
        if changed.split() != [f"{one['title']}.txt"]:
            found.append(f"{one['title']} changed {changed.split()}")
    found += [f"on the branch, of no proposal: {run}" for run in carried if run]
    found += git(repository, "fsck", "--no-dangling", "--no-progress").splitlines()
    return found


def _has(repository: Path, branch: str, commit: str, proposal: sqlite3.Row) -> bool:
    """Whether the branch came by that commit, and the commit has the proposal's file as it is."""
    file = f"{proposal['title']}.txt"
    theirs, ours = (
        git(repository, "ls-tree", at, file) for at in (commit, proposal["head_commit"])
    )
    passed = git(repository, "log", "--format=%H", branch).split()
    return commit in passed and theirs == ours != ""
