"""What a run left in its copy becomes one commit, or is held with the reason."""

import os
import socket

import pytest

from roundtable_desktop.model.ports import GitFailed

from_agent = {"a.txt": "agent\n", "new/x.txt": "new\n", "b.txt": None}


def paths(collected):
    return {change.path: change.status for change in collected.changes}


@pytest.mark.proves("C-100")
def test_a_run_becomes_one_commit_on_its_base(world):
    world.make_copy()
    world.write(from_agent, world.copy)
    collected = world.collect()
    assert paths(collected) == {"a.txt": "M", "b.txt": "D", "new/x.txt": "A"}
    assert collected.held is None
    shown = world.plain("log", "-1", "--format=%P|%an|%ae|%cn|%ct|%B", collected.head)
    assert shown == (
        f"{world.branch_head()}|Ada Lovelace|ada@example.org|Ada Lovelace|1772366400|"
        "Do it\n\nRoundtable-Run: r1"
    )
    assert world.plain("rev-parse", "refs/roundtable/proposals/p1") == collected.head
    assert world.plain("fsck", "--strict") == ""


def test_the_same_copy_gives_the_same_commit_however_it_was_made(world):
    world.make_copy()
    world.write(from_agent, world.copy)
    first = world.collect()
    world.plain("add", "-A", cwd=world.copy)
    world.plain("commit", "-q", "-m", "mine", cwd=world.copy)
    assert world.collect() == first
    world.git.drop_ref(world.repository, "refs/roundtable/proposals/p1")
    assert world.collect() == first


def test_nothing_changed_is_no_proposal(world):
    world.make_copy()
    world.commit({"a.txt": "there and back\n"}, world.copy)
    world.write({"a.txt": "a\n", ".env": "ignored\n", "build/x": "ignored\n"}, world.copy)
    collected = world.collect()
    assert (collected.head, collected.changes, collected.held) == (None, (), None)
    assert world.plain("for-each-ref", "refs/roundtable/proposals") == ""


def test_what_the_agent_tracked_counts_though_it_is_ignored(world):
    world.make_copy()
    world.commit({"build/kept.js": "kept\n"}, world.copy)
    world.write({"build/staged.js": "staged\n", "build/left.js": "left\n"}, world.copy)
    world.plain("add", "-f", "build/staged.js", cwd=world.copy)
    assert set(paths(world.collect())) == {"build/kept.js", "build/staged.js"}


@pytest.mark.parametrize("branch", ["work", "packed"])
def test_the_agents_branch_is_found_loose_and_packed(world, branch):
    world.make_copy()
    world.plain("switch", "-q", "-c", branch, cwd=world.copy)
    world.commit({"build/kept.js": "kept\n"}, world.copy)
    if branch == "packed":
        world.plain("gc", "-q", cwd=world.copy)
        world.plain("pack-refs", "--all", cwd=world.copy)
    assert set(paths(world.collect())) == {"build/kept.js"}


@pytest.mark.proves("B-128")
def test_odd_names_come_over_with_their_true_names(world):
    names = ["Prüf ung/日本語 1.md", "neu — 2.md", "a\tb.txt", "-x.txt", "new\nline", '"quoted"',
             ":(top)x", "back\\slash", " lead", "..dots", "*"]  # fmt: skip
    world.make_copy()
    world.write({name: f"{name}\n" for name in names}, world.copy)
    (world.copy / "a.txt").rename(world.copy / "café.txt")
    collected = world.collect()
    assert set(paths(collected)) == {*names, "a.txt", "café.txt"}
    patch, whole = world.git.diff(world.repository, world.branch_head(), collected.head, 10**6)
    assert whole
    assert "rename from a.txt" in patch
    assert "日本語" in patch
    assert world.deliver(collected.head).held is None
    assert (world.repo / "Prüf ung/日本語 1.md").read_text() == "Prüf ung/日本語 1.md\n"


def test_a_name_that_is_no_text_is_shown_as_text(world):
    world.make_copy()
    with open(os.fsencode(world.copy) + b"/caf\xe9", "w") as file:
        file.write("x")
    assert set(paths(world.collect())) == {"caf\\xe9"}


