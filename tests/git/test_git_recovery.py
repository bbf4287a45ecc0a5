"""After a killed delivery: the new commit whole, or the old one, and the user's own bytes."""

import os
import shutil
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from git_on_path import path_with_git

from roundtable_desktop.adapters.git import begun
from roundtable_desktop.model.ports import GitFailed

CHANGES = {
    "a.txt": "agent\n" * 50,
    "b.txt": None,
    "new/deep/x.txt": "new\n",
    "dir/c.txt": "agent\n",
}
KILLABLE = ("openat", "unlink", "rename", "write", "mkdir", "close")


class Scene:
    """A delivery that was intended; git may have been killed anywhere in it."""

    def __init__(self, world):
        self.world = world
        world.write({"mine.txt": "mine\n", ".gitignore": "edited\n.env\n"})
        self.old = world.branch_head()
        self.new = world.propose(CHANGES)
        self.intended = datetime.now(UTC)

    def begin(self, files):
        """A merge had begun, and left this; its lock too, when it was killed."""
        begun.begin(str(self.world.repo / ".git"), self.new)
        self.world.write(files)

    def finish(self, intended=None):
        return self.world.git.finish(
            self.world.repository,
            "main",
            old=self.old,
            new=self.new,
            intended_at=intended or self.intended,
        )

    def assert_whole(self, commit):
        world = self.world
        assert world.branch_head() == commit
        assert world.plain("status", "--porcelain") == " M .gitignore\n?? mine.txt"
        assert (world.repo / ".gitignore").read_text() == "edited\n.env\n"
        assert (world.repo / ".env").read_text() == "SECRET=1\n"
        assert list((world.repo / ".git").rglob("*.lock")) == []
        assert list((world.repo / ".git").glob("roundtable*")) == []
        assert (world.repo / "new").exists() == (commit == self.new)

    def deliver_anew(self):
        assert self.world.deliver(self.new).held is None
        self.assert_whole(self.new)


@pytest.fixture
def scene(world):
    return Scene(world)


@pytest.mark.proves("F-07")
def test_what_never_began_may_be_tried_anew(scene):
    assert scene.finish() is None
    scene.assert_whole(scene.old)
    scene.deliver_anew()


@pytest.mark.proves("F-07")
def test_what_is_done_is_delivered_also_with_a_commit_on_top(scene):
    scene.deliver_anew()
    assert scene.finish().held is None
    scene.world.plain("commit", "-q", "--allow-empty", "-m", "on top")
    delivered = scene.finish()
    assert (delivered.held, delivered.moved) == (None, False)


@pytest.mark.proves("F-07")
def test_a_branch_that_went_elsewhere_is_moved(scene):
    scene.world.plain("commit", "-q", "--allow-empty", "-m", "elsewhere")
    assert scene.finish().moved


@pytest.mark.proves("F-07")
def test_a_new_index_needs_only_its_ref(scene):
    scene.deliver_anew()
    scene.world.plain("update-ref", "refs/heads/main", scene.old)
    scene.world.write({".git/refs/heads/main.lock": "", ".git/HEAD.lock": ""})
    delivered = scene.finish()
    assert (delivered.held, delivered.moved) == (None, False)
    scene.assert_whole(scene.new)


@pytest.mark.slow
@pytest.mark.proves("F-07")
@pytest.mark.parametrize("half", [b"", b"agent\nage", b"agent\n" * 50, None])
@pytest.mark.parametrize("lock", [{".git/index.lock": "half an index"}, {}], ids=["KILL", "TERM"])
def test_a_half_written_file_goes_back(scene, half, lock):
    """A git that is told to end takes its lock with it."""
    world = scene.world
    scene.begin({**lock, "new/deep/x.txt": "ne", "a.txt": half})
    (world.repo / "b.txt").unlink()
    assert scene.finish() is None
    scene.assert_whole(scene.old)
    assert (world.repo / "a.txt").read_text() == "a\n"
    scene.deliver_anew()


@pytest.mark.slow
@pytest.mark.proves("F-07")
@pytest.mark.parametrize("path", ["a.txt", "new/deep/x.txt"])
def test_a_byte_of_the_user_holds_it_and_nothing_is_written(scene, path):
    world = scene.world
    scene.begin({".git/index.lock": "", "dir/c.txt": "agent\n"})
    world.write({path: "agent\nand mine\n"})
    before = world.tree(world.repo, ".git/")
    for held in (scene.finish().held, world.deliver(scene.new).held):
        assert (held["code"], held["path"]) == ("path_changed", path)
        assert world.tree(world.repo, ".git/") == before
    world.write({path: "agent\n" if path == "a.txt" else None})
    scene.deliver_anew()


