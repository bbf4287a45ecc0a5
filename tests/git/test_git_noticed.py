"""What is easily passed over: hooks in the user's home, large ones, split indexes, folders that
were put aside, and a folder for temporary files from which nothing may be run."""

import os
import pwd
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from git_endings import Endings, any_endings
from git_watched import RUN, moved, put_back
from git_world import World

from roundtable_desktop.adapters.git import noted, traces
from roundtable_desktop.model.ports import GitFailed


def note_again(world: World) -> None:
    world.git.forget_note(str(world.copy), RUN)
    world.git.note(world.repository, str(world.copy), RUN)


@pytest.mark.proves("C-100 worktree", "S-65")
@pytest.mark.parametrize("named", ["~/hooks", "~{user}/hooks"])
def test_hooks_in_the_users_home_are_watched(
    world: World, linked: Path, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook, user = world.user_home / "hooks/pre-commit", pwd.getpwuid(os.getuid()).pw_name
    world.write({"hooks/pre-commit": "#!/bin/sh\n"}, world.user_home)
    world.plain("config", "core.hooksPath", named.format(user=user))

    entry = SimpleNamespace(pw_dir=str(world.user_home))
    monkeypatch.setattr(pwd, "getpwnam", {user: entry}.__getitem__)
    note_again(world)
    assert moved(world) == {}
    hook.write_text("#!/bin/sh\nelse\n")
    found = moved(world)
    assert set(found) == {str(hook)}
    put_back(world, found)
    assert moved(world) == {} and hook.read_text() == "#!/bin/sh\n"


@pytest.mark.proves("C-100 worktree")
def test_what_has_not_changed_is_not_read_again(
    world: World, linked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And of a hook of many megabytes nothing is read at all, though a change of it is told."""
    hooks, read = world.repo / ".git/hooks", []
    hooks.mkdir(exist_ok=True)
    (hooks / "small").write_text("#!/bin/sh\n")
    (hooks / "same").write_text("#!/bin/sh\n")
    with open(hooks / "large", "wb") as file:
        file.truncate(50 << 20)
    whole = noted.plain_bytes

    def counted(path: Path) -> bytes | None:
        read.append(path.name)
        return whole(path)

    monkeypatch.setattr(noted, "plain_bytes", counted)
    note_again(world)
    assert "small" in read and "large" not in read
    read.clear()
    assert moved(world) == {} and not {"small", "same", "large", "config"} & set(read)
    with open(hooks / "large", "r+b") as file:
        file.write(b"#!/bin/sh\n")
    os.utime(hooks / "large", ns=(0, 0))
    (hooks / "small").write_text("#!/bin/zz\n")
    (hooks / "same").write_text("#!/bin/sh\n")
    assert set(moved(world)) == {str(hooks / "small"), str(hooks / "large")}
    assert "large" not in read


@pytest.mark.proves("C-100 worktree")
def test_hooks_without_end_are_not_all_read(
    world: World, linked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noted, "ALL_BYTES", 1000)
    hooks = world.repo / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for number in range(9):
        (hooks / f"h{number}").write_text("x" * 300)
    note_again(world)
    assert moved(world) == {}
    for number in range(9):
        (hooks / f"h{number}").write_text("y" * 300)
    assert set(moved(world)) == {str(hooks / f"h{number}") for number in range(9)}


@pytest.mark.proves("C-100")
def test_files_that_a_split_index_alone_knows_are_collected(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = world.make_copy()
    base = world.branch_head()
    world.plain("config", "core.splitIndex", "true", cwd=copy)
    world.plain("config", "splitIndex.maxPercentChange", "0", cwd=copy)
    world.write({"build/out.txt": "ignored\n", "build/more.txt": "ignored\n"}, copy)
    world.plain("add", "-f", "build/out.txt", cwd=copy)
    world.plain("update-index", "--split-index", cwd=copy)
    world.plain("config", "splitIndex.maxPercentChange", "100", cwd=copy)
    world.plain("add", "-f", "build/more.txt", cwd=copy)
    (shared,) = (copy / ".git").glob("sharedindex.*")
    changed = {one.path for one in world.collect(base).changes}
    assert changed == {"build/out.txt", "build/more.txt"}
    read, whole = [], traces.plain_bytes

    def counted(path: Path) -> bytes | None:
        read.append(path.name)
        return whole(path)

    monkeypatch.setattr(traces, "plain_bytes", counted)
    index = (copy / ".git/index").read_bytes()
    for number in range(200):  # as an agent may leave them, each of any size
        other = os.urandom(20)
        (copy / f".git/sharedindex.{other.hex()}").write_bytes(shared.read_bytes())
        index += other if number % 2 else b"link" + bytes(4) + other
    (copy / ".git/index").write_bytes(index)
    world.collect(base)
    assert 0 < sum(name.startswith("sharedindex.") for name in read) <= 2, "of either length"


@pytest.mark.proves("C-107")
def test_a_split_index_of_the_users_is_delivered_into(world: World) -> None:
    world.plain("config", "core.splitIndex", "true")
    world.commit({"kept.txt": "k\n"})
    world.plain("update-index", "--split-index")
    new = world.propose({"a.txt": "agent\n", "c.txt": "new\n", "b.txt": None})
    world.write({"a.txt": "mine\n"})
    held = world.deliver(new).held
    assert held is not None and held["code"] == "path_changed"
    world.plain("checkout", "-q", "a.txt")
    world.write({"staged.txt": "s\n", "kept.txt": "mine\n"})
    world.plain("add", "staged.txt")
    assert world.deliver(new).held is None
    assert world.plain("status", "--porcelain") == " M kept.txt\nA  staged.txt"
    assert (world.repo / "a.txt").read_text() == "agent\n"


@pytest.mark.slow
@pytest.mark.proves("F-07", "C-107")
def test_a_delivery_into_a_split_index_may_be_ended_anywhere(world: World) -> None:
    world.plain("config", "core.splitIndex", "true")
    chance, endings = random.Random(11), Endings(world, 60)
    for _ in range(6):
        endings.end(*any_endings(chance))


@pytest.mark.proves("C-100 worktree")
def test_a_folder_that_was_put_aside_keeps_a_working_tree_of_its_own(world: World) -> None:
    """As after a restore: with git in there a person would harm the new one."""
    for number in range(2):
        copy = world.make_copy(linked=True)
        made = world.commit({"b.txt": f"agent {number}\n"}, copy)
        world.write({"c.txt": "staged\n"}, copy)
        world.plain("add", "c.txt", cwd=copy)
        aside = copy.with_name(f"one.before-{number}")
        copy.rename(aside)
        shutil.copytree(aside, copy.with_name(f"one.copied-{number}"))
        assert world.make_copy(linked=True) == copy
        assert world.plain("status", "--porcelain", cwd=aside) == "A  c.txt"
        assert world.plain("rev-parse", "HEAD", cwd=aside) == made
        world.plain("rm", "-q", "--cached", "a.txt", cwd=aside)
        world.plain("commit", "-q", "-m", "by hand", cwd=aside)
        assert world.plain("status", "--porcelain", cwd=copy) == ""
        assert world.plain("rev-parse", "HEAD", cwd=copy) == world.branch_head()
        with pytest.raises(AssertionError, match="not a git repository"):
            world.plain("status", cwd=copy.with_name(f"one.copied-{number}"))
        world.git.drop_copy(world.repository, str(copy))
    assert world.plain("worktree", "list").count("before-") == 2
    assert world.plain("worktree", "prune", "--dry-run") == ""


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A folder from which the system runs nothing; without the right to mount one, it is the
    system's answer that is played."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["mount", "-t", "tmpfs", "-o", "noexec,size=4m", "tmpfs", folder]
        mounted = os.getuid() == 0 and subprocess.run(words, capture_output=True).returncode == 0
        whole = os.access
        if not mounted:
            monkeypatch.setattr(
                os, "access", lambda path, mode: mode != os.X_OK and whole(path, mode)
            )
        yield folder
        if mounted:
            subprocess.run(["umount", folder], check=True)


@pytest.mark.proves("C-107", "S-65")
def test_a_delivery_without_its_hook_is_none(
    world: World, closed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, base = world.propose({"a.txt": "agent\n"}), world.branch_head()
    before = world.untouched()
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", closed)
        with pytest.raises(GitFailed, match="hooks_switched_off") as raised:
            world.deliver(new)
    assert raised.value.text == closed and not raised.value.broken_off
    assert world.branch_head() == base and world.untouched() == before
    assert world.deliver(new).held is None
