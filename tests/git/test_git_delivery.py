"""A delivery touches no byte that is not the old commit's, in any state of the checkout."""

import os
import shlex
import shutil
import subprocess

import pytest

from roundtable_desktop.adapters.git import delivery
from roundtable_desktop.model.ports import GitFailed

CHANGES = {"a.txt": "agent\n", "b.txt": None, "new/x.txt": "new\n"}


def assert_nothing_written(world, before, delivered, code):
    assert delivered.held is not None
    assert delivered.held["code"] == code
    assert world.untouched() == before
    return delivered.held


@pytest.mark.proves("C-107")
def test_a_clean_checkout_gets_the_commit(world):
    new = world.propose(CHANGES)
    assert world.deliver(new).held is None
    assert world.branch_head() == new
    assert world.plain("status", "--porcelain") == ""
    assert (world.repo / "new/x.txt").read_text() == "new\n"
    assert not (world.repo / "b.txt").exists()
    assert (world.repo / ".env").read_text() == "SECRET=1\n"


@pytest.mark.proves("C-107", "B-122")
def test_edits_elsewhere_stay_byte_for_byte_staged_or_not(world):
    new = world.propose(CHANGES)
    world.write({"dir/c.txt": "staged\n", "mine.txt": "untracked\n", "both.txt": "staged\n"})
    world.plain("add", "dir/c.txt", "both.txt")
    world.write({"both.txt": "staged, then edited\n", ".gitignore": "edited\n"})
    status = world.plain("status", "--porcelain", "--", "dir", "mine.txt", "both.txt", ".gitignore")
    names = ("dir/c.txt", "mine.txt", "both.txt", ".gitignore", ".env")
    mine = {name: (world.repo / name).read_bytes() for name in names}
    staged = world.plain("ls-files", "-s", "dir/c.txt", "both.txt")
    assert world.deliver(new).held is None
    assert world.branch_head() == new
    assert mine == {name: (world.repo / name).read_bytes() for name in names}
    assert world.plain("ls-files", "-s", "dir/c.txt", "both.txt") == staged
    after = world.plain("status", "--porcelain", "--", "dir", "mine.txt", "both.txt", ".gitignore")
    assert after == status


@pytest.mark.proves("C-107", "B-122")
@pytest.mark.parametrize(
    ("edit", "stage"), [({"a.txt": "mine\n"}, False), ({"a.txt": "mine\n"}, True),
                        ({"a.txt": None}, False), ({"b.txt": "mine\n"}, False)],
)  # fmt: skip
def test_an_edit_of_a_touched_path_holds_it(world, edit, stage):
    new = world.propose(CHANGES)
    world.write(edit)
    if stage:
        world.plain("add", "-u")
    before = world.untouched()
    held = assert_nothing_written(world, before, world.deliver(new), "path_changed")
    assert held["path"] in edit
    assert shlex.split(held["command"]) == [
        "git", "-C", str(world.repo), "merge", "--ff-only", "--no-overwrite-ignore", new,
    ]  # fmt: skip


@pytest.mark.proves("C-107")
def test_an_edit_of_the_same_size_and_time_is_seen(world):
    new = world.propose(CHANGES)
    path = world.repo / "a.txt"
    then = path.stat()
    path.write_text("b\n")
    os.utime(path, ns=(then.st_atime_ns, then.st_mtime_ns))
    world.plain("update-index", "--assume-unchanged", "b.txt")
    world.plain("update-index", "--no-assume-unchanged", "b.txt")
    before = world.untouched()
    assert_nothing_written(world, before, world.deliver(new), "path_changed")


@pytest.mark.proves("C-107")
@pytest.mark.parametrize("path", [".env", "new/x.txt", "build/out.js"])
def test_a_file_in_the_way_is_never_overwritten_not_even_an_ignored_one(world, path):
    copy = world.make_copy()
    world.write({path: "agent\n"}, copy)
    world.plain("add", "-f", path, cwd=copy)
    new = world.collect().head
    world.write({path: "mine\n"})
    before = world.untouched()
    held = assert_nothing_written(world, before, world.deliver(new), "path_in_the_way")
    assert held["path"] == path
    assert (world.repo / path).read_text() == "mine\n"


