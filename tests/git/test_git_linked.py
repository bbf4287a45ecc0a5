"""Linked working trees: what an agent has there, and what never happens."""

import itertools
import os
import shutil
import signal
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from git_watched import RUN, by_agent, moved, put_back
from git_world import AT, REF, World
from test_git_hostile import ATTRIBUTES, TRICKS, Trap

from roundtable_desktop.model.ports import GitFailed


@pytest.mark.proves("C-100 worktree")
def test_a_linked_tree_has_the_users_refs_at_a_detached_head(world: World) -> None:
    world.plain("config", "core.autocrlf", "false")
    world.write({".git/info/attributes": "*.txt text eol=crlf\n"})
    before = world.untouched()
    copy = world.make_copy(linked=True)
    mine, theirs = world.tree(world.repo, ".git/"), world.tree(copy)
    assert {name for name, seen in theirs.items() if mine.get(name) != seen} == {".git"}
    assert mine.keys() - theirs.keys() == {".env"}
    assert world.plain("rev-parse", "HEAD", "main", cwd=copy).split() == [world.branch_head()] * 2
    assert world.plain("branch", "--show-current", cwd=copy) == ""
    assert stat.S_IMODE(copy.stat().st_mode) == 0o700
    named = [path for path in world.untouched() if path not in before]
    assert all(name.startswith(".git/worktrees/roundtable-") for name in named)
    assert f"worktree {copy}" in world.plain("worktree", "list", "--porcelain")
    assert world.collect().head is None, "attributes of the user's change no byte"


@pytest.mark.proves("C-100 worktree", "B-115")
def test_work_is_collected_delivered_and_then_goes_with_its_tree(world: World) -> None:
    base = world.branch_head()
    copy = world.make_copy(linked=True)
    world.commit({"b.txt": "agent\n", "build/x": "ignored, committed\n"}, copy)
    world.write({"new.txt": "new\n", "a.txt": None}, copy)
    collected = world.collect(base)
    assert collected.held is None
    assert [(one.status, one.path) for one in collected.changes] == [
        ("D", "a.txt"), ("M", "b.txt"), ("A", "build/x"), ("A", "new.txt")
    ]  # fmt: skip
    folder = str(copy)
    assert world.git.unsaved(world.repository, folder, []) == (
        "a.txt", "b.txt", "build/x", "new.txt", "HEAD"
    )  # fmt: skip
    assert "HEAD" in world.git.unsaved(world.repository, folder, [collected.head])
    world.commit({}, copy)
    assert world.git.unsaved(world.repository, folder, [collected.head]) == ()
    assert world.deliver(collected.head).held is None
    assert (world.repo / "new.txt").read_text() == "new\n"
    world.git.drop_copy(world.repository, folder)
    assert not copy.exists() and list(copy.parent.iterdir()) == []
    assert world.plain("worktree", "list").count("\n") == 0
    assert world.plain("for-each-ref", "refs/roundtable/base") == ""
    world.plain("fsck", "--strict")


TOGETHER = (
    ("hooks", "fsmonitor", "filters", "textconv", "equals"),
    ("hookspath", "merge_driver", "programs", "include"),
    ("other_git_directory",),
)
assert {*itertools.chain(*TOGETHER)} == {*TRICKS, "other_git_directory"}


def other_git_directory(world: World, trap: Trap, copy: Path) -> None:
    """`.git` leads to a git directory of the agent's own."""
    theirs = world.root / "theirs"
    world.plain("init", "-q", str(theirs))
    trap.filters(world, theirs / ".git")
    trap.fsmonitor(world, theirs / ".git")
    (copy / ".git").write_text(f"gitdir: {theirs}/.git\n")