def test_binary_modes_and_lines_are_told(world):
    world.make_copy()
    world.write({"x.bin": b"\0\1" * 100_000, "a.txt": "1\n2\n3\n"}, world.copy)
    (world.copy / "b.txt").chmod(0o755)
    by_path = {change.path: change for change in world.collect().changes}
    assert (by_path["x.bin"].added, by_path["x.bin"].removed) == (None, None)
    assert (by_path["a.txt"].added, by_path["a.txt"].removed) == (3, 1)
    assert (by_path["b.txt"].old_mode, by_path["b.txt"].new_mode) == ("100644", "100755")


def test_the_diff_is_cut_at_its_limit(world):
    world.make_copy()
    world.write({"long.txt": "line\n" * 200_000}, world.copy)
    head = world.collect().head
    text, whole = world.git.diff(world.repository, world.branch_head(), head, 5000)
    assert (len(text), whole) == (5000, False)


def test_an_attribute_cannot_hide_a_file_from_the_diff(world):
    world.make_copy()
    world.write({".gitattributes": "* -diff\n", "evil.py": "visible\n"}, world.copy)
    head = world.collect().head
    assert "+visible" in world.git.diff(world.repository, world.branch_head(), head, 10**6)[0]


@pytest.mark.proves("S-67")
@pytest.mark.parametrize(
    ("link", "target", "held"),
    [
        ("link", "/etc/passwd", True),
        ("dir/link", "../../outside", True),
        ("link", ".git/config", True),
        ("dir/link", "../a.txt", False),
        ("link", "..dots", False),
    ],
)
def test_a_link_out_of_the_tree_is_held(world, link, target, held):
    world.make_copy()
    (world.copy / link).symlink_to(target)
    collected = world.collect()
    assert collected.head
    assert collected.held == ({"code": "symlink_outside", "path": link} if held else None)


@pytest.mark.proves("S-67")
@pytest.mark.parametrize(
    "name", [".GIT/config", ".git::$INDEX/x", "GIT~1", ".g\u200cit/config", "dir/.Git", ".git /x"]
)
def test_a_git_directory_in_disguise_is_left_out_and_held(world, name):
    world.make_copy()
    world.write({name: "[core]\n", "a.txt": "agent\n"}, world.copy)
    collected = world.collect()
    assert paths(collected) == {"a.txt": "M"}
    assert collected.held == {"code": "git_name", "path": name}


@pytest.mark.proves("S-67")
def test_a_linked_gitmodules_is_left_out_and_held(world):
    world.make_copy()
    (world.copy / ".gitmodules").symlink_to("a.txt")
    world.write({"a.txt": "agent\n"}, world.copy)
    collected = world.collect()
    assert paths(collected) == {"a.txt": "M"}
    assert collected.held == {"code": "git_name", "path": ".gitmodules"}


@pytest.mark.proves("S-67")
def test_a_nested_repository_is_held_and_its_files_are_left_out(world):
    world.make_copy()
    for name in ("with", "without"):
        nested = world.copy / name
        world.plain("init", "-q", str(nested), cwd=world.copy)
        world.write({"x.txt": "x\n"}, nested)
    world.commit({"y.txt": "y\n"}, world.copy / "with")
    world.write({"a.txt": "agent\n"}, world.copy)
    collected = world.collect()
    assert paths(collected) == {"a.txt": "M"}
    assert collected.held["code"] == "submodule"
    assert {collected.held["path"], collected.held["also"][0]["path"]} == {"with", "without"}


def test_a_gitlink_that_the_agent_committed_is_held(world):
    world.make_copy()
    world.plain("init", "-q", str(world.copy / "sub"), cwd=world.copy)
    world.commit({"y.txt": "y\n"}, world.copy / "sub")
    world.commit({"a.txt": "agent\n"}, world.copy)
    assert world.collect().held == {"code": "submodule", "path": "sub"}


@pytest.mark.proves("S-67", "B-126")
def test_a_changed_path_with_a_filter_is_held(world):
    world.make_copy()
    world.write({".gitattributes": "*.bin filter=lfs\n", "x.bin": "raw\n"}, world.copy)
    assert world.collect().held == {"code": "filter", "filter": "lfs", "path": "x.bin"}


def test_folders_and_files_that_change_places_are_collected(world):
    world.make_copy()
    world.write({"a.txt": None, "dir/c.txt": None}, world.copy)
    (world.copy / "dir").rmdir()
    world.write({"a.txt/deep": "x\n", "dir": "file\n"}, world.copy)
    expected = {"a.txt": "D", "a.txt/deep": "A", "dir": "A", "dir/c.txt": "D"}
    assert paths(world.collect()) == expected