@pytest.mark.proves("C-107")
def test_a_file_above_and_a_folder_below_are_in_the_way(world):
    new = world.propose({"way/x.txt": "x\n"}, "one")
    world.write({"way": "mine\n"})
    before = world.untouched()
    assert_nothing_written(world, before, world.deliver(new), "path_in_the_way")
    (world.repo / "way").unlink()
    world.write({"dir/.env": "SECRET=2\n"})
    copy = world.root / "copies" / "two"
    world.make_copy(at=copy)
    world.write({"dir/c.txt": None}, copy)
    (copy / "dir").rmdir()
    world.write({"dir": "now a file\n"}, copy)
    new = world.collect(ref="refs/roundtable/proposals/two", copy=copy).head
    before = world.untouched()
    held = assert_nothing_written(world, before, world.deliver(new), "path_in_the_way")
    assert held["path"] == "dir/.env"


@pytest.mark.proves("C-107")
def test_folders_and_files_change_places_in_a_checkout(world):
    copy = world.make_copy()
    world.write({"dir/c.txt": None, "a.txt": None}, copy)
    (copy / "dir").rmdir()
    world.write({"dir": "file\n", "a.txt/deep": "x\n"}, copy)
    new = world.collect().head
    assert world.deliver(new).held is None
    assert world.plain("status", "--porcelain") == ""


@pytest.mark.proves("C-107")
@pytest.mark.parametrize("mark", ["--assume-unchanged", "--skip-worktree"])
def test_a_marked_path_holds_it(world, mark):
    new = world.propose(CHANGES)
    world.plain("update-index", mark, "a.txt")
    before = world.untouched()
    held = assert_nothing_written(world, before, world.deliver(new), "path_marked")
    assert held["path"] == "a.txt"


@pytest.mark.proves("C-107")
def test_a_symlinked_folder_holds_it(world):
    new = world.propose({"dir/c.txt": "agent\n"})
    elsewhere = world.root / "elsewhere"
    (world.repo / "dir").rename(elsewhere)
    (world.repo / "dir").symlink_to(elsewhere)
    before = world.untouched()
    assert_nothing_written(world, before, world.deliver(new), "symlinked_folder")
    assert (elsewhere / "c.txt").read_text() == "c\n"


@pytest.mark.proves("C-107")
def test_a_filtered_path_holds_it_also_when_the_commit_brings_the_filter(world):
    new = world.propose({".gitattributes": "*.bin filter=lfs\n", "x.bin": "raw\n"})
    before = world.untouched()
    held = assert_nothing_written(world, before, world.deliver(new), "filter")
    assert (held["filter"], held["path"]) == ("lfs", "x.bin")


@pytest.mark.proves("C-107")
def test_a_submodule_holds_it(world):
    copy = world.make_copy()
    world.plain("init", "-q", str(copy / "sub"), cwd=copy)
    world.commit({"y.txt": "y\n"}, copy / "sub")
    world.commit({"a.txt": "agent\n"}, copy)
    new = world.collect().head
    before = world.untouched()
    assert_nothing_written(world, before, world.deliver(new), "submodule")


@pytest.mark.proves("C-107")
@pytest.mark.parametrize(
    "name", ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge",
             "rebase-apply", "sequencer", "index.lock"],
)  # fmt: skip
def test_a_busy_git_goes_first(world, name, monkeypatch):
    monkeypatch.setattr(delivery, "LOCK_SECONDS", 0.2)
    new = world.propose(CHANGES)
    world.write({f".git/{name}": ""})
    before = world.untouched()
    code = "git_locked" if name == "index.lock" else "git_busy"
    held = assert_nothing_written(world, before, world.deliver(new), code)
    assert held["file"] == str(world.repo / ".git" / name)


@pytest.mark.proves("C-107")
def test_a_rebase_of_the_branch_in_progress_holds_it(world):
    world.plain("branch", "side")
    world.commit({"a.txt": "main\n"})
    world.plain("switch", "-q", "side")
    old = world.commit({"a.txt": "side\n"})
    world.plain("rebase", "main", check=False)
    before = world.untouched()
    moved = world.plain("commit-tree", f"{old}^{{tree}}", "-p", old, "-m", "x")
    held = assert_nothing_written(world, before, world.deliver(moved, branch="side"), "git_busy")
    assert held["file"] == "rebase-merge/head-name"


