"""An agent's own copy begins anew at another commit, whatever the run before did to it."""

import os
import shutil
import signal

import pytest
from git_world import AT, MESSAGE

from roundtable_desktop.model.ports import GitFailed

LEFT = "refs/roundtable/left/r1"


def move(world):
    return world.move()


def files(world):
    listed = world.plain("ls-files", cwd=world.copy).split()
    assert world.plain("status", "--porcelain", cwd=world.copy) == ""
    return {name: (world.copy / name).read_text() for name in listed}


@pytest.mark.proves("K-01")
def test_a_copy_that_is_not_there_is_made(world):
    move(world)
    assert world.plain("rev-parse", "HEAD", cwd=world.copy) == world.branch_head()
    assert world.plain("status", "--porcelain", cwd=world.copy) == ""


@pytest.mark.proves("K-01")
def test_what_a_run_left_gives_way_and_what_git_passes_over_stays(world):
    world.commit({".gitignore": "cache/\n", "gone.txt": "old\n", "kept.txt": "1\n"})
    copy = move(world)
    world.write({"kept.txt": "edited\n", "new/deep.txt": "left\n", "cache/big": "warm\n"}, copy)
    world.plain("rm", "-q", "gone.txt", cwd=copy)
    world.commit({"gone.txt": None, "kept.txt": "2\n", "more.txt": "m\n"})
    move(world)
    seen = files(world)
    assert (seen["kept.txt"], seen["more.txt"]) == ("2\n", "m\n")
    assert "gone.txt" not in seen and not (copy / "new").exists()
    assert (copy / "cache/big").read_text() == "warm\n"
    heads = world.plain("rev-parse", "HEAD", "origin/main", cwd=copy).split()
    assert heads == [world.branch_head()] * 2
    assert world.plain("branch", "--show-current", cwd=copy) == ""


@pytest.mark.proves("K-01")
def test_an_agents_own_branches_stay(world):
    copy = move(world)
    world.plain("checkout", "-q", "-b", "mine", cwd=copy)
    made = world.commit({"idea.txt": "i\n"}, copy)
    world.plain("pack-refs", "--all", cwd=copy)
    world.commit({"b.txt": "moved on\n"})
    move(world)
    assert "idea.txt" not in files(world)
    assert world.plain("rev-parse", "mine", cwd=copy) == made
    assert world.plain("show", "mine:idea.txt", cwd=copy) == "i"
    assert world.plain("fsck", "--strict", cwd=copy) == ""


@pytest.mark.proves("K-01", "S-65")
def test_what_an_agent_planted_binds_no_later_run(world):
    copy = move(world)
    planted = world.root / "PWNED"
    hook = copy / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {planted}\n")
    hook.chmod(0o755)
    world.plain("config", "filter.x.smudge", f"touch {planted}", cwd=copy)
    world.plain("config", "core.fsmonitor", f"touch {planted}", cwd=copy)
    (copy / ".git/info").mkdir(exist_ok=True)
    (copy / ".git/info/attributes").write_text("* filter=x\n")
    (copy / ".git/MERGE_HEAD").write_text(world.branch_head() + "\n")
    outside = world.root / "precious"
    outside.write_text("mine\n")
    (copy / ".git/HEAD").unlink()
    (copy / ".git/HEAD").symlink_to(outside)
    world.commit({"b.txt": "moved on\n"})
    move(world)
    assert not planted.exists() and outside.read_text() == "mine\n"
    assert not hook.exists() and not (copy / ".git/MERGE_HEAD").exists()
    assert "smudge" not in world.plain("config", "--list", cwd=copy)
    assert files(world)["b.txt"] == "moved on\n"


@pytest.mark.proves("K-01", "S-65")
def test_where_its_history_ends_is_the_repositorys_word(world):
    copy = move(world)
    (copy / ".git/shallow").write_text(f"{world.branch_head()}\n")
    world.commit({"c.txt": "c\n"})
    move(world)
    assert not (copy / ".git/shallow").exists()
    whole = int(world.plain("rev-list", "--count", "HEAD", cwd=copy))
    (world.repo / ".git/shallow").write_text(f"{world.branch_head()}\n")
    move(world)
    assert whole > 1 and world.plain("rev-list", "--count", "HEAD", cwd=copy) == "1"
    (world.repo / ".git/shallow").unlink()