@pytest.mark.proves("S-65", "C-100 worktree")
@pytest.mark.parametrize("tricks", TOGETHER, ids=" ".join)
def test_what_an_agent_plants_in_the_users_repository_is_never_run(
    world: World, linked: Path, tricks: tuple[str, ...]
) -> None:
    trap, base = Trap(world.root), world.branch_head()
    repository, folder = world.repository, str(linked)
    world.write({".gitattributes": ATTRIBUTES, "a.txt": "agent\n"}, linked)
    for trick in tricks:
        if trick == "other_git_directory":
            other_git_directory(world, trap, linked)
        else:
            trap.plant(world, world.repo / ".git", trick)
    found = world.git.moved(repository, folder, RUN)
    collected = world.git.collect(repository, folder, base=base, ref=REF, message="m", at=AT)
    world.git.diff(repository, base, collected.head, 10**6)
    prepared = world.git.prepare(
        repository, "side", base=base, head=collected.head, message="m", at=AT
    )
    for branch in ("side", "main"):
        world.git.deliver(repository, branch, old=base, new=prepared.new, into_checkout=True)
    refs = world.git.refs(repository)
    world.git.make_copy(repository, folder, base, refs, linked=True)
    world.git.unsaved(repository, folder, [collected.head])
    with suppress(GitFailed):
        world.git.rework_copy(
            repository, folder, base=base, head=collected.head, onto=base, at=AT, refs=refs,
            linked=True,
        )  # fmt: skip
    world.git.make_copy(repository, f"{folder}-2", base, refs, linked=True)
    world.git.drop_copy(repository, folder)
    assert not trap.fired()
    told = found or ([collected.held] if collected.held else [])
    assert told and not linked.exists()


@pytest.mark.proves("C-100 worktree", "B-119")
def test_a_tree_that_was_removed_pruned_or_moved_is_made_whole(world: World) -> None:
    """By hand, by git, by a clean-up of the user's, and with the repository elsewhere."""
    copy = world.make_copy(linked=True)
    base = world.branch_head()
    shutil.rmtree(copy)
    world.make_copy(base, linked=True)
    assert world.plain("status", "--porcelain", cwd=copy) == ""
    world.plain("worktree", "lock", str(copy))
    shutil.rmtree(copy)
    world.make_copy(base, linked=True)
    world.plain("worktree", "remove", "--force", str(copy))
    world.make_copy(base, linked=True)
    (copy / "a.txt").write_text("unsaved\n")
    shutil.move(copy, world.root / "away")
    world.plain("worktree", "prune")
    shutil.move(world.root / "away", copy)
    world.make_copy(base, linked=True)
    assert world.plain("status", "--porcelain", cwd=copy) == " M a.txt"
    world.repo.rename(world.root / "repo2")
    world.repo = world.root / "repo2"
    world.make_copy(base, linked=True)
    assert world.plain("status", "--porcelain", cwd=copy) == " M a.txt"
    assert world.collect(base).head is not None


@pytest.mark.proves("C-100 worktree")
def test_a_tree_that_the_user_locked_stays(world: World) -> None:
    copy = world.make_copy(linked=True)
    world.plain("worktree", "lock", str(copy))
    with pytest.raises(GitFailed, match=r"copy_locked: git .* unlock"):
        world.git.drop_copy(world.repository, str(copy))
    assert (copy / "a.txt").exists()
    world.plain("worktree", "unlock", str(copy))
    world.git.drop_copy(world.repository, str(copy))
    assert not copy.exists()


@pytest.mark.proves("C-100 worktree")
def test_the_users_own_trees_stay_when_ours_goes(world: World) -> None:
    """Also one whose folder is not there just now: `git worktree prune` would forget it."""
    theirs = world.root / "theirs"
    world.plain("worktree", "add", "-q", "-b", "t", str(theirs))
    theirs.rename(world.root / "unmounted")
    copy = world.make_copy(linked=True)
    world.git.drop_copy(world.repository, str(copy))
    (world.root / "unmounted").rename(theirs)
    assert world.plain("status", "--porcelain", cwd=theirs) == ""


@pytest.mark.proves("C-100 worktree")
def test_a_clean_up_of_gits_own_keeps_what_the_tree_needs(world: World) -> None:
    world.commit({"big.txt": "only here\n"})
    copy = world.make_copy(linked=True)
    world.commit({"more.txt": "agent\n"}, copy)
    world.plain("reset", "-q", "--hard", "HEAD~1")
    world.plain("reflog", "expire", "--expire=now", "--all")
    world.plain("gc", "-q", "--prune=now")
    assert world.plain("show", "HEAD~1:big.txt", cwd=copy) == "only here"
    assert world.plain("show", "HEAD:more.txt", cwd=copy) == "agent"


