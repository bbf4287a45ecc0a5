"""What is found out about a repository when it is registered."""

import shutil
from pathlib import Path

import pytest

from roundtable_desktop.adapters.git import HardenedGit, check_branch
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.ports import GitFailed

BAD_NAMES = [
    "-x", "--output=/tmp/p", "--upload-pack=touch x", "a..b", "HEAD", "@", "", "refs/heads/-u",
    "x;id", "x" * 300, "a\nb", "a b", "a\x00b", "x.lock", "a/x.lock/b", ".a", "a/.b", "a/", "/a",
    "a//b", "a.", "a~1", "a^", "a:b", "a?", "a*", "a[b", "a\\b", "a@{b", "a/-b", "$(id)", "`id`",
    "a|b", "a\u202eb", "\udc80", "refs/heads/main",
]  # fmt: skip


@pytest.mark.proves("S-66")
@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_bad_branch_name_is_refused_at_every_door(world, name):
    with pytest.raises(Invalid) as refused:
        check_branch(name)
    assert refused.value.code == "bad_branch_name"
    head = world.branch_head()
    for call in (
        lambda: world.git.commit_of(world.repository, name),
        lambda: world.prepare(head, head, branch=name),
        lambda: world.git.deliver(world.repository, name, old=head, new=head, into_checkout=True),
    ):
        with pytest.raises(Invalid):
            call()


@pytest.mark.parametrize("name", ["main", "feature/über-x_1.2", "roundtable/m/slug", "fix#12"])
def test_a_good_branch_name_becomes_its_full_ref(name):
    assert check_branch(name) == f"refs/heads/{name}"


@pytest.mark.proves("S-66")
@pytest.mark.parametrize(
    "word", ["-x", "--output=x", "HEAD", "main", "a" * 39, "A" * 40, "main^{}"]
)
def test_only_whole_object_names_are_commits(world, word):
    head = world.branch_head()
    with pytest.raises(GitFailed, match="bad_commit"):
        world.git.changes(world.repository, head, word)
    with pytest.raises(GitFailed, match="bad_commit"):
        world.make_copy(word)


@pytest.mark.parametrize(
    "ref", ["refs/heads/main", "-d", "refs/roundtable/", "refs/roundtable/../x"]
)
def test_only_refs_of_ours_are_dropped(world, ref):
    with pytest.raises(GitFailed, match="bad_ref"):
        world.git.drop_ref(world.repository, ref)


def test_identity_settings_and_branch_are_read_with_the_users_home(world):
    ignore = world.user_home / ".config/git/ignore"
    ignore.parent.mkdir(parents=True)
    ignore.write_text("*.swp\n")
    world.plain("config", "--global", "core.autocrlf", "input")
    facts = world.git.inspect(str(world.repo / "dir"))
    assert facts.path == str(world.repo)
    assert facts.git_dir == str(world.repo / ".git")
    assert (facts.branch, facts.author_name) == ("main", "Ada Lovelace")
    assert facts.author_email == "ada@example.org"
    assert facts.settings["core.autocrlf"] == "input"
    assert facts.settings["core.excludesfile"] == str(ignore)


@pytest.mark.proves("B-131", "C-108")
def test_a_missing_identity_is_empty_and_none_is_invented(world):
    (world.user_home / ".gitconfig").write_text("")
    facts = world.git.inspect(str(world.repo))
    assert (facts.author_name, facts.author_email) == ("", "")
    world.make_copy()
    world.write({"a.txt": "changed\n"}, world.copy)
    with pytest.raises(GitFailed, match="no_identity"):
        world.collect()


def test_a_linked_worktree_is_a_repository_and_shares_its_git_directory(world):
    linked = world.root / "linked"
    world.plain("worktree", "add", "-q", "-b", "dev", str(linked))
    facts = world.git.inspect(str(linked))
    assert (facts.path, facts.branch) == (str(linked), "dev")
    assert facts.git_dir == str(world.repo / ".git")


def test_a_detached_head_has_no_branch(world):
    world.plain("checkout", "-q", "--detach")
    assert world.git.inspect(str(world.repo)).branch is None


def refusal(world, path: Path) -> str:
    with pytest.raises(Invalid) as refused:
        world.git.inspect(str(path))
    assert refused.value.pointer == "/path"
    return refused.value.code


def test_what_is_no_repository_is_refused_with_a_code(world):
    empty, bare, outside = (world.root / name for name in ("new", "bare.git", "outside"))
    world.plain("init", "-q", str(empty))
    world.plain("init", "-q", "--bare", str(bare))
    outside.mkdir()
    assert refusal(world, world.root / "gone") == "path_missing"
    assert refusal(world, outside) == "not_a_repository"
    assert refusal(world, bare) == "bare_repository"
    assert refusal(world, empty) == "no_commit"
    assert refusal(world, world.repo / ".git") == "inside_git_dir"
    assert refusal(world, world.repo / ".git/refs") == "inside_git_dir"


def test_a_repository_that_claims_another_tree_is_refused(world):
    elsewhere = world.root / "elsewhere"
    elsewhere.mkdir()
    world.plain("config", "core.worktree", str(elsewhere))
    assert refusal(world, world.repo) == "not_a_repository"


def stand_in(folder: Path, text: str) -> str:
    folder.mkdir()
    program = folder / "git"
    program.write_text(f"#!/bin/sh\necho {text}\n")
    program.chmod(0o755)
    return str(folder)


def test_an_old_git_and_no_git_are_told_apart(world, monkeypatch):
    monkeypatch.setenv("PATH", stand_in(world.root / "old", "git version 2.37.9"))
    world.git = HardenedGit(world.root / "empty", world.user_home)
    assert refusal(world, world.repo) == "git_too_old"
    shutil.rmtree(world.root / "old")
    assert refusal(world, world.repo) == "git_missing"
