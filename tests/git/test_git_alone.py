"""A git that outlives its owner, or is to end with it: nobody works beside it."""

import fcntl
import os
import shutil
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from git_on_path import path_with_git

from roundtable_desktop.adapters import processes
from roundtable_desktop.adapters.git import Alone, HardenedGit, alone
from roundtable_desktop.model.ports import GitFailed

CHILD = Path(__file__).with_name("delivering_child.py")
FILES = 20


def until(condition):
    limit = time.monotonic() + 20
    while not (seen := condition()):
        assert time.monotonic() < limit, "it did not come true in time"
        time.sleep(0.01)
    return seen


def waiting(world):
    """It waits until a test lets it go on."""
    os.mkfifo(world.root / "gate")
    return f"read go < {world.root}/gate"


def stopped_in_the_middle(world):
    """Its files are written, and it is about to rename the new index into its place."""
    strace, git = shutil.which("strace"), shutil.which("git")
    delay = "inject=rename:delay_enter=600000000:when=2"
    return f'exec {strace} -f -qqq -o /dev/null -e trace=rename -e {delay} {git} "$@"'


def owner_killed_at(world, monkeypatch, old, new, begun, before):
    with monkeypatch.context() as patched:
        patched.setenv("PATH", path_with_git(world.root / "slow", "--ff-only", before))
        child = subprocess.Popen([sys.executable, str(CHILD), str(world.root), old, new])
    until(begun)
    child.kill()
    child.wait()


def left_over(world):
    return processes.marked(f"ROUNDTABLE_GIT={world.root / 'git.lock'}")


@pytest.fixture
def next_owner(world):
    git = HardenedGit(
        world.root / "empty", world.user_home, alone=Alone(world.root / "git.lock", processes.sweep)
    )
    yield git
    git.stop()
    processes.sweep(f"ROUNDTABLE_GIT={world.root / 'git.lock'}")


def merging(world):
    """Whether a merge is at work: its shell has no child, or git itself is there."""
    return any("--ff-only" in words(one.pid) for one in left_over(world))