@pytest.mark.proves("C-107")
def test_a_branch_that_is_checked_out_nowhere_moves_by_its_ref(world):
    new = world.propose(CHANGES)
    world.plain("branch", "dev")
    before = world.untouched()
    assert world.deliver(new, branch="dev", into=False).held is None
    assert world.branch_head("dev") == new
    assert world.tree(world.repo, ".git/") == {
        name: seen for name, seen in before.items() if not name.startswith((".git/", "refs"))
    }


@pytest.mark.proves("C-107")
def test_a_detached_head_does_not_hold_the_branch(world):
    new = world.propose(CHANGES)
    world.plain("checkout", "-q", "--detach")
    assert world.deliver(new).held is None
    assert world.branch_head() == new
    assert (world.repo / "a.txt").read_text() == "a\n"


@pytest.mark.proves("C-107", "B-121")
def test_a_linked_worktree_is_delivered_into_where_it_is(world):
    new = world.propose(CHANGES)
    linked = world.root / "linked"
    world.plain("worktree", "add", "-q", "-b", "dev", str(linked))
    (linked / "dir/c.txt").write_text("dirty\n")
    assert world.deliver(new, branch="dev").held is None
    assert (linked / "a.txt").read_text() == "agent\n"
    assert world.plain("status", "--porcelain", cwd=linked) == " M dir/c.txt"
    assert (world.repo / "a.txt").read_text() == "a\n"


@pytest.mark.proves("C-107", "B-119")
def test_a_worktree_whose_folder_is_gone_does_not_hold_the_branch(world):
    new = world.propose(CHANGES)
    linked = world.root / "linked"
    world.plain("worktree", "add", "-q", "-b", "dev", str(linked))
    linked.rename(world.root / "away")
    assert world.deliver(new, branch="dev", into=False).held is None
    assert world.branch_head("dev") == new


@pytest.mark.proves("C-107")
def test_a_checked_out_branch_is_held_when_nobody_pressed_deliver(world):
    new = world.propose(CHANGES)
    before = world.untouched()
    held = assert_nothing_written(world, before, world.deliver(new, into=False), "checked_out")
    assert held["path"] == str(world.repo)


@pytest.mark.proves("C-107")
def test_a_branch_checked_out_twice_is_held(world):
    new = world.propose(CHANGES)
    world.plain("worktree", "add", "-q", "--force", str(world.root / "twice"), "main")
    before = world.untouched()
    assert_nothing_written(world, before, world.deliver(new), "checked_out_twice")


@pytest.mark.proves("C-107")
def test_a_moved_a_missing_and_a_delivered_branch_are_told_apart(world):
    old, new = world.branch_head(), world.propose(CHANGES)
    assert world.deliver(new, old=old, branch="gone").held == {"code": "branch_missing"}
    assert world.deliver(new, old=old).held is None
    assert world.deliver(new, old=old).held is None
    world.commit({"a.txt": "moved on\n"})
    assert world.deliver(new, old=old).moved


def test_a_commit_that_does_not_descend_is_a_fault(world):
    new = world.propose(CHANGES)
    old = world.commit({"dir/c.txt": "moved on\n"})
    with pytest.raises(GitFailed, match="not_a_fast_forward"):
        world.deliver(new, old=old)


@pytest.mark.proves("C-107", "F-07")
def test_a_locked_ref_is_held_and_nothing_is_written(world):
    new = world.propose(CHANGES)
    world.write({".git/refs/heads/main.lock": ""})
    before = world.untouched()
    held = assert_nothing_written(world, before, world.deliver(new), "git_failed")
    assert "main.lock" in held["text"]


@pytest.mark.proves("C-108")
def test_a_delivery_needs_no_identity(world):
    new = world.propose(CHANGES)
    (world.user_home / ".gitconfig").write_text("")
    assert world.deliver(new).held is None
    assert world.plain("status", "--porcelain") == ""


@pytest.mark.slow
@pytest.mark.proves("B-123")
def test_parallel_proposals_are_brought_one_after_the_other(world):
    base = world.branch_head()
    one = world.propose({"a.txt": "one\n"}, "one")
    two = world.propose({"dir/c.txt": "two\n"}, "two")
    first = world.prepare(base, one)
    assert (first.old, first.new) == (base, one)
    assert world.deliver(first.new).held is None
    second = world.prepare(base, two)
    assert world.prepare(base, two) == second
    assert world.plain("log", "-1", "--format=%P %an %s", second.new) == f"{one} Ada Lovelace Do it"
    assert world.deliver(second.new, old=second.old).held is None
    assert (world.repo / "a.txt").read_text() + (
        world.repo / "dir/c.txt"
    ).read_text() == "one\ntwo\n"
    assert world.prepare(base, two).new == world.branch_head()


