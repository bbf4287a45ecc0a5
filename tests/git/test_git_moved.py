"""What an agent in a linked working tree moved of the user's: named, with the way back."""

import json
import os
from pathlib import Path

import pytest
from git_watched import AGENT, RUN, as_it_was, by_agent, moved, put_back
from git_world import World

from roundtable_desktop.model.moved import By, Moved, What, reason
from roundtable_desktop.model.ports import Repository

# what an agent does → what it moves by that, and whether git's log of it can tell who it was
REFS = {
    ("branch", "-f", "side", "v2"): ("refs/heads/side", By.AGENT),
    ("branch", "-D", "gone"): ("refs/heads/gone", By.UNKNOWN),
    ("update-ref", "refs/heads/main", "v2"): ("refs/heads/main", By.AGENT),
    ("tag", "-f", "v1", "v2"): ("refs/tags/v1", By.UNKNOWN),
    ("tag", "-d", "v0"): ("refs/tags/v0", By.UNKNOWN),
    ("branch", "mine"): ("refs/heads/mine", By.AGENT),
    ("update-ref", "-d", "refs/roundtable/left/r1"): ("refs/roundtable/left/r1", By.UNKNOWN),
}
IN_CHECKOUT = {
    ("switch", "-q", "side"): ("HEAD", By.AGENT),
    ("reset", "-q", "--keep", "v2"): ("refs/heads/main", By.AGENT),
    ("symbolic-ref", "HEAD", "refs/heads/side"): ("HEAD", None),  # as git's version has it
}


@pytest.fixture
def watched(world: World) -> Path:
    """A linked tree, with refs of all kinds beside it."""
    first = world.branch_head()
    world.plain("update-ref", "refs/roundtable/left/r1", first)
    world.plain("tag", "v2", first)
    world.commit({"b.txt": "more\n"})
    for ref in ("v0", "v1"):
        world.plain("tag", ref)
    for ref in ("side", "gone"):
        world.plain("branch", ref)
    copy = world.make_copy(linked=True)
    world.git.note(world.repository, str(copy), RUN)
    return copy


@pytest.mark.proves("C-100 worktree", "S-65")
def test_refs_that_an_agent_moves_are_told_with_the_way_back(world: World, watched: Path) -> None:
    before = as_it_was(world)
    for words in REFS:
        by_agent(world, watched, *words)
    found = moved(world)
    assert {(one.name, one.by) for one in found.values()} == set(REFS.values())
    assert all(one.old != one.new for one in found.values())
    put_back(world, found)
    assert moved(world) == {}
    assert as_it_was(world) == before


@pytest.mark.proves("C-100 worktree", "S-65")
def test_what_an_agent_does_in_the_users_checkout_is_told_with_the_way_back(
    world: World, watched: Path
) -> None:
    before = as_it_was(world)
    for words, (name, by) in IN_CHECKOUT.items():
        by_agent(world, watched, "-C", str(world.repo), *words)
        found = moved(world)
        (one,) = found.values()
        assert one.name == (str(world.repo) if name == "HEAD" else name)
        assert one.by is (by or one.by)
        put_back(world, found)
        assert as_it_was(world) == before


@pytest.mark.proves("C-100 worktree", "S-65")
def test_hooks_configuration_and_stashes_are_told_with_the_way_back(
    world: World, linked: Path
) -> None:
    git_dir = world.repo / ".git"
    (git_dir / "hooks").mkdir(exist_ok=True)
    world.write({"a.txt": "mine\n"})
    world.plain("stash")
    world.git.forget_note(str(linked), RUN)
    world.git.note(world.repository, str(linked), RUN)
    before = as_it_was(world)
    by_agent(world, linked, "config", "core.fsmonitor", "/bin/true")
    (git_dir / "hooks/post-checkout").write_text("#!/bin/sh\n")
    (git_dir / "info/attributes").write_text("* filter=x\n")
    (linked / "a.txt").write_text("agent\n")
    by_agent(world, linked, "stash")
    found = moved(world)
    assert set(found) == {
        str(git_dir / "config"), str(git_dir / "hooks/post-checkout"),
        str(git_dir / "info/attributes"), "refs/stash",
    }  # fmt: skip
    assert found[str(git_dir / "config")].keys == ("core.fsmonitor",)
    assert found["refs/stash"].by is By.AGENT
    why = reason(list(found.values()))
    assert why is not None and why["code"] == "users_configuration_changed"
    put_back(world, found)
    assert moved(world) == {}
    assert as_it_was(world) == before


@pytest.mark.proves("C-100 worktree", "S-65")
def test_the_way_back_leads_through_no_link_of_the_agents(world: World, linked: Path) -> None:
    git_dir, mine = world.repo / ".git", world.root / "mine"
    world.write({"hooks/commit-msg": "#!/bin/sh\n", "config": "mine\n"}, mine)
    world.write({".git/hooks/commit-msg": "#!/bin/sh\n# the user's\n"})
    world.git.forget_note(str(linked), RUN)
    world.git.note(world.repository, str(linked), RUN)
    before = as_it_was(world)
    (git_dir / "hooks").rename(world.root / "away")
    (git_dir / "hooks").symlink_to(mine / "hooks")
    (git_dir / "config").rename(world.root / "away/config")
    (git_dir / "config").symlink_to(mine / "config")
    repository = Repository(
        path=str(world.repo),
        git_dir=str(git_dir),
        author_name="Ada",
        author_email="ada@example.org",
        settings={},
    )
    found = world.git.moved(repository, str(linked), RUN)
    assert found is not None
    assert {git_dir / "hooks", git_dir / "config"} < {Path(one.name) for one in found}
    put_back(world, {one.name: one for one in found})
    assert moved(world) == {}
    after = as_it_was(world)
    samples = {name for name in before if name.endswith(".sample")}
    assert after == {name: said for name, said in before.items() if name not in samples}
    assert (mine / "config").read_text() == "mine\n"
    assert (mine / "hooks/commit-msg").read_text() == "#!/bin/sh\n"


