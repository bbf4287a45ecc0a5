"""Somebody switches branches between our look at a checkout and the merge there."""

import pytest
from git_on_path import path_with_git

CHANGES = {"a.txt": "agent\n", "b.txt": None, "new/x.txt": "new\n"}


@pytest.mark.slow
@pytest.mark.proves("C-107", "F-07")
@pytest.mark.parametrize(
    ("switch", "head"),
    [
        ("switch -q --detach", None),
        ("switch -q -c other", "refs/heads/other"),
        ("switch -q behind", "refs/heads/behind"),
    ],
)
def test_no_other_branch_is_moved(world, monkeypatch, switch, head):
    world.plain("branch", "behind")
    base = world.branch_head("behind")
    old = world.commit({"a.txt": "more\n", "dir/c.txt": "more\n", "b.txt": "more\n"})
    new = world.propose(CHANGES)
    theirs = f"env -i PATH=/usr/bin:/bin HOME={world.user_home} git -C {world.repo} {switch}"
    meanwhile = f'[ "$1" = --no-pager ] && {theirs}'
    monkeypatch.setenv("PATH", path_with_git(world.root / "shim", "--ff-only", meanwhile))
    assert world.deliver(new).moved
    assert world.branch_head() == old
    assert world.plain("rev-parse", "HEAD") == (base if "behind" in switch else old)
    assert (world.plain("symbolic-ref", "-q", "HEAD", check=False) or None) == head
    assert world.plain("status", "--porcelain") == ""
    assert not list((world.repo / ".git").glob("roundtable*"))
    monkeypatch.undo()
    assert world.deliver(new).held is None  # by its ref alone
    assert world.branch_head() == new
    assert world.plain("status", "--porcelain") == ""


@pytest.mark.proves("C-107")
def test_a_branch_with_odd_letters_is_moved(world):
    branch = "mine/ü-#1"
    world.plain("switch", "-q", "-c", branch)
    new = world.propose(CHANGES)
    assert world.deliver(new, branch=branch).held is None
    assert world.branch_head(branch) == new
