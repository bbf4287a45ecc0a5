"""A branch that takes another one in, in one commit of both, whatever clashes in it."""

import pytest
from git_world import AT, MESSAGE

from roundtable_desktop.model.ports import GitFailed

LINES = "".join(f"{n}\n" for n in range(1, 31))


def changed(line: str) -> str:
    return LINES.replace("\n5\n", f"\n{line}\n")


OURS = {
    "a.txt": changed("ours"),
    "added.txt": "ours\n",
    "bin": b"\0\1ours",
    "gone.txt": None,
    "kept.txt": changed("ours"),
    "old.txt": None,
    "ours.txt": LINES + "x\n",
    "place": "a file\n",
    'odd "é\nname': "ours\n",
    "alone.txt": "ours alone\n",
    ":(top)*": "ours\n",
    "-x": "ours\n",
}
THEIRS = {
    "a.txt": changed("theirs"),
    "added.txt": "theirs\n",
    "bin": b"\0\1theirs",
    "gone.txt": changed("theirs"),
    "kept.txt": None,
    "old.txt": None,
    "theirs.txt": LINES + "x\n",
    "place/inside.txt": "in a folder\n",
    'odd "é\nname': "theirs\n",
    ":(top)*": "theirs\n",
    "-x": "theirs\n",
}
EVERYTHING = {
    "a.txt": LINES,
    "bin": b"\0\1",
    "gone.txt": LINES,
    "kept.txt": LINES,
    "old.txt": LINES + "x\n",
}


def apart(world, before, ours, theirs):
    """`side` with the one, main with the other; (head of side, head of main)."""
    base = world.commit(before)
    world.plain("switch", "-q", "-c", "side")
    mine = world.commit(ours)
    world.plain("switch", "-q", "main")
    assert world.branch_head() == base
    return mine, world.commit(theirs)


def join(world, other, branch="side"):
    return world.git.join(world.repository, branch, other, message=MESSAGE, at=AT)


def parents(world, commit):
    return world.plain("rev-list", "--parents", "-1", commit).split()[1:]


@pytest.mark.proves("A-27")
def test_what_does_not_clash_is_one_commit_of_both(world):
    mine, theirs = apart(world, {}, {"b.txt": "side\n"}, {"a.txt": "main\n"})
    before = world.untouched()
    made = join(world, theirs)
    assert made.old == mine and made.unsettled == () and parents(world, made.new) == [mine, theirs]
    assert world.plain("show", f"{made.new}:b.txt") == "side"
    assert world.plain("show", f"{made.new}:a.txt") == "main"
    assert world.untouched() == before, "no branch, file or index is moved"
    assert join(world, theirs) == made, "the same input gives the same commit"


@pytest.mark.proves("A-27")
def test_a_branch_that_has_it_already_stays_as_it_is(world):
    mine, theirs = apart(world, {}, {"b.txt": "side\n"}, {"a.txt": "main\n"})
    new = join(world, theirs).new
    world.plain("update-ref", "refs/heads/side", new, mine)
    made = join(world, theirs)
    assert (made.old, made.new) == (new, new)


@pytest.mark.proves("A-27")
def test_each_clash_is_told_with_its_kind_and_with_what_is_there(world):
    mine, theirs = apart(world, EVERYTHING, OURS, THEIRS)
    before = world.untouched()
    made = join(world, theirs)
    told = {one.path: (one.clash, one.holds) for one in made.unsettled}
    beside = f"place~{mine}"
    assert told == {
        "a.txt": ("lines", "marks"),
        "added.txt": ("both_added", "marks"),
        "bin": ("binary", "ours"),
        "gone.txt": ("deleted", "theirs"),
        "kept.txt": ("deleted", "ours"),
        "old.txt": ("renamed", "nothing"),
        "ours.txt": ("renamed", "ours"),
        "theirs.txt": ("renamed", "theirs"),
        "place": ("folder", "folder"),
        beside: ("folder", "ours"),
        'odd "é\nname': ("both_added", "marks"),
        ":(top)*": ("both_added", "marks"),
        "-x": ("both_added", "marks"),
    }
    assert parents(world, made.new) == [mine, theirs] and world.untouched() == before
    text = world.plain("show", f"{made.new}:a.txt")
    assert f"<<<<<<< {mine}\nours\n=======\ntheirs\n>>>>>>> {theirs}\n" in text
    assert world.plain("show", f"{made.new}:alone.txt") == "ours alone"
    world.plain("fsck", "--strict")


@pytest.mark.proves("A-27")
def test_one_side_renamed_what_the_other_took_away(world):
    _, theirs = apart(world, {"old.txt": LINES}, {"old.txt": None}, {"old.txt": None, "n": LINES})
    told = {one.path: (one.clash, one.holds) for one in join(world, theirs).unsettled}
    assert told == {"n": ("renamed_deleted", "theirs"), "old.txt": ("renamed_deleted", "nothing")}


@pytest.mark.proves("A-27")
def test_marks_are_told_until_they_are_gone(world):
    mine, theirs = apart(world, EVERYTHING, OURS, THEIRS)
    new = join(world, theirs).new
    world.plain("update-ref", "refs/heads/side", new, mine)
    marks = {"a.txt", "added.txt", 'odd "é\nname', ":(top)*", "-x"}
    assert set(world.git.marks_in(world.repository, theirs, new)) == marks
    world.plain("switch", "-q", "side")
    half = world.commit(
        {"a.txt": changed("both"), "added.txt": "ours\n=======\ntheirs\n>>>>>>> b\n"}
    )
    left = world.git.marks_in(world.repository, theirs, half)
    assert set(left) == marks - {"a.txt"}, "one that is left half counts"
    settled = dict.fromkeys(marks - {"a.txt", "added.txt"}, "both\n")
    done = world.commit({"added.txt": "Both\n=======\n", **settled})
    assert world.git.marks_in(world.repository, theirs, done) == (), "a heading is no mark"


@pytest.mark.proves("A-27")
def test_a_branch_that_is_gone_or_a_commit_that_is_none_is_said(world):
    with pytest.raises(GitFailed, match="branch_missing"):
        join(world, world.branch_head(), "side")
    world.plain("branch", "side")
    with pytest.raises(GitFailed, match="commit_missing"):
        join(world, "1" * 40)


@pytest.mark.proves("A-26")
def test_what_has_taken_its_branch_in_fits_onto_it(world):
    """From where its branch began it would clash with what it has settled."""
    base = world.branch_head()
    mine, theirs = apart(world, {}, {"a.txt": "side\n"}, {"a.txt": "main\n"})
    world.plain("update-ref", "refs/heads/side", join(world, theirs).new, mine)
    world.plain("switch", "-q", "side")
    settled = world.commit({"a.txt": "both\n"})
    made = world.prepare(base, settled, joins=True)
    assert made.conflicts == () and made.new is not None
    assert parents(world, made.new) == [theirs, settled]
    assert world.plain("show", f"{made.new}:a.txt") == "both"
