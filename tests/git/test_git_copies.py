"""Working copies: what an agent gets, and what it cannot reach."""

import os
import shutil
import signal
import stat
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.ports import GitFailed


@pytest.mark.proves("C-100")
def test_a_copy_is_a_shared_clone_at_a_detached_head_that_cannot_push(world):
    world.plain("remote", "add", "origin", "https://example.org/x.git")
    world.plain("tag", "v1")
    copy = world.make_copy()
    assert world.tree(copy, ".git/") == {
        name: seen for name, seen in world.tree(world.repo, ".git/").items() if name != ".env"
    }
    assert world.plain("status", "--porcelain", cwd=copy) == ""
    assert world.plain("rev-parse", "HEAD", cwd=copy) == world.branch_head()
    assert world.plain("branch", "--show-current", cwd=copy) == ""
    assert world.plain("remote", "get-url", "origin", cwd=copy) == "https://example.org/x.git"
    assert (
        world.plain("rev-parse", "origin/main", "v1", cwd=copy).split() == [world.branch_head()] * 2
    )
    assert "disabled" in world.plain("remote", "get-url", "--push", "origin", cwd=copy)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o700
    assert world.plain("fsck", "--strict", cwd=copy) == ""
    assert world.plain("config", "user.name", cwd=copy) == "Ada Lovelace"


@pytest.mark.proves("C-100")
def test_a_retry_keeps_the_copy_with_its_unsaved_edits(world):
    base = world.branch_head()
    copy = world.make_copy()
    world.write({"a.txt": "two hundred lines\n"}, copy)
    world.commit({"b.txt": "moved on\n"})
    world.make_copy(at=copy)
    assert (copy / "a.txt").read_text() == "two hundred lines\n"
    assert world.plain("rev-parse", "HEAD", cwd=copy) == base


def test_a_half_made_copy_is_made_anew(world):
    half = world.copy.with_name("one.tmp-copy")
    world.write({".git/config": "[core", "junk": "x"}, half)
    copy = world.make_copy()
    assert world.plain("status", "--porcelain", cwd=copy) == ""
    assert not half.exists()


@pytest.mark.slow
@pytest.mark.proves("C-58")
def test_a_git_that_outlived_its_owner_does_not_disturb_the_next_copy(world):
    """It writes on, with no one to end it, while the copy is made anew."""
    world.commit({f"d{n % 50}/f{n}.txt": f"{n}\n" for n in range(4000)})
    child = os.fork()
    if not child:
        world.make_copy()
        os._exit(0)
    while not any(world.copy.parent.glob("one.tmp-copy*/d*")):
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    copy = world.make_copy()
    assert world.plain("status", "--porcelain", cwd=copy) == ""
    assert len([*copy.glob("d*/f*.txt")]) == 4000
    time.sleep(1)
    world.git.drop_copy(world.repository, str(copy))
    assert [*world.copy.parent.iterdir()] == []


@pytest.mark.proves("C-100")
def test_a_copy_survives_a_prune_in_the_users_repository(world):
    world.commit({"big.txt": "only here\n"})
    copy = world.make_copy()
    world.plain("reset", "-q", "--hard", "HEAD~1")
    world.plain("reflog", "expire", "--expire=now", "--all")
    world.plain("gc", "-q", "--prune=now")
    assert world.plain("show", "HEAD:big.txt", cwd=copy) == "only here"


def test_a_dropped_copy_is_gone_with_its_ref(world):
    copy = world.make_copy()
    world.git.drop_copy(world.repository, str(copy))
    assert not copy.exists()
    assert world.plain("for-each-ref", "refs/roundtable") == ""
    world.git.drop_copy(world.repository, str(copy))


@pytest.mark.proves("S-68")
def test_what_is_no_copy_of_ours_is_neither_used_nor_dropped(world):
    world.write({"mine.txt": "mine\n"}, world.copy)
    with pytest.raises(Invalid, match="folder_exists"):
        world.make_copy()
    world.git.drop_copy(world.repository, str(world.copy))
    assert (world.copy / "mine.txt").read_text() == "mine\n"


@pytest.mark.proves("S-68")
def test_a_copy_is_only_made_in_a_place_that_is_what_it_seems(world):
    real, link = world.root / "real", world.root / "link"
    real.mkdir()
    link.symlink_to(real)
    (world.root / "file").write_text("x")
    cases = {
        str(link): "folder_symlinked",
        str(link / "one"): "folder_symlinked",
        str(world.root / "file"): "folder_exists",
        str(world.repo / "inside"): "folder_inside_repository",
        str(world.repo / ".git" / "inside"): "folder_inside_repository",
        "relative": "bad_folder",
        str(world.root / ".." / "up"): "bad_folder",
        str(world.root / ("x" * 250)): "bad_folder",
    }
    before = world.tree(world.root)
    for folder, code in cases.items():
        with pytest.raises(Invalid, match=code):
            world.make_copy(at=folder)
    assert world.tree(world.root) == before


def test_a_commit_that_is_not_there_leaves_no_copy(world):
    with pytest.raises(GitFailed):
        world.make_copy("1" * 40)
    assert not world.copy.exists()