def words(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    except OSError:
        return []


@pytest.mark.slow
@pytest.mark.proves("F-07", "F-08")
@pytest.mark.parametrize("where", ["before", "middle"])
def test_a_delivery_that_outlived_its_owner_is_over_before_it_is_judged(
    world, next_owner, monkeypatch, where
):
    if where == "middle" and shutil.which("strace") is None:
        pytest.skip("holds git up by strace's injection")
    old = world.branch_head()
    files = {f"new/{number}.txt": f"{number}\n" * 100 for number in range(FILES)}
    new, intended = world.propose({"a.txt": "agent\n", **files}), datetime.now(UTC)
    before = world.tree(world.repo, ".git/")
    held_up = waiting(world) if where == "before" else stopped_in_the_middle(world)
    written = [world.repo / name for name in files]

    def begun():
        return merging(world) and (where == "before" or all(one.exists() for one in written))

    owner_killed_at(world, monkeypatch, old, new, begun, held_up)
    assert left_over(world) != []
    repository = world.repository
    found = next_owner.finish(repository, "main", old=old, new=new, intended_at=intended)
    assert left_over(world) == []
    if found is None:
        assert world.branch_head() == old
        assert world.tree(world.repo, ".git/") == before
        next_owner.deliver(repository, "main", old=old, new=new, into_checkout=True)
    assert world.branch_head() == new
    assert world.plain("status", "--porcelain") == ""
    assert list((world.repo / ".git").rglob("*.lock")) == []


@pytest.mark.proves("F-07")
def test_one_that_cannot_be_ended_is_waited_for(world, monkeypatch):
    monkeypatch.setattr(alone, "PATIENCE", 0.05)
    lock = world.root / "git.lock"
    swept = []
    git = HardenedGit(
        world.root / "empty",
        world.user_home,
        alone=Alone(lock, lambda mark: swept.append(mark) or []),
    )
    with open(lock, "w") as somebody:
        fcntl.flock(somebody, fcntl.LOCK_EX)
        with pytest.raises(GitFailed) as refused:
            git.commit_of(world.repository, "main")
    assert (refused.value.code, refused.value.broken_off) == ("git_left_over", True)
    assert swept == [f"ROUNDTABLE_GIT={lock}"] * alone.SWEEPS
    assert git.commit_of(world.repository, "main") == world.branch_head()
    git.stop()


@pytest.mark.proves("C-101")
def test_a_stop_ends_the_git_that_is_at_work_and_none_begins(world, next_owner, monkeypatch):
    repository, codes = world.repository, []
    monkeypatch.setenv("PATH", path_with_git(world.root / "slow", "rev-parse", waiting(world)))

    def ask():
        with pytest.raises(GitFailed) as ended:
            next_owner.commit_of(repository, "main")
        codes.append(ended.value.code)

    asking = threading.Thread(target=ask)
    asking.start()
    until(lambda: left_over(world))
    next_owner.stop()
    asking.join(5)
    ask()
    assert codes == ["git_stopped", "git_stopped"]
    assert left_over(world) == []


@pytest.mark.proves("C-101")
def test_a_stop_does_not_wait_for_one_of_before_to_end(world, monkeypatch):
    monkeypatch.setattr(alone, "PATIENCE", 0.05)
    repository, lock, order = world.repository, world.root / "git.lock", []
    sweeping, stopped = threading.Event(), threading.Event()

    def sweep(mark):
        sweeping.set()
        stopped.wait(60)
        order.append("swept")
        return []

    git = HardenedGit(world.root / "empty", world.user_home, alone=Alone(lock, sweep))

    def ask():
        with pytest.raises(GitFailed) as ended:
            git.commit_of(repository, "main")
        order.append(ended.value.code)

    with open(lock, "w") as somebody:
        fcntl.flock(somebody, fcntl.LOCK_EX)
        asking = threading.Thread(target=ask)
        asking.start()
        assert sweeping.wait(60)
        git.stop()
        order.append("stopped")
        stopped.set()
        asking.join(60)
    assert order == ["stopped", "swept", "git_stopped"]


@pytest.mark.slow
@pytest.mark.proves("F-07", "C-101")
@pytest.mark.skipif(shutil.which("strace") is None, reason="holds git up by strace's injection")
def test_what_a_stop_broke_off_is_taken_back_by_the_next_owner(world, next_owner, monkeypatch):
    """The stop tells git to end, and git takes its lock with it."""
    old, repository = world.branch_head(), world.repository
    files = {f"new/{number}.txt": f"{number}\n" * 100 for number in range(FILES)}
    new, intended = world.propose({"a.txt": "agent\n", **files}), datetime.now(UTC)
    before = world.tree(world.repo, ".git/")
    held_up = stopped_in_the_middle(world)
    monkeypatch.setenv("PATH", path_with_git(world.root / "slow", "--ff-only", held_up))
    codes = []

    def deliver():
        with pytest.raises(GitFailed) as ended:
            next_owner.deliver(repository, "main", old=old, new=new, into_checkout=True)
        codes.append(ended.value.code)

    delivering = threading.Thread(target=deliver)
    delivering.start()
    until(lambda: all((world.repo / name).exists() for name in files))
    next_owner.stop()
    delivering.join(60)
    assert codes == ["git_stopped"]
    until(lambda: not left_over(world))  # strace is gone, and what it traced goes now
    assert world.git.finish(repository, "main", old=old, new=new, intended_at=intended) is None
    assert world.tree(world.repo, ".git/") == before
    assert world.plain("status", "--porcelain") == ""


@pytest.mark.proves("F-07")
def test_a_git_that_was_killed_has_not_answered(world, next_owner, monkeypatch):
    """Else the machine's want of memory would read as: there is no such branch."""
    monkeypatch.setenv("PATH", path_with_git(world.root / "slow", "rev-parse", "kill -KILL $$"))
    with pytest.raises(GitFailed) as killed:
        next_owner.commit_of(world.repository, "main")
    assert (killed.value.code, killed.value.broken_off) == ("git_killed", True)


@pytest.mark.proves("B-118")
def test_callers_that_wait_for_a_strangers_lock_share_one_tries_outcome(tmp_path, monkeypatch):
    """Each would otherwise wait for three seconds of its own, one behind the other."""
    monkeypatch.setattr(alone, "PATIENCE", 0.2)
    file, tries, refused = tmp_path / "git.lock", [], []
    guard = Alone(file, tries.append)
    strangers = os.open(file, os.O_RDWR | os.O_CREAT)
    fcntl.flock(strangers, fcntl.LOCK_EX)

    def ask():
        with pytest.raises(GitFailed) as seen, guard.held():
            pass
        refused.append(seen.value.code)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    with guard._gate:  # all of them come while one waits
        for thread in threads:
            thread.start()
        time.sleep(0.1)
    for thread in threads:
        thread.join()
    assert refused == ["git_left_over"] * 8
    assert len(tries) == alone.SWEEPS
    os.close(strangers)
    with guard.held():  # the next who comes tries anew
        pass


@pytest.mark.proves("B-118")
def test_a_folder_in_the_locks_place_is_named_with_what_to_do(tmp_path):
    file = tmp_path / "git.lock"
    file.mkdir()
    with pytest.raises(GitFailed) as seen, Alone(file, lambda mark: []).held():
        pass
    assert seen.value.code == "git_lock_unusable"
    assert str(file) in seen.value.text and "remove it" in seen.value.text
    file.rmdir()
    with Alone(file, lambda mark: []).held():
        pass
