"""A pipe where git expects a file: git is not started, and the person is told what mends it."""

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from git_watched import RUN, as_it_was, moved, put_back
from git_world import AT, MESSAGE, REF, World

from roundtable_desktop.adapters.git import command, special
from roundtable_desktop.adapters.git.names import pasted
from roundtable_desktop.model.errors import Refused
from roundtable_desktop.model.moved import Moved, What, reason
from roundtable_desktop.model.ports import Collected, GitFailed, Repository

SOON = 4.0
"""Seconds. git would wait for ever, and its own time limit is 60."""
PLACES = (
    *("config", "packed-refs", "HEAD", "index", "info/exclude", "info/attributes", "shallow"),
    *("objects/info/alternates", "refs/heads/main", "refs/tags/v9", "logs/HEAD"),
    *("objects/pack/pack-1.idx", f"sharedindex.{'a' * 40}"),
)


def pipe(path: Path) -> Path:
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    return path


def refused(act: Callable[[], object]) -> GitFailed:
    began = time.monotonic()
    with pytest.raises(GitFailed, match="special_file") as raised:
        act()
    assert time.monotonic() - began < SOON
    assert not raised.value.broken_off
    return raised.value


@pytest.mark.proves("S-65", "B-118")
@pytest.mark.parametrize("name", PLACES)
def test_a_pipe_in_the_place_of_gits_own_is_named_and_mended(world: World, name: str) -> None:
    new, base = world.propose({"a.txt": "agent\n"}), world.branch_head()
    repository = world.repository
    path = pipe(world.repo / ".git" / name)
    acts: list[Callable[[], object]] = [
        lambda: world.git.deliver(repository, "main", old=base, new=new, into_checkout=True),
        lambda: world.git.commit_of(repository, "main"),
        lambda: world.git.inspect(str(world.repo)),
        lambda: world.git.finish(repository, "main", old=base, new=new, intended_at=AT),
    ]
    failures = [refused(act) for act in acts]
    assert {one.text for one in failures} == {str(path)}
    world.shell(failures[0].command, world.root)
    delivered = world.git.deliver(repository, "main", old=base, new=new, into_checkout=True)
    assert delivered.held is None and world.branch_head() == new
    assert world.plain("symbolic-ref", "HEAD") == "refs/heads/main"
    assert world.plain("status", "--porcelain") == ""


@pytest.mark.proves("S-65", "B-118")
@pytest.mark.parametrize("name", ["HEAD", "config", "index", "packed-refs"])
@pytest.mark.parametrize("what", ["folder", "circle"])
def test_a_folder_or_a_circle_there_is_named_and_mended(world: World, name: str, what: str) -> None:
    new, base, repository = world.propose({"a.txt": "x\n"}), world.branch_head(), world.repository
    path = world.repo / ".git" / name
    path.unlink(missing_ok=True)
    if what == "folder":
        path.mkdir()
        (path / "mine").write_text("kept")
    else:
        path.symlink_to(path)
    acts: list[Callable[[], object]] = [
        world.make_copy,
        lambda: world.git.commit_of(repository, "main"),
        lambda: world.git.deliver(repository, "main", old=base, new=new, into_checkout=True),
    ]
    failures = [refused(act) for act in acts]
    assert {one.text for one in failures} == {str(path)}
    world.shell(failures[0].command, world.root)
    assert world.deliver(new).held is None and world.branch_head() == new
    assert what == "circle" or Path(f"{path}.aside/mine").read_text() == "kept"


@pytest.mark.proves("S-65")
def test_a_pipe_in_the_place_of_the_whole_git_directory_is_named(world: World) -> None:
    git_dir = world.repo / ".git"
    git_dir.rename(world.root / "away")
    pipe(git_dir)
    for act in (world.make_copy, lambda: world.git.commit_of(world.repository, "main")):
        failed = refused(act)
        assert failed.text == str(git_dir)
    world.shell(failed.command, world.root)
    (world.root / "away").rename(git_dir)
    assert world.git.commit_of(world.repository, "main") == world.branch_head()


@pytest.mark.proves("S-65")
def test_links_sockets_and_devices_that_stop_nobody_are_none(world: World) -> None:
    new, git_dir = world.propose({"a.txt": "agent\n"}), world.repo / ".git"
    exclude = git_dir / "info/exclude"
    exclude.unlink(missing_ok=True)
    exclude.symlink_to(os.devnull)
    (git_dir / "config").rename(world.root / "config")
    (git_dir / "config").symlink_to(world.root / "config")
    here = os.getcwd()
    os.chdir(git_dir)
    with socket.socket(socket.AF_UNIX) as watcher:
        watcher.bind("fsmonitor--daemon.ipc")
        os.chdir(here)
        pipe(world.repo / "HEAD")
        assert world.deliver(new).held is None
    repository = world.repository
    exclude.unlink()
    exclude.symlink_to("/dev/zero")
    failed = refused(lambda: world.git.commit_of(repository, "main"))
    world.shell(failed.command, world.root)
    assert Path("/dev/zero").exists() and not os.path.lexists(exclude)