@pytest.mark.proves("S-66")
def test_a_branch_that_looks_like_an_option_is_not_handed_on(world):
    world.plain("update-ref", "refs/heads/-upd", "HEAD")
    copy = world.make_copy()
    assert "-upd" not in world.plain("for-each-ref", cwd=copy)


@pytest.mark.proves("R-21", "C-100")
def test_an_agent_in_its_copy_leaves_the_users_repository_as_it_was(world):
    world.write({"staged.txt": "staged\n", "a.txt": "edited\n", "new.txt": "untracked\n"})
    world.plain("add", "staged.txt")
    world.repository  # noqa: B018 -- registration reads only
    before = world.untouched()
    copy = world.make_copy()
    agents = world.commit({"a.txt": "agent\n"}, copy)
    world.plain("update-ref", "refs/heads/main", agents, cwd=copy)
    world.plain("branch", "-f", "dev", cwd=copy)
    world.plain("tag", "v9", cwd=copy)
    world.plain("config", "core.editor", "vi", cwd=copy)
    world.plain("push", "origin", "HEAD:main", cwd=copy, check=False)
    (copy / ".git/hooks").mkdir()
    world.write({".git/hooks/pre-commit": "#!/bin/sh\n"}, copy)
    collected = world.collect()
    world.git.diff(world.repository, world.branch_head(), collected.head, 10_000)
    world.prepare(world.branch_head(), collected.head)
    world.git.drop_copy(world.repository, str(copy))
    assert world.untouched() == before


@pytest.mark.proves("C-100")
def test_a_copy_of_a_linked_worktree_and_of_a_sha256_repository_works(world, tmp_path):
    linked = world.root / "linked"
    world.plain("worktree", "add", "-q", "-b", "dev", str(linked))
    world.repo = linked
    world.make_copy(world.branch_head("dev"))
    world.write({"a.txt": "x\n"}, world.copy)
    assert world.collect(world.branch_head("dev")).head
    world.repo, world.copy = world.root / "modern", world.root / "copies" / "modern"
    world.plain("init", "-q", "--object-format=sha256", str(world.repo), cwd=world.root)
    base = world.commit({"a.txt": "a\n", "b.txt": "b\n"})
    world.make_copy()
    world.write({"a.txt": "x\n"}, world.copy)
    head = world.collect().head
    assert len(base) == len(head) == 64
    world.commit({"b.txt": "moved\n"})
    prepared = world.prepare(base, head)
    assert world.deliver(prepared.new).held is None
    assert (world.repo / "a.txt").read_text() == "x\n"


def test_a_copy_shows_line_ends_as_the_user_has_them(world):
    world.plain("config", "core.autocrlf", "true")
    copy = world.make_copy()
    assert (copy / "a.txt").read_bytes() == b"a\r\n"
    assert world.collect().head is None


def test_a_required_filter_without_its_program_does_not_break_a_copy(world):
    world.commit({".gitattributes": "*.bin filter=lfs\n", "x.bin": "pointer\n"})
    for key in ("clean", "smudge"):
        world.plain("config", f"filter.lfs.{key}", "no-such-program %f")
    world.plain("config", "filter.lfs.required", "true")
    copy = world.make_copy()
    assert (copy / "x.bin").read_text() == "pointer\n"
    assert world.collect().head is None
    assert os.listdir(copy.parent) == ["one"]


@pytest.mark.proves("B-117")
def test_copies_made_at_the_same_time_do_not_fight(world):
    repository, head = world.repository, world.branch_head()
    refs = world.git.refs(repository)
    folders = [str(world.root / "copies" / f"c{number}") for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda to: world.git.make_copy(repository, to, head, refs), folders))
    for folder in folders:
        assert world.plain("status", "--porcelain", cwd=folder) == ""
    assert world.plain("branch", "--format=%(refname)") == "refs/heads/main"


@pytest.mark.proves("copied home", "C-100")
@pytest.mark.parametrize("moved", [True, False])
@pytest.mark.parametrize("linked", [True, False])
def test_a_copy_of_a_home_that_lies_elsewhere_goes_on_with_what_it_holds(world, linked, moved):
    base, was = world.branch_head(), world.make_copy(linked=linked)
    world.write({"a.txt": "half done\n"}, was)
    world.commit({"b.txt": "moved on\n"})
    here = world.root / "elsewhere" / "one"
    if moved:
        was.parent.rename(here.parent)
    else:
        shutil.copytree(was.parent, here.parent, symlinks=True)
    for _ in range(2):
        world.git.take_along(world.repository, str(was), str(here), moved=moved)
    assert world.git.began_at(world.repository, str(here)) == base
    assert world.git.began_at(world.repository, str(was)) == (None if moved else base)
    for place in (here, was)[: 1 if moved else 2]:
        world.make_copy(base, place, linked=linked)
        assert (place / "a.txt").read_text() == "half done\n"
        left = world.collect(base, copy=place)
        assert [change.path for change in left.changes] == ["a.txt"]
        assert world.plain("status", "--porcelain", cwd=place) == " M a.txt"
        world.git.drop_copy(world.repository, str(place))
        assert not place.exists()
    assert world.plain("for-each-ref", "refs/roundtable/base") == ""
    if linked:
        assert world.plain("worktree", "list").count("\n") == 0
