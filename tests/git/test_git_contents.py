"""Files of a commit are read and searched as they are there, and bounded."""

from typing import Any

import pytest
from git_world import World

from roundtable_desktop.adapters.git.contents import LINE_LENGTH, OF_ONE_FILE
from roundtable_desktop.model.contents import Content


def read(world: World, path: str, commit: str = "", **more: Any) -> Content | None:
    words = {"offset": 0, "limit": 1000, **more}
    return world.git.content(world.repository, commit or world.branch_head(), path, **words)


def find(world: World, words: str, path: str = "", **more: Any) -> Any:
    given = {"any_case": False, "limit": 100, **more}
    found, whole = world.git.search(world.repository, world.branch_head(), words, path, **given)
    return [(one.path, one.number, one.text) for one in found], whole


def test_a_folder_a_file_and_nothing(world: World) -> None:
    top, file = read(world, ""), read(world, "dir/c.txt")
    assert top is not None and file is not None
    assert [(one.path, one.kind, one.size) for one in top.entries] == [
        (".gitignore", "file", 12),
        ("a.txt", "file", 2),
        ("b.txt", "file", 2),
        ("dir", "folder", None),
    ]
    inside = read(world, "dir")
    assert inside is not None and [one.path for one in inside.entries] == ["dir/c.txt"]
    assert (file.text, file.next_offset) == ("c\n", None)
    assert read(world, "dir/d.txt") is None and read(world, "c.txt") is None


def test_what_is_read_is_the_commit_and_not_the_working_tree(world: World) -> None:
    base = world.branch_head()
    world.commit({"a.txt": "later\n"})
    world.write({"a.txt": "not committed\n"})
    was, now = read(world, "a.txt", base), read(world, "a.txt")
    assert was is not None and now is not None and (was.text, now.text) == ("a\n", "later\n")
    assert read(world, ".env", base) is None


@pytest.mark.parametrize("path", ["../a.txt", "/etc/passwd", "dir/../a.txt", "a*", ":(top)a.txt"])
def test_a_path_means_what_it_says_and_nothing_outside(world: World, path: str) -> None:
    with_git = None
    try:
        with_git = read(world, path)
    except Exception as refused:
        assert "outside" in str(refused) or "git_failed" in str(refused)
    assert with_git is None


def test_a_link_is_told_and_not_followed_and_bytes_are_no_text(world: World) -> None:
    (world.repo / "link").symlink_to("/etc/passwd")
    world.commit({"x.bin": b"a\0b" * 50})
    link, binary = read(world, "link"), read(world, "x.bin")
    assert link is not None and (link.entry.kind, link.text) == ("link", "/etc/passwd")
    assert binary is not None and (binary.entry.kind, binary.text) == ("binary", None)
    assert binary.entry.size == 150


def test_a_long_file_comes_in_pages_that_cut_no_character(world: World) -> None:
    text = "aé€𝄞" * 1500
    world.commit({"long.txt": text})
    got, offset, pages = "", 0, 0
    while offset is not None and pages < 100:
        piece = read(world, "long.txt", offset=offset, limit=1001)
        assert piece is not None and piece.text is not None and len(piece.text.encode()) <= 1001
        got, offset, pages = got + piece.text, piece.next_offset, pages + 1
    assert got == text and pages == len(text.encode()) // 1001 + 1


def test_a_folder_with_more_entries_than_asked_for_says_so(world: World) -> None:
    world.commit({f"many/{number}.txt": "x" for number in range(20)})
    cut = read(world, "many", limit=7)
    assert cut is not None and len(cut.entries) == 7 and not cut.whole


def test_words_are_found_as_they_stand(world: World) -> None:
    world.commit({"src/a.py": "one\ntwo (x+)+ three\n", "b.md": "Two (X+)+\n", "x.bin": b"two\0"})
    assert find(world, "(x+)+") == ([("src/a.py", 2, "two (x+)+ three")], True)
    assert find(world, "(x+)+", any_case=True)[0] == [
        ("b.md", 1, "Two (X+)+"),
        ("src/a.py", 2, "two (x+)+ three"),
    ]
    assert find(world, "two", "src")[0] == [("src/a.py", 2, "two (x+)+ three")]
    assert find(world, "nowhere") == ([], True)
    assert find(world, "--help") == ([], True)


def test_what_is_found_is_bounded(world: World) -> None:
    world.commit({"many.txt": "word\n" * 5000, "wide.txt": "word" + "x" * 100_000})
    found, _ = find(world, "word")
    assert len(found) == OF_ONE_FILE + 1 and max(len(text) for *_, text in found) == LINE_LENGTH
    assert find(world, "word", limit=5)[1] is False