@pytest.mark.proves("S-65")
def test_a_path_that_git_is_told_is_read_as_git_reads_it(world: World) -> None:
    """To the NUL in it, which is in no name of a file."""
    whole, here = world.repo / ".git", world.root / "here"
    pipe(whole / "shallow")
    here.mkdir()
    (here / ".git").write_bytes(b"gitdir: " + os.fsencode(whole) + b"\0more\n")
    assert refused(lambda: world.git.inspect(str(here))).text == str(whole / "shallow")
    (here / ".git").write_bytes(b"gitdir: \0")
    with pytest.raises(Refused):
        world.git.inspect(str(here))
    (whole / "shallow").unlink()
    (here / "in").mkdir()
    (here / "in/commondir").write_bytes(b"..\0..\n")
    assert special.common_of(here / "in") == here
    special.refuse_closely([here / "in", special.common_of(here / "in")], here)


@pytest.mark.proves("S-65")
def test_what_was_left_cannot_be_collected_and_stays(world: World) -> None:
    base, repository = world.branch_head(), world.repository
    copy = world.make_copy()
    world.write({"a.txt": "agent\n"}, copy)
    for name in ("objects/info/alternates", "packed-refs"):
        path = pipe(world.repo / ".git" / name)
        failed = refused(lambda: collected(world, repository, base))
        assert failed.text == str(path)
        world.shell(failed.command, world.root)
    assert collected(world, repository, base).head is not None


def collected(world: World, repository: Repository, base: str) -> Collected:
    return world.git.collect(
        repository, str(world.copy), base=base, ref=REF, message=MESSAGE, at=AT
    )


@pytest.mark.proves("C-100 worktree", "S-65")
@pytest.mark.parametrize("name", ["HEAD", "index", "commondir", "gitdir", "config.worktree"])
def test_pipes_of_a_linked_tree_stop_it_alone(world: World, linked: Path, name: str) -> None:
    base, repository = world.branch_head(), world.repository
    world.write({"a.txt": "agent\n"}, linked)
    (place,) = (world.repo / ".git/worktrees").iterdir()
    pipe(place / name)
    began = time.monotonic()
    try:
        collected(world, repository, base)
    except GitFailed as failed:
        assert failed.code == "special_file" and failed.text == str(place / name)
        world.shell(failed.command, world.root)
        assert collected(world, repository, base).head is not None
    world.git.refs(repository)
    assert world.git.moved(repository, str(linked), "unknown") is None
    assert time.monotonic() - began < 2 * SOON


@pytest.mark.proves("S-65")
def test_a_pipe_of_another_working_tree_holds_what_looks_at_all(world: World) -> None:
    new, base, other = world.propose({"a.txt": "x\n"}), world.branch_head(), world.root / "other"
    world.plain("worktree", "add", "-q", "--detach", str(other))
    repository, path = world.repository, pipe(world.repo / ".git/worktrees/other/HEAD")
    failed = refused(
        lambda: world.git.deliver(repository, "main", old=base, new=new, into_checkout=True)
    )
    assert failed.text == str(path)
    assert world.git.commit_of(repository, "main") == base
    world.make_copy()


