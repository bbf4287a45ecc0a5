"""A patch becomes a commit on its base without a checkout, or is refused with the reason."""

import pytest
from git_world import AT, MESSAGE, World

from roundtable_desktop.adapters.git.patching import MOST_BYTES
from roundtable_desktop.model.contents import Patched
from roundtable_desktop.model.errors import Invalid

REF = "refs/roundtable/proposals/r1"


def submit(world: World, text: str | bytes, base: str | None = None) -> Patched:
    return world.git.patch(
        world.repository,
        text.encode() if isinstance(text, str) else text,
        base=base or world.branch_head(),
        ref=REF,
        message=MESSAGE,
        at=AT,
    )


def made(path: str, text: str = "evil\n", mode: str = "100644") -> str:
    """A patch that makes a new file."""
    lines = text.splitlines()
    added = "".join(f"+{line}\n" for line in lines)
    return (
        f"diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n"
        f"@@ -0,0 +1,{len(lines)} @@\n{added}"
    )


CHANGE = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n a\n+more\n"


@pytest.mark.proves("R-21", "S-67")
def test_a_patch_is_a_commit_on_its_base_and_nothing_of_the_user_changes(world: World) -> None:
    before, base = world.untouched(), world.branch_head()
    first = submit(world, CHANGE + made("dir/new.txt", "one\ntwo\n"))
    assert first.held is None and first.head is not None
    assert world.plain("rev-parse", f"{first.head}^") == base
    assert world.plain("show", f"{first.head}:dir/new.txt") == "one\ntwo"
    assert world.plain("rev-parse", REF) == first.head
    assert world.untouched() == before
    assert world.plain("log", "-1", "--format=%an %B", first.head).startswith("Ada Lovelace Do it")
    assert submit(world, CHANGE + made("dir/new.txt", "one\ntwo\n")) == first


@pytest.mark.proves("R-21")
def test_a_patch_stands_on_the_commit_that_it_names_and_not_on_a_later_one(world: World) -> None:
    base = world.branch_head()
    world.commit({"a.txt": "quite another\n"})
    with pytest.raises(Invalid, match="patch_does_not_apply"):
        submit(world, CHANGE)
    head = submit(world, CHANGE, base).head
    assert world.plain("show", f"{head}:a.txt") == "a\nmore"


def test_a_rename_and_a_mode_go_through(world: World) -> None:
    text = (
        "diff --git a/b.txt b/dir/d.txt\nsimilarity index 100%\nrename from b.txt\n"
        "rename to dir/d.txt\n"
        "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n"
    )
    head = submit(world, text).head
    listed = world.plain("ls-tree", "-r", str(head))
    assert "dir/d.txt" in listed and "b.txt\n" not in listed and "100755 blob" in listed


@pytest.mark.proves("S-67")
@pytest.mark.parametrize(
    "path",
    [
        *("../outside.txt", "dir/../../outside.txt", "/tmp/outside.txt", "dir/./x"),
        *(".git/config", ".git/hooks/post-checkout", "dir/.git/config", ".GIT/config"),
        *("GIT~1/config", ".git::$INDEX_ALLOCATION/x", ".g\u200cit/config", ".git /x"),
    ],
)
def test_a_patch_that_names_a_path_outside_or_of_git_is_refused(world: World, path: str) -> None:
    around, before = world.tree(world.root, "repo/.git/objects"), world.untouched()
    with pytest.raises(Invalid) as refused:
        submit(world, CHANGE + made(path))
    assert refused.value.code in ("patch_does_not_apply", "patch_names_git")
    assert refused.value.pointer == "/patch"
    assert world.tree(world.root, "repo/.git/objects") == around and world.untouched() == before
    assert REF not in world.plain("for-each-ref")


@pytest.mark.proves("S-67")
def test_a_rename_onto_git_is_refused(world: World) -> None:
    text = (
        "diff --git a/b.txt b/.git/config\nsimilarity index 100%\nrename from b.txt\n"
        "rename to .git/config\n"
    )
    with pytest.raises(Invalid, match=r"patch_does_not_apply|patch_names_git"):
        submit(world, text)


@pytest.mark.proves("S-67")
@pytest.mark.parametrize(
    "text",
    [
        made("link", "/etc/passwd\n", "120000"),
        "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 120000\n",
        "diff --git a/sub b/sub\nnew file mode 160000\n--- /dev/null\n+++ b/sub\n"
        "@@ -0,0 +1 @@\n+Subproject commit 0123456789012345678901234567890123456789\n",
    ],
)
def test_a_patch_that_makes_a_link_or_a_submodule_is_refused(world: World, text: str) -> None:
    with pytest.raises(Invalid, match=r"patch_mode|patch_does_not_apply"):
        submit(world, text)
    assert REF not in world.plain("for-each-ref")


@pytest.mark.proves("S-67")
def test_a_patch_through_a_link_of_the_repository_is_refused(world: World) -> None:
    (world.repo / "out").symlink_to("/tmp")
    world.commit({})
    with pytest.raises(Invalid, match="patch_does_not_apply"):
        submit(world, made("out/x.txt"))


@pytest.mark.proves("S-67")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        (made("big.txt", "x" * 600_000), "patch_too_large"),
        ("".join(made(f"many/{number}", "x\n") for number in range(2000)), "patch_too_large"),
        (
            "diff --git a/b.bin b/b.bin\nnew file mode 100644\nindex 0000000..1111111\n"
            "GIT binary patch\nliteral 209715200\nzcmV\n\n",
            "patch_not_text",
        ),
        ("no patch at all", "patch_does_not_apply"),
    ],
)
def test_a_patch_without_a_bound_is_refused_before_git_reads_it(
    world: World, text: str, code: str
) -> None:
    assert len(text) < 2 * MOST_BYTES
    with pytest.raises(Invalid, match=code):
        submit(world, text)


@pytest.mark.proves("S-67")
def test_what_a_person_must_look_at_is_held(world: World) -> None:
    marks = made("c.txt", "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n")
    filtered = made(".gitattributes", "*.bin filter=evil\n") + made("x.bin", "y\n")
    assert submit(world, marks).held == {"code": "conflict_marks", "paths": ["c.txt"]}
    held = submit(world, filtered).held
    assert held == {"code": "filter", "filter": "evil", "path": "x.bin"}


def test_a_patch_that_changes_nothing_makes_no_commit(world: World) -> None:
    same = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+a\n"
    assert submit(world, same) == Patched(head=None)
