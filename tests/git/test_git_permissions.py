"""What may not be read or written is told, and changes nothing; as a user who is not root."""

import os
import shutil
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from git_world import World, begun

from roundtable_desktop.model.ports import GitFailed

NOBODY = 65534


def as_ordinary_user(act: Callable[[World], None]) -> None:
    """In a child that gave up root, if we are root: root may read and write anything. What the
    child needs is imported already; a folder of root's is closed to it, so it has its own."""
    root = Path(tempfile.mkdtemp(prefix="rtg"))
    if os.geteuid():
        try:
            return act(begun(root))
        finally:
            shutil.rmtree(root, ignore_errors=True)
    os.chown(root, NOBODY, NOBODY)
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            act(begun(root))
        except BaseException:
            os.write(tell, traceback.format_exc().encode()[-4000:])
        os._exit(0)
    os.close(tell)
    with open(told) as file:
        failure = file.read()
    os.waitpid(child, 0)
    shutil.rmtree(root)
    assert not failure, failure
    return None


@pytest.mark.parametrize("name", ["a.txt", "dir", "fresh", ".git", "."])
def test_what_cannot_be_read_is_a_failure_and_not_a_deletion(name):
    as_ordinary_user(lambda world: _unreadable(world, name))


def _unreadable(world, name):
    world.make_copy()
    world.write({"fresh/x.txt": "x\n"}, world.copy)
    (world.copy / name).chmod(0)
    try:
        with pytest.raises(GitFailed, match="unreadable"):
            world.collect()
    finally:
        (world.copy / name).chmod(0o700)


@pytest.mark.slow
@pytest.mark.proves("C-107")
@pytest.mark.parametrize("locked", ["dir", ".git", ".git/refs/heads"])
def test_a_folder_that_cannot_be_written_holds_the_delivery(locked):
    as_ordinary_user(lambda world: _unwritable(world, locked))


def _unwritable(world, locked):
    new = world.propose({"a.txt": "agent\n", "dir/c.txt": "agent\n", "new/x.txt": "new\n"})
    before = world.untouched()
    (world.repo / locked).chmod(0o500)
    try:
        held = world.deliver(new).held
    finally:
        (world.repo / locked).chmod(0o700)
    after = world.untouched()
    books = (".git/index", ".git/ORIG_HEAD")
    assert held["code"] == "git_failed"
    assert {name: seen for name, seen in after.items() if name not in books} == {
        name: seen for name, seen in before.items() if name not in books
    }
    assert world.plain("status", "--porcelain") == ""
    assert world.deliver(new).held is None


@pytest.mark.slow
@pytest.mark.proves("K-01")
@pytest.mark.parametrize("name", [".git", ".git/refs", ".git/hooks"])
def test_a_copy_that_its_agent_closed_to_writing_is_moved_all_the_same(name):
    as_ordinary_user(lambda world: _closed(world, name))


def _closed(world, name):
    world.move()
    (world.copy / ".git/hooks").mkdir(exist_ok=True)
    (world.copy / ".git/hooks/post-checkout").write_text("exit 1\n")
    (world.copy / name).chmod(0o500)
    world.commit({"b.txt": "moved on\n"})
    world.move()
    assert (world.copy / "b.txt").read_text() == "moved on\n"
    assert not (world.copy / ".git/hooks").exists()
    assert world.plain("status", "--porcelain", cwd=world.copy) == ""


def test_a_copy_with_read_only_folders_can_be_dropped():
    as_ordinary_user(_read_only)


def _read_only(world):
    copy = world.make_copy()
    world.write({"cache/mod/x.go": "x\n"}, copy)
    for name in ("cache/mod", "cache"):
        (copy / name).chmod(0o500 if name == "cache/mod" else 0)
    world.git.drop_copy(world.repository, str(copy))
    assert not copy.exists()