@pytest.mark.proves("S-67")
def test_a_folder_that_became_a_link_brings_nothing_from_behind_it(world):
    outside = world.root / "outside"
    world.write({"c.txt": "secret\n"}, outside)
    world.make_copy()
    world.write({"dir/c.txt": None}, world.copy)
    (world.copy / "dir").rmdir()
    (world.copy / "dir").symlink_to(outside)
    collected = world.collect()
    assert paths(collected) == {"dir": "A", "dir/c.txt": "D"}
    assert collected.held == {"code": "symlink_outside", "path": "dir"}


def test_pipes_sockets_and_stale_locks_are_no_obstacle(world):
    world.make_copy()
    os.mkfifo(world.copy / "pipe")
    (world.copy / "a.txt").unlink()
    os.mkfifo(world.copy / "a.txt")
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(world.copy)  # a socket's path is short
        listener.bind("sock")
        os.chdir("/")
    world.write({".git/index.lock": "", ".git/HEAD.lock": "", "new.txt": "x\n"}, world.copy)
    assert paths(world.collect()) == {"a.txt": "D", "new.txt": "A"}


@pytest.mark.parametrize("where", [".gitignore", "dir/.gitattributes", "sub/.git/HEAD"])
def test_a_pipe_that_git_would_read_is_refused_at_once(world, where):
    world.make_copy()
    pipe = world.copy / where
    pipe.parent.mkdir(parents=True, exist_ok=True)
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    with pytest.raises(GitFailed, match="special_file"):
        world.collect()


@pytest.mark.parametrize(
    "name", ["HEAD", "index", "config", "packed-refs", "objects/info/alternates"]
)
def test_a_pipe_in_the_copys_git_directory_blocks_nothing(world, name):
    world.make_copy()
    world.write({"a.txt": "agent\n"}, world.copy)
    pipe = world.copy / ".git" / name
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    assert paths(world.collect()) == {"a.txt": "M"}


@pytest.mark.proves("S-65")
@pytest.mark.parametrize("how", ["deleted", "file", "link", "rubbish"])
def test_a_git_directory_that_is_none_any_more_is_told_and_the_files_are_kept(world, how):
    world.make_copy()
    world.write({"a.txt": "agent\n"}, world.copy)
    git_dir = world.copy / ".git"
    if how == "rubbish":
        for path in git_dir.rglob("*"):
            if path.is_file():
                path.write_bytes(b"\xff\0rubbish")
    else:
        git_dir.rename(world.root / "theirs")
        if how == "file":
            git_dir.write_text(f"gitdir: {world.root / 'theirs'}\n")
        elif how == "link":
            git_dir.symlink_to(world.root / "theirs")
    collected = world.collect()
    assert paths(collected) == {"a.txt": "M"}
    assert collected.held["code"] == "repository_configuration_changed"


@pytest.mark.proves("S-67")
def test_an_underlined_heading_is_no_conflict_that_was_left(world):
    world.make_copy()
    plain = {"readme.rst": "License\n=======\n\nMIT\n", "table.txt": "||||||| \n=======\n"}
    world.write(plain, world.copy)
    assert world.collect().held is None
    marked = {
        "both.txt": "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
        "begun.txt": "<<<<<<< ours\na\n",
        "ended.txt": "a\n>>>>>>> theirs\n",
    }
    world.write(marked, world.copy)
    assert world.collect().held == {"code": "conflict_marks", "paths": sorted(marked)}


def test_an_unreadable_file_is_a_failure_and_not_a_deletion(world, monkeypatch):
    world.make_copy()
    world.write({"a.txt": "agent\n"}, world.copy)
    monkeypatch.setattr(os, "access", lambda *_: False)  # the tests may run as root
    with pytest.raises(GitFailed, match="unreadable"):
        world.collect()


def test_a_copy_that_is_gone_is_a_failure(world):
    with pytest.raises(GitFailed, match="copy_missing"):
        world.collect()


@pytest.mark.slow
@pytest.mark.proves("S-67")
def test_many_files_and_a_big_one_are_collected(world):
    world.make_copy()
    world.write({f"many/{n % 50}/{n}.txt": f"{n}\n" for n in range(1000)}, world.copy)
    world.write({"big.bin": os.urandom(5_000_000)}, world.copy)
    collected = world.collect()
    assert len(collected.changes) == 1001
    assert world.plain("cat-file", "-s", f"{collected.head}:big.bin") == "5000000"