@pytest.mark.proves("F-07")
def test_a_users_own_deletion_is_not_undone_when_git_never_began(scene):
    (scene.world.repo / "a.txt").unlink()
    assert scene.finish() is None
    assert not (scene.world.repo / "a.txt").exists()


@pytest.mark.proves("F-07")
@pytest.mark.parametrize(
    ("path", "mine"),
    [("a.txt", "a"), ("a.txt", ""), ("new/deep/x.txt", ""), ("a.txt", CHANGES["a.txt"])],
)
def test_without_our_sign_no_file_is_taken_for_gits(scene, path, mine):
    """Not one that the user shortened either, nor one with the new bytes: they have seen them."""
    scene.world.write({path: mine})
    assert scene.finish() is None
    assert (scene.world.repo / path).read_text() == mine
    assert scene.world.deliver(scene.new).held["code"] in ("path_changed", "path_in_the_way")
    assert (scene.world.repo / path).read_text() == mine


@pytest.mark.slow
@pytest.mark.proves("F-07")
def test_a_file_in_the_place_of_a_folder_is_the_users(scene):
    """git would remove it to put the folder's old file back."""
    world = scene.world
    scene.begin({"a.txt": "agent\n", "dir/c.txt": None})
    (world.repo / "dir").rmdir()
    world.write({"dir": "mine\n"})
    held = scene.finish().held
    assert (held["code"], held["path"]) == ("path_in_the_way", "dir")
    assert (world.repo / "dir").read_text() == "mine\n"
    assert (world.repo / "a.txt").read_text() == "agent\n"
    (world.repo / "dir").unlink()
    assert scene.finish() is None
    scene.assert_whole(scene.old)


@pytest.mark.proves("F-07", "B-118")
def test_a_lock_that_is_older_than_the_intent_is_the_users(scene):
    lock = scene.world.repo / ".git/index.lock"
    lock.write_text("theirs")
    os.utime(lock, (1, 1))
    held = scene.finish().held
    assert (held["code"], held["file"]) == ("git_locked", str(lock))
    assert lock.read_text() == "theirs"


@pytest.mark.proves("F-07", "B-118")
def test_a_lock_of_the_index_is_the_users_where_no_merge_of_ours_has_begun(scene):
    lock = scene.world.repo / ".git/index.lock"
    lock.write_text("theirs, at this moment")
    assert scene.finish().held["code"] == "git_locked"
    assert lock.read_text() == "theirs, at this moment"


@pytest.mark.slow
@pytest.mark.proves("F-07")
def test_deletions_alone_are_known_for_gits(scene):
    scene.begin({"b.txt": None})
    assert scene.finish() is None
    scene.assert_whole(scene.old)
    scene.deliver_anew()


@pytest.mark.slow
@pytest.mark.proves("F-07")
def test_a_merge_that_only_lacks_a_ref_that_is_refused_is_taken_back(scene, monkeypatch):
    world = scene.world
    scene.deliver_anew()
    world.plain("update-ref", "refs/heads/main", scene.old)
    scene.begin({})
    refused = path_with_git(world.root / "refusing", "update-ref", "echo no >&2; exit 128")
    monkeypatch.setenv("PATH", refused)
    held = scene.finish().held
    assert (held["code"], held["text"]) == ("git_failed", "no")
    scene.assert_whole(scene.old)


@pytest.mark.proves("F-07")
@pytest.mark.parametrize("where", ["on top", "elsewhere"])
def test_what_the_user_committed_over_is_taken_back_only_if_all_of_it_is_ours(scene, where):
    world = scene.world
    scene.begin({"a.txt": "agent\n", "b.txt": None, "new/deep/x.txt": ""})
    if where == "elsewhere":
        world.plain("checkout", "-q", "-b", "other")
    world.plain("commit", "-q", "--allow-empty", "-m", "mine")
    head = world.branch_head("main" if where == "on top" else "other")
    found = scene.finish()
    assert found is None if where == "elsewhere" else found.moved
    assert world.plain("rev-parse", "HEAD") == head
    assert world.plain("status", "--porcelain") == " M .gitignore\n?? mine.txt"