@pytest.mark.proves("K-01", "S-65")
def test_a_replaced_commit_and_the_locks_of_a_killed_git_are_gone(world):
    copy = move(world)
    true = world.branch_head()
    forged = world.plain("commit-tree", "-m", "forged", f"{true}^{{tree}}", cwd=copy)
    world.plain("replace", true, forged, cwd=copy)
    for name in ("HEAD.lock", "config.lock", "packed-refs.lock"):
        (copy / ".git" / name).touch()
    move(world)
    said = world.plain("log", "-1", "--format=%s", cwd=world.repository.path)
    assert said != "forged" and world.plain("log", "-1", "--format=%s", cwd=copy) == said
    world.commit({"c.txt": "c\n"}, copy)
    world.plain("config", "a.b", "c", cwd=copy)
    world.plain("pack-refs", "--all", cwd=copy)


@pytest.mark.proves("K-01", "S-65")
@pytest.mark.parametrize("name", [".git", ".git/objects", ".git/refs", ".git/info"])
def test_a_copy_whose_git_directory_leads_elsewhere_is_not_moved(world, name):
    copy = move(world)
    elsewhere = world.root / "elsewhere"
    (copy / ".git/info").mkdir(exist_ok=True)
    (copy / ".git/info/exclude").write_text("mine\n")
    os.rename(copy / name, elsewhere)
    (copy / name).symlink_to(elsewhere)
    before = world.tree(elsewhere)
    with pytest.raises(GitFailed, match="copy_damaged"):
        move(world)
    assert world.tree(elsewhere) == before


@pytest.mark.proves("K-01", "S-65")
@pytest.mark.parametrize("name", [".git", ".git/refs", ".git/objects"])
def test_a_copy_whose_git_directory_was_removed_is_one_again(world, name):
    copy = move(world)
    shutil.rmtree(copy / name)
    world.commit({"b.txt": "moved on\n"})
    move(world)
    assert world.plain("rev-parse", "--absolute-git-dir", cwd=copy) == str(copy / ".git")
    assert files(world)["b.txt"] == "moved on\n"


@pytest.mark.proves("K-01", "S-65")
def test_a_link_in_the_place_of_a_folder_is_not_written_through(world):
    world.commit({"docs/a.txt": "a\n"})
    copy = move(world)
    outside = world.root / "outside"
    outside.mkdir()
    (copy / "docs/a.txt").unlink()
    (copy / "docs").rmdir()
    (copy / "docs").symlink_to(outside)
    world.commit({"docs/a.txt": "b\n"})
    move(world)
    assert list(outside.iterdir()) == []
    assert files(world)["docs/a.txt"] == "b\n"


@pytest.mark.proves("K-01")
def test_a_repository_inside_the_copy_is_left_where_it_is(world):
    copy = move(world)
    (copy / "inner").mkdir()
    world.plain("init", "-q", cwd=copy / "inner")
    world.commit({"x.txt": "x\n"}, copy / "inner")
    world.commit({"b.txt": "moved on\n"})
    move(world)
    assert (copy / "inner/x.txt").read_text() == "x\n"
    assert (copy / "b.txt").read_text() == "moved on\n"


@pytest.mark.proves("K-01")
def test_what_was_collected_is_named_and_nothing_more_after_the_move(world):
    copy = move(world)
    base = world.branch_head()
    world.write({"a.txt": "edited\n"}, copy)

    def collect(ref):
        return world.git.collect(
            world.repository, str(copy), base=base, ref=ref, message=MESSAGE, at=AT
        )

    head = collect(LEFT).head
    assert world.plain("show", f"{LEFT}:a.txt") == "edited"
    move(world)
    assert collect("refs/roundtable/left/r2").head is None
    assert world.plain("rev-parse", LEFT) == head


@pytest.mark.slow
@pytest.mark.proves("K-01", "C-58")
def test_a_move_that_was_killed_is_done_by_the_next_one(world):
    world.commit({f"d{n % 50}/f{n}.txt": f"{n}\n" for n in range(2000)})
    copy = move(world)
    world.commit({f"d{n % 50}/f{n}.txt": f"{n} again\n" for n in range(2000)})
    for seconds in (0.05, 0.1, 0.2, 0.3):
        child = os.fork()
        if not child:
            move(world)
            os._exit(0)
        signal.signal(signal.SIGALRM, lambda *_, child=child: os.kill(child, signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, seconds)
        os.waitpid(child, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    move(world)
    seen = files(world)
    assert seen["d7/f7.txt"] == "7 again\n" and len(seen) >= 2000
    assert world.plain("fsck", "--strict", cwd=copy) == ""