@pytest.mark.proves("A-26")
def test_a_branch_that_is_joined_keeps_its_history_behind_one_commit(world):
    base = world.branch_head()
    one = world.propose({"a.txt": "one\n"}, "one")
    joined = world.prepare(base, one, joins=True)
    said = world.plain("log", "-1", "--format=%P %an %s", joined.new)
    assert said == f"{base} {one} Ada Lovelace Do it", "also where it could be moved on"
    assert world.plain("diff", "--stat", one, joined.new) == ""
    moved = world.commit({"dir/c.txt": "meanwhile\n"})
    later = world.prepare(base, one, joins=True)
    assert world.plain("log", "-1", "--format=%P", later.new) == f"{moved} {one}"
    assert world.deliver(later.new, old=moved).held is None
    assert (world.repo / "a.txt").read_text() == "one\n"
    assert (world.repo / "dir/c.txt").read_text() == "meanwhile\n"
    assert world.prepare(base, one, joins=True).new == later.new, "nothing is left to join"


@pytest.mark.proves("B-123")
def test_a_conflict_names_its_paths_and_changes_nothing(world):
    base = world.branch_head()
    one, two = (world.propose({"a.txt": f"{n}\n", "ü.txt": f"{n}\n"}, n) for n in ("one", "two"))
    world.deliver(one)
    before = world.untouched()
    prepared = world.prepare(base, two)
    assert (prepared.new, prepared.conflicts) == (None, ("a.txt", "ü.txt"))
    assert world.untouched() == before


def test_a_missing_commit_is_a_failure_and_no_conflict(world):
    base = world.branch_head()
    world.commit({"a.txt": "moved on\n"})
    with pytest.raises(GitFailed, match="commit_missing"):
        world.prepare(base, "1" * 40)


@pytest.mark.proves("C-107")
def test_line_ends_are_the_users_after_a_delivery(world):
    world.plain("config", "core.autocrlf", "true")
    for name in ("a.txt", "b.txt"):
        (world.repo / name).unlink()
    world.plain("checkout", "-q", "-f", "HEAD", "--", ".")
    new = world.propose({"a.txt": "agent\r\n"})
    assert world.deliver(new).held is None
    assert (world.repo / "a.txt").read_bytes() == b"agent\r\n"
    assert world.plain("show", "HEAD:a.txt") == "agent"


def test_the_command_of_a_held_delivery_does_it_by_hand(world):
    new = world.propose(CHANGES)
    command = world.deliver(new, into=False).held["command"]
    subprocess.run(shlex.split(command), check=True, capture_output=True)
    assert world.branch_head() == new


@pytest.mark.slow
@pytest.mark.proves("C-107", "F-07")
def test_a_merge_that_fails_half_way_is_taken_back(world, monkeypatch):
    """Another program locks the ref between our look and the merge, which ends with it."""
    new = world.propose(CHANGES)
    shim(world, monkeypatch, "echo > .git/refs/heads/main.lock")
    before = world.untouched()
    delivered = world.deliver(new)
    (world.repo / ".git/refs/heads/main.lock").unlink()
    after = {name: seen for name, seen in world.untouched().items() if name not in BOOKS}
    assert delivered.held["code"] == "git_failed"
    assert after == {name: seen for name, seen in before.items() if name not in BOOKS}
    assert world.plain("status", "--porcelain") == ""
    assert world.deliver(new).held["code"] == "git_failed"  # the shim is still there


BOOKS = (".git/index", ".git/ORIG_HEAD", ".git/logs/HEAD")


def shim(world, monkeypatch, before_a_merge):
    """A git on PATH that does something just before it merges."""
    folder = world.root / "shim"
    program = folder / "git"
    folder.mkdir()
    program.write_text(
        f"""#!/bin/sh
for word; do [ "$word" = --ff-only ] && {before_a_merge}; done
exec {shutil.which("git")} "$@"
"""
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
