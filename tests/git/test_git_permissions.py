"""What may not be read or written is told, and changes nothing; as a user who is not root."""

import os

import pytest

from roundtable_desktop.model.ports import GitFailed

pytestmark = pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write anything")


@pytest.mark.parametrize("name", ["a.txt", "dir", "fresh"])
def test_what_cannot_be_read_is_a_failure_and_not_a_deletion(world, name):
    world.make_copy()
    world.write({"fresh/x.txt": "x\n"}, world.copy)
    (world.copy / name).chmod(0)
    try:
        with pytest.raises(GitFailed, match="unreadable"):
            world.collect()
    finally:
        (world.copy / name).chmod(0o700)


@pytest.mark.proves("C-107")
@pytest.mark.parametrize("locked", ["dir", ".git", ".git/refs/heads"])
def test_a_folder_that_cannot_be_written_holds_the_delivery(world, locked):
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


def test_a_copy_with_read_only_folders_can_be_dropped(world):
    copy = world.make_copy()
    world.write({"cache/mod/x.go": "x\n"}, copy)
    for name in ("cache/mod", "cache"):
        (copy / name).chmod(0o500 if name == "cache/mod" else 0)
    world.git.drop_copy(world.repository, str(copy))
    assert not copy.exists()
