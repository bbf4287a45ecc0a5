"""The built-in agent settles conflict marks by keeping both sides, and nothing else."""

import subprocess
from pathlib import Path

import pytest

from roundtable_desktop.demo.mending import both, is_asked, mend
from roundtable_desktop.engine.conflicts import REPAIR, REWORK


@pytest.mark.proves("N-19 practice")
@pytest.mark.parametrize("style", ["merge", "diff3"])
def test_what_git_leaves_is_settled_with_both_sides(tmp_path: Path, style: str) -> None:
    texts = ("a\nb\n", "a\nours\nb\n", "a\ntheirs\nb\n")
    base, ours, theirs = (tmp_path / name for name in ("base", "ours", "theirs"))
    for file, text in zip((base, ours, theirs), texts, strict=True):
        file.write_text(text)
    merge = ["git", "merge-file", "-p", *(["--diff3"] if style == "diff3" else [])]
    told = subprocess.run([*merge, ours, base, theirs], capture_output=True, text=True, check=False)
    assert told.returncode == 1 and "<<<<<<<" in told.stdout
    (tmp_path / "copy" / "in").mkdir(parents=True)
    (tmp_path / "copy" / "in" / "it.txt").write_text(told.stdout)
    (tmp_path / "copy" / "other.txt").write_text("as it is\n")
    assert mend(str(tmp_path / "copy")) == ["in/it.txt"]
    assert (tmp_path / "copy" / "in" / "it.txt").read_text() == "a\nours\ntheirs\nb\n"
    assert mend(str(tmp_path / "copy")) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "=======\n",
        "Title\n=======\nText\n",
        "<<<<<<< a\nours\n=======\ntheirs\n",
        "<<<<<<<< more\nx\n=======\ny\n>>>>>>> b\n",
    ],
)
def test_what_is_no_whole_conflict_stays(text: str) -> None:
    assert both(text) is None


def test_a_heading_beside_a_conflict_stays() -> None:
    text = "Title\n=======\n<<<<<<< a\r\n1\r\n=======\r\n2\r\n>>>>>>> b\r\nend"
    assert both(text) == "Title\n=======\n1\r\n2\r\nend"


def test_files_that_are_no_text_links_and_git_s_own_are_left_alone(tmp_path: Path) -> None:
    marks = b"<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n"
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x").write_bytes(marks)
    (tmp_path / "binary").write_bytes(b"\xff" + marks)
    (tmp_path / "to").symlink_to(tmp_path / ".git" / "x")
    assert mend(str(tmp_path)) == []
    assert (tmp_path / ".git" / "x").read_bytes() == marks


def test_it_looks_for_marks_where_it_is_told_of_them_only() -> None:
    known = {"branch": "b", "paths": "", "number": 1, "title": "t", "words": "w"}
    assert is_asked(REWORK.format(**known)) and is_asked(REPAIR.format(**known))
    assert not is_asked("@demo write a conflict marks")