@pytest.mark.proves("F-07")
def test_what_the_user_committed_of_it_stays(scene):
    world = scene.world
    scene.begin({"a.txt": "agent\n" * 50, "b.txt": None})
    world.plain("commit", "-q", "-m", "mine", "a.txt")
    before = world.tree(world.repo, ".git/")
    assert scene.finish().moved
    assert world.tree(world.repo, ".git/") == before
    assert world.plain("diff", "--cached", "--name-only") == ""


@pytest.mark.proves("F-07")
def test_a_users_file_in_a_folder_that_git_began_is_kept(scene):
    world = scene.world
    scene.begin({".git/index.lock": "", "new/deep/x.txt": "new\n", "new/deep/mine.txt": "mine\n"})
    assert scene.finish() is None
    assert not (world.repo / "new/deep/x.txt").exists()
    assert (world.repo / "new/deep/mine.txt").read_text() == "mine\n"


@pytest.mark.proves("F-07")
def test_a_taking_back_that_was_killed_is_taken_up_again(scene):
    """Part of an old file, one missing, one new."""
    scene.begin({"dir/c.txt": "", "new/deep/x.txt": "new\n", "a.txt": None})
    assert scene.finish() is None
    scene.assert_whole(scene.old)


@pytest.mark.slow
@pytest.mark.proves("F-07")
def test_line_ends_links_and_modes_go_back_too(world):
    world.plain("config", "core.autocrlf", "true")
    (world.repo / "link").symlink_to("a.txt")
    world.commit({"run.sh": "x\n"})
    world.write({"a.txt": None, "run.sh": None})
    world.plain("checkout", "-q", "--", "a.txt", "run.sh")
    copy, old = world.make_copy(), world.branch_head()
    (copy / "link").unlink()
    (copy / "link").symlink_to("b.txt")
    (copy / "run.sh").chmod(0o755)
    world.write({"a.txt": "agent\r\nmore\r\n"}, copy)
    new, intended = world.collect().head, datetime.now(UTC)
    begun.begin(str(world.repo / ".git"), new)
    world.write({".git/index.lock": "", "a.txt": "agent\r\nmo"})
    (world.repo / "run.sh").chmod(0o755)
    (world.repo / "link").unlink()
    (world.repo / "link").symlink_to("b.txt")
    repository = world.repository
    assert world.git.finish(repository, "main", old=old, new=new, intended_at=intended) is None
    assert world.plain("status", "--porcelain") == ""
    assert (world.repo / "a.txt").read_bytes() == b"a\r\n"
    assert os.readlink(world.repo / "link") == "a.txt"


@pytest.mark.proves("F-07")
def test_a_branch_that_is_not_checked_out_is_judged_by_its_ref(scene):
    world = scene.world
    world.plain("checkout", "-q", "--detach")
    world.write({".git/refs/heads/main.lock": ""})
    assert scene.finish() is None
    assert not (world.repo / ".git/refs/heads/main.lock").exists()
    world.plain("update-ref", "refs/heads/main", scene.new)
    assert scene.finish().held is None


@pytest.mark.slow
@pytest.mark.proves("F-07")
@pytest.mark.skipif(shutil.which("strace") is None, reason="kills git by strace's injection")
@pytest.mark.parametrize("call", KILLABLE)
def test_git_killed_at_any_call_ends_old_or_new(scene, monkeypatch, call):
    outcomes = []
    for when in (1, 2, 3, 4, 6, 9, 14, 22, 34, 55):
        with monkeypatch.context() as patched:
            patched.setenv("PATH", killing_path(scene.world, call, when))
            with suppress(GitFailed):
                scene.world.deliver(scene.new)
        delivered = scene.finish(scene.intended)
        if delivered is None:
            scene.assert_whole(scene.old)
            outcomes.append("old")
        else:
            assert (delivered.held, delivered.moved) == (None, False)
            scene.assert_whole(scene.new)
            outcomes.append("new")
            break
    assert outcomes[0] == "old"


def killing_path(world, call, when):
    """A git on PATH that dies at the n-th such system call of a merge, with its children."""
    folder = world.root / "killing"
    folder.mkdir(exist_ok=True)
    git, strace = shutil.which("git"), shutil.which("strace")
    trace = (
        f"{strace} -f -qqq -o /dev/null -e trace={call} -e inject={call}:signal=KILL:when={when}"
    )
    program = folder / "git"
    program.write_text(
        f"""#!/bin/sh
for word; do [ "$word" = --ff-only ] && exec {trace} {git} "$@"; done
exec {git} "$@"
"""
    )
    program.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"