@pytest.mark.slow
@pytest.mark.proves("S-65", "B-118")
def test_a_pipe_that_no_look_saw_ends_git_as_well(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the place of an object, and of what steers git in the working tree."""
    monkeypatch.setattr(command, "SUSPECT_SECONDS", 0.3)
    new, base, repository = world.propose({"a.txt": "x\n"}), world.branch_head(), world.repository
    loose = world.repo / ".git/objects" / new[:2] / new[2:]
    kept = loose.read_bytes()
    pipe(loose)
    failed = refused(lambda: world.git.diff(repository, base, new, 1000))
    assert failed.text == str(loose)
    world.shell(failed.command, world.root)
    loose.write_bytes(kept)
    steering = pipe(world.repo / ".gitattributes")
    failed = refused(
        lambda: world.git.deliver(repository, "main", old=base, new=new, into_checkout=True)
    )
    assert failed.text == str(steering)
    world.shell(failed.command, world.root)
    assert world.deliver(new).held is None
    assert not list((world.repo / ".git").glob("*.lock"))


@pytest.mark.proves("S-65")
@pytest.mark.parametrize("name", ["sub\ntouch PWNED #", "sub\r\x1b[2J\u2028x", "\udcff\n"])
def test_what_a_person_pastes_is_ours_whatever_the_name(world: World, name: str) -> None:
    """The path stands before it, in a line of its own."""
    folder = world.root / "work" / name
    folder.mkdir(parents=True)
    innocent = folder.with_name("\udcff")
    innocent.write_text("mine")
    path = pipe(folder / ".gitignore")
    failed = refused(lambda: special.refuse_traps(world.root / "work"))
    assert failed.text.isprintable() and failed.command.startswith("rm -f -- ")
    world.shell(failed.command, world.root)
    assert not path.exists() and os.listdir(world.root / "work").count("PWNED") == 0
    world.shell(pasted("rm", "-rf", "--", str(folder)), world.root)
    assert not folder.exists() and innocent.read_text() == "mine"


@pytest.mark.slow
@pytest.mark.proves("S-65")
def test_the_time_of_such_a_look_is_none_of_gits(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large tree on a slow disk takes long to look through."""
    monkeypatch.setattr(command, "SUSPECT_SECONDS", 0.0)
    looks: list[int] = []

    def slow() -> None:
        looks.append(1)
        time.sleep(1.7)

    runner, config = world.git._runner, {"alias.slow": "!sleep 2"}
    told = runner.run(["slow"], cwd=world.repo, config=config, seconds=1.5, suspect=slow)
    assert told.code == 0 and looks == [1]


@pytest.mark.slow
@pytest.mark.proves("S-65")
def test_a_git_that_is_stuck_leaves_no_lock_behind(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log of a ref, that came after the look: git has the ref's lock when it opens it."""
    monkeypatch.setattr(command, "SUSPECT_SECONDS", 0.3)
    world.plain("switch", "-q", "--detach")
    new, base, git_dir = world.propose({"a.txt": "x\n"}), world.branch_head(), world.repo / ".git"
    repository, whole = world.repository, world.git._runner.run
    path = git_dir / "logs/refs/heads/main"

    def late(arguments, **more):
        if arguments[0] == "update-ref":
            pipe(path)
        return whole(arguments, **more)

    monkeypatch.setattr(world.git._runner, "run", late)
    failed = refused(
        lambda: world.git.deliver(repository, "main", old=base, new=new, into_checkout=True)
    )
    assert failed.text == str(path)
    assert not list(git_dir.rglob("*.lock")) and world.plain("rev-parse", "main") in (base, new)


@pytest.mark.slow
@pytest.mark.proves("C-100 worktree", "S-65")
@pytest.mark.parametrize(
    ("what", "name"),
    [
        *(("folder", name) for name in ("config", "packed-refs", "HEAD", "index")),
        *(("pipe", name) for name in ("config", "packed-refs", "HEAD", "index")),
        *(("pipe", name) for name in ("refs/heads/side", "info/attributes")),
    ],
)
def test_what_a_run_made_a_pipe_or_a_folder_is_told_with_the_way_back(
    world: World, linked: Path, name: str, what: str
) -> None:
    git_dir = world.repo / ".git"
    world.plain("pack-refs", "--all")
    world.plain("branch", "-f", "side", world.plain("commit-tree", "HEAD^{tree}", "-m", "x"))
    (git_dir / "info/attributes").write_text("*.bin binary\n")
    world.git.forget_note(str(linked), RUN)
    world.git.note(world.repository, str(linked), RUN)
    before, repository = as_it_was(world), world.repository
    path = pipe(git_dir / name)
    if what == "folder":
        path.unlink()
        path.mkdir()
    began = time.monotonic()
    found = told(world, repository)
    assert time.monotonic() - began < SOON
    (one,) = found.values()
    assert one.name == (str(world.repo) if name == "HEAD" else str(path))
    assert one.new == "special_file" and one.takes and reason([one]) is not None
    put_back(world, found)
    assert moved(world) == {} and as_it_was(world) == before


def told(world: World, repository: Repository) -> dict[str, Moved]:
    found = world.git.moved(repository, str(world.copy), RUN)
    assert found is not None
    return {one.name: one for one in found}


@pytest.mark.proves("C-100 worktree", "S-65")
@pytest.mark.parametrize(
    "name",
    ["refs", "refs/heads", "refs/tags", "refs/roundtable", "objects", "objects/pack", "logs"],
)
def test_a_link_in_the_place_of_a_folder_is_told_and_its_content_stays(
    world: World, linked: Path, name: str
) -> None:
    git_dir, away = world.repo / ".git", world.root / "away"
    before = as_it_was(world)
    (git_dir / name).rename(away)
    (git_dir / name).symlink_to(away)
    found = moved(world)
    assert [(one.what, one.name) for one in found.values()] == [(What.FILE, str(git_dir / name))]
    put_back(world, found)
    assert moved(world) == {} and as_it_was(world) == before
    assert not (git_dir / name).is_symlink() and world.plain("fsck") == ""