@pytest.mark.proves("C-100 worktree")
def test_every_file_is_there_though_the_users_checkout_is_sparse(world: World) -> None:
    world.plain("sparse-checkout", "set", "dir")
    copy = world.make_copy(linked=True)
    assert (copy / "dir/c.txt").exists() and (copy / "a.txt").exists()
    assert world.plain("status", "--porcelain", cwd=copy) == ""
    assert world.collect().head is None


@pytest.mark.proves("C-100 worktree", "B-126")
@pytest.mark.parametrize("linked", [False, True], ids=["a copy apart", "a linked tree"])
def test_filters_and_hooks_of_the_users_break_no_copy(world: World, *, linked: bool) -> None:
    """A required filter whose program is not there, and a hook that sleeps and fails."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n"
    base = world.commit({".gitattributes": "*.bin filter=lfs -text\n", "x.bin": pointer})
    for key, value in (("smudge", "no-such-program"), ("required", "true")):
        world.plain("config", f"filter.lfs.{key}", value)
    hook = world.repo / ".git/hooks/post-checkout"
    world.write({".git/hooks/post-checkout": "#!/bin/sh\nsleep 600\nexit 1\n"})
    hook.chmod(0o755)
    began = time.monotonic()
    copy = world.make_copy(linked=linked)
    assert time.monotonic() - began < 30
    assert (copy / "x.bin").read_text() == pointer
    assert world.collect(base).head is None
    world.write({"a.txt": "agent\n"}, copy)
    collected = world.collect(base)
    assert collected.held is None, "what goes through no filter is delivered"
    world.write({"x.bin": "the agent's own\n"}, copy)
    assert world.collect(base).held == {"code": "filter", "filter": "lfs", "path": "x.bin"}


@pytest.mark.proves("C-100 worktree")
def test_a_submodule_is_as_in_any_copy(world: World) -> None:
    world.plain("init", "-q", str(world.root / "inner"))
    inner = world.root / "inner"
    world.commit({"x.txt": "x\n"}, inner)
    allowed = ("-c", "protocol.file.allow=always")
    world.plain(*allowed, "submodule", "add", "-q", str(inner), "sub")
    base = world.commit({})
    copy = world.make_copy(linked=True)
    assert (copy / "sub").is_dir() and world.collect(base).head is None
    world.git.note(world.repository, str(copy), RUN)
    (world.repo / ".git/modules/sub/config").write_text("[core]\n\tfsmonitor = x\n")
    assert set(moved(world)) == {str(world.repo / ".git/modules/sub/config")}
    world.git.drop_copy(world.repository, str(copy))
    assert not copy.exists()


@pytest.mark.proves("C-100 worktree", "B-121")
def test_nothing_is_delivered_into_an_agents_tree(world: World) -> None:
    head = world.propose({"c.txt": "c\n"})
    world.plain("branch", "dev")
    copy = world.make_copy(linked=True)
    world.plain("switch", "-q", "dev", cwd=copy)
    held = world.deliver(head, branch="dev").held
    assert held is not None and held["code"] == "checked_out_by_agent"
    world.shell(str(held["command"]), world.root)
    assert world.deliver(head, branch="dev").held is None
    assert not (copy / "c.txt").exists()


@pytest.mark.proves("C-100 worktree")
def test_a_tree_of_the_users_is_not_an_agents_whatever_it_is_called(world: World) -> None:
    head, mine = world.propose({"c.txt": "c\n"}), world.root / "roundtable-fix"
    world.plain("worktree", "add", "-q", "-b", "dev", str(mine))
    world.make_copy(linked=True)
    world.git.note(world.repository, str(world.copy), RUN)
    by_agent(world, world.copy, "-C", str(mine), "switch", "-q", "--detach")
    assert set(moved(world)) == {str(mine)}
    put_back(world, moved(world))
    assert world.deliver(head, branch="dev").held is None
    assert (mine / "c.txt").read_text() == "c\n"


@pytest.mark.proves("C-100 worktree")
def test_a_commit_of_a_tree_that_was_put_away_stays(world: World) -> None:
    """As after a restore: another tree takes its place, and its part of the git directory."""
    copy = world.make_copy(linked=True)
    made = world.commit({"b.txt": "agent\n"}, copy)
    copy.rename(copy.with_name("t14.before-x"))
    assert world.make_copy(linked=True) == copy
    assert made in world.plain("for-each-ref", "refs/roundtable/left/")
    assert world.plain("rev-parse", "HEAD", cwd=copy).strip() == world.branch_head()


@pytest.mark.proves("C-100 worktree", "B-117")
def test_trees_that_are_made_at_the_same_time_do_not_fight(world: World) -> None:
    def make(number: int) -> Path:
        return world.make_copy(at=world.root / "copies" / f"t{number}", linked=True)

    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(make, range(6)))
    assert world.plain("worktree", "list").count("\n") == 6
    assert all(world.plain("status", "--porcelain", cwd=one) == "" for one in made)
    assert world.plain("branch", "--format=%(refname:short)") == "main"


@pytest.mark.proves("C-100 worktree")
def test_a_tree_is_reworked_where_it_stands(world: World) -> None:
    base = world.branch_head()
    copy = world.make_copy(linked=True)
    world.plain("switch", "-q", "-c", "agents", cwd=copy)
    world.write({"b.txt": "agent\n"}, copy)
    head = world.collect(base).head
    onto = world.commit({"b.txt": "user\n"})
    refs = world.git.refs(world.repository)
    before = world.untouched()
    world.git.rework_copy(
        world.repository, str(copy), base=base, head=head, onto=onto, at=AT, refs=refs, linked=True
    )
    ours = ".git/worktrees/roundtable-"
    assert {k: v for k, v in world.untouched().items() if not k.startswith(ours)} == {
        k: v for k, v in before.items() if not k.startswith(ours)
    }
    assert "<<<<<<<" in (copy / "b.txt").read_text()
    assert world.plain("rev-parse", "HEAD", cwd=copy) == onto
    assert world.plain("branch", "--show-current", cwd=copy) == ""


@pytest.mark.slow
@pytest.mark.proves("C-100 worktree", "F-07")
def test_a_kill_while_a_tree_is_made_or_dropped_leaves_nothing_in_the_way(
    world: World,
) -> None:
    """Killed before the n-th of its own renames, then done again; until it comes through whole."""
    before = world.untouched()
    for act in ("make", "drop"):
        number = 0
        while not _survives(world, act, number):
            number += 1
        if act == "make":
            world.make_copy(linked=True)
            assert world.plain("status", "--porcelain", cwd=world.copy) == ""
            assert world.plain("worktree", "list").count("\n") == 1
        else:
            world.make_copy(linked=True)
            world.git.drop_copy(world.repository, str(world.copy))
            assert world.untouched() == before
            assert list(world.copy.parent.iterdir()) == []


def _survives(world: World, act: str, number: int) -> bool:
    """Whether it ended before its n-th rename."""
    child = os.fork()
    if not child:
        left, real = number, os.rename

        def counting(*words: object, **more: object) -> object:
            nonlocal left
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1
            return real(*words, **more)  # type: ignore[func-returns-value, arg-type]

        os.rename = counting  # type: ignore[assignment]
        try:
            if act == "make":
                world.make_copy(linked=True)
            else:
                world.git.drop_copy(world.repository, str(world.copy))
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFEXITED(status)


@pytest.mark.proves("C-100 worktree")
def test_a_tree_whose_refs_of_ours_an_agent_took_away_is_still_ours(world: World) -> None:
    base = world.branch_head()
    copy = world.make_copy(linked=True)
    world.write({"a.txt": "unsaved\n"}, copy)
    for ref in world.plain("for-each-ref", "--format=%(refname)", "refs/roundtable").split():
        world.plain("update-ref", "-d", ref, cwd=copy)
    world.make_copy(base, linked=True)
    assert (copy / "a.txt").read_text() == "unsaved\n"
    assert world.git.began_at(world.repository, str(copy)) == base