@pytest.mark.proves("C-100 worktree", "S-65")
def test_a_command_that_is_pasted_alone_leads_through_no_link(world: World, linked: Path) -> None:
    module, mine = world.repo / ".git/modules/sub", world.root / "mine"
    world.write({"config": "mine\n"}, mine)
    world.write({".git/modules/sub/config": "[core]\n"})
    world.git.forget_note(str(linked), RUN)
    world.git.note(world.repository, str(linked), RUN)
    module.rename(world.root / "away")
    module.symlink_to(mine)
    told = moved(world)[str(module / "config")]
    put_back(world, {told.name: told})
    assert (mine / "config").read_text() == "mine\n"
    assert (module / "config").read_text() == "[core]\n" and moved(world) == {}


@pytest.mark.proves("C-100 worktree", "S-65")
def test_names_that_are_no_text_are_told_with_the_way_back(world: World, linked: Path) -> None:
    hooks = world.repo / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    before = as_it_was(world)
    odd = os.fsencode(hooks) + b"/p\xff'% q"
    Path(os.fsdecode(odd)).write_text("#!/bin/sh\n")
    os.symlink(b"/tmp/\xfe", os.fsencode(hooks) + b"/away")
    world.shell("git branch \"$(printf 'b\\377')\"", linked, AGENT)
    found = moved(world)
    assert set(found) == {f"{hooks}/p\\xff'% q", f"{hooks}/away", "refs/heads/b\\xff"}
    for one in found.values():
        json.dumps(one.told(), ensure_ascii=False).encode()
    put_back(world, found)
    assert moved(world) == {}
    assert as_it_was(world) == before


@pytest.mark.proves("C-100 worktree")
def test_a_head_that_is_filled_with_anything_is_told_in_few_words(
    world: World, linked: Path
) -> None:
    repository = world.repository
    (world.repo / ".git/HEAD").write_bytes(b"x" * 5_000_000)
    found = world.git.moved(repository, str(linked), RUN) or ()
    assert [one.what for one in found] == [What.HEAD]
    assert len(json.dumps(found[0].told())) < 10_000


@pytest.mark.proves("C-100 worktree")
def test_what_the_user_does_meanwhile_is_not_told_as_the_agents(world: World, linked: Path) -> None:
    """Commits, switches, a branch, a fetch, a stash, and a delivery of ours."""
    proposed = world.propose({"c.txt": "delivered\n"})
    world.git.forget_note(str(linked), RUN)
    world.git.note(world.repository, str(linked), RUN)
    assert world.deliver(proposed).held is None
    world.commit({"mine.txt": "mine\n"})
    world.plain("switch", "-q", "-c", "feature")
    world.commit({"mine.txt": "again\n"})
    world.write({"a.txt": "put away\n"})
    world.plain("stash")
    world.plain("update-ref", "-m", "fetch", "--create-reflog", "refs/remotes/origin/x", "HEAD")
    world.git.keep_ref(world.repository, "refs/roundtable/left/r9", proposed)
    assert moved(world) == {}


@pytest.mark.proves("C-100 worktree")
def test_what_nobody_can_tell_changed_during_the_run(world: World, linked: Path) -> None:
    world.plain("tag", "-d", "v1")
    world.plain("config", "user.nickname", "Ada")
    found = moved(world)
    assert {one.by for one in found.values()} == {By.UNKNOWN}
    assert found["refs/tags/v1"].new is None


@pytest.mark.proves("C-100 worktree")
def test_a_repository_that_git_cannot_read_any_more_is_told(world: World, linked: Path) -> None:
    repository = world.repository
    (world.repo / ".git/config").write_text("[core\n")
    (told,) = world.git.moved(repository, str(linked), RUN) or ()
    assert told.name == str(world.repo / ".git/config")
    put_back(world, {told.name: told})
    assert moved(world) == {}


def test_a_branch_that_only_is_there_more_holds_nothing() -> None:
    added = Moved(what=What.REF, name="refs/heads/x", old=None, new="1", by=By.AGENT, command="c")
    fetched = Moved(
        what=What.REMOTE, name="refs/remotes/o/x", old="1", new="2", by=By.AGENT, command="c"
    )
    assert reason([added, fetched]) is None


@pytest.mark.proves("C-100 worktree")
def test_a_note_is_taken_once_and_outlives_the_tree(world: World, linked: Path) -> None:
    by_agent(world, linked, "branch", "-f", "side", "HEAD")
    world.plain("config", "x.y", "z")
    world.git.note(world.repository, str(linked), RUN)
    assert set(moved(world)) == {str(world.repo / ".git/config")}
    world.git.forget_note(str(linked), RUN)
    assert world.git.moved(world.repository, str(linked), RUN) is None
    world.git.note(world.repository, str(linked), RUN)
    above = str(linked.parent)
    assert world.git.notes_left(above) == []
    world.git.drop_copy(world.repository, str(linked))
    assert world.git.notes_left(above) == [(str(linked), RUN)], "a command may copy from there"
    world.git.forget_note(str(linked), RUN)
    assert world.git.notes_left(above) == [] and list(linked.parent.iterdir()) == []
