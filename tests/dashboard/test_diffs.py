"""A patch of git as rows: numbers, names and bounds, and nothing that a line can pretend to be."""

import subprocess
from pathlib import Path

import pytest

from roundtable_desktop.dashboard.diffs import FILES, LINES, FilePatch, patch_of


def git(*words: str, at: Path) -> str:
    who = ("-c", "user.name=G", "-c", "user.email=g@example.org")
    done = subprocess.run(["git", *who, *words], cwd=at, capture_output=True, check=True)
    return done.stdout.decode(errors="replace")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git("init", "-q", at=tmp_path)
    (tmp_path / "plan.txt").write_text("".join(f"line {n}\n" for n in range(1, 41)))
    (tmp_path / "old name.txt").write_text("one\ntwo\nthree\nfour\nfive\n")
    (tmp_path / "gone.txt").write_text("bye\n")
    (tmp_path / "tool.sh").write_text("true\n")
    git("add", "-A", at=tmp_path)
    git("commit", "-q", "-m", "Begin", at=tmp_path)
    return tmp_path


def files_of(repo: Path) -> dict[str, FilePatch]:
    git("add", "-A", at=repo)
    patch = patch_of(git("diff", "--cached", "-M", at=repo))
    assert patch.files_left_out == 0
    return {file.path: file for file in patch.files}


def test_lines_have_the_numbers_of_both_sides(repo: Path) -> None:
    text = (repo / "plan.txt").read_text().replace("line 5\n", "line five\nand a half\n")
    (repo / "plan.txt").write_text(text.replace("line 30\n", ""))
    file = files_of(repo)["plan.txt"]
    assert (file.added, file.removed, file.left_out) == (2, 2, 0)
    assert [(line.kind, line.text, line.old, line.new) for line in file.lines if line.new == 6] == [
        ("add", "and a half", None, 6)
    ]
    assert ("del", "line 30", 30, None) in [(x.kind, x.text, x.old, x.new) for x in file.lines]
    same = [line for line in file.lines if line.kind == "same" and line.text == "line 29"]
    assert [(line.old, line.new) for line in same] == [(29, 30)]


def test_new_gone_moved_empty_and_binary_files_have_their_names(repo: Path) -> None:
    (repo / "gone.txt").unlink()
    (repo / "old name.txt").rename(repo / "new name.txt")
    (repo / "empty file").write_text("")
    (repo / "data.bin").write_bytes(b"\0\1\2")
    (repo / "no end").write_text("last line without an end")
    (repo / "tool.sh").chmod(0o755)
    files = files_of(repo)
    assert set(files) == {
        "gone.txt", "new name.txt", "empty file", "data.bin", "no end", "tool.sh"
    }  # fmt: skip
    assert files["new name.txt"].before == "old name.txt"
    assert files["gone.txt"].removed == 1 and files["no end"].added == 1
    assert "deleted file mode 100644" in files["gone.txt"].notes
    assert "new mode 100755" in files["tool.sh"].notes
    assert files["no end"].lines[-1].kind == "note"
    assert any("Binary files" in note for note in files["data.bin"].notes)


def test_a_line_that_looks_like_a_head_is_a_line(repo: Path) -> None:
    lines = ["diff --git a/evil b/evil", "--- a/evil", "+++ b/evil", "@@ -1 +1 @@", "-x", "+x", ""]
    (repo / "plan.txt").write_text("\n".join(lines) + "\n")
    files = files_of(repo)
    assert list(files) == ["plan.txt"]
    assert [line.text for line in files["plan.txt"].lines if line.kind == "add"] == lines
    assert files["plan.txt"].removed == 40


def test_a_long_file_and_many_files_are_bounded_and_counted(repo: Path) -> None:
    (repo / "long.txt").write_text("x\n" * (LINES + 10))
    for number in range(FILES + 3):
        (repo / f"z{number:03}").write_text("x\n")
    git("add", "-A", at=repo)
    patch = patch_of(git("diff", "--cached", at=repo))
    assert len(patch.files) == FILES and patch.files_left_out == 4
    long = patch.files[0]
    assert (long.path, long.added, len(long.lines), long.left_out) == (
        "long.txt", LINES + 10, LINES, 11
    )  # fmt: skip


@pytest.mark.parametrize("cut", [1, 7, 40, 90, 120])
def test_a_patch_that_was_cut_anywhere_is_shown_as_far_as_it_goes(repo: Path, cut: int) -> None:
    (repo / "plan.txt").write_text("new\nlines\n")
    git("add", "-A", at=repo)
    whole = git("diff", "--cached", at=repo)
    shown = patch_of(whole[:cut])
    assert len(shown.files) <= 1
    assert patch_of("").files == []
