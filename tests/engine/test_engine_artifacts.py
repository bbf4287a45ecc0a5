"""Files that an agent names in its report are kept as they are, and nothing else (S-40, S-41)."""

import os
import threading
from pathlib import Path
from typing import Any

import pytest
from engine_stage import Stage

from roundtable_desktop.adapters.runners.artifacts import keep, kept
from roundtable_desktop.engine.desk.artifacts import LookArtifacts, content
from roundtable_desktop.model.artifacts import MOST, MOST_BYTES
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.records import Run

SECRET = "outside-the-copy"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text(SECRET)
    folder = tmp_path / "copy"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "report.txt").write_text("all of it")
    return folder


def kept_of(copy: Path, *paths: str) -> list[tuple[str | None, bytes | None]]:
    """(fault, what was kept) of each."""
    run = copy.parent / "run"
    run.mkdir(exist_ok=True)
    found = keep(run, str(copy), paths)
    return [(one.fault, kept(run, number)) for number, one in enumerate(found, start=1)]


@pytest.mark.proves("A-25")
def test_a_file_is_kept_byte_for_byte_and_for_us_alone(copy: Path) -> None:
    (copy / "x.bin").write_bytes(bytes(range(256)))
    inside = str(copy / "sub" / "report.txt")
    assert kept_of(copy, "sub/report.txt", "x.bin", inside) == [
        (None, b"all of it"),
        (None, bytes(range(256))),
        (None, b"all of it"),
    ]
    place = copy.parent / "run" / "artifacts"
    assert {path.stat().st_mode & 0o777 for path in place.iterdir()} == {0o600}
    assert place.stat().st_mode & 0o777 == 0o700
    assert kept_of(copy, "sub/report.txt") == [(None, b"all of it")], "and again after a crash"


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        *((one, "artifact_outside") for one in ("../secret.txt", "sub/../../secret.txt", "")),
        *((one, "artifact_outside") for one in ("/etc/passwd", "sub//report.txt", "./x", "a\0b")),
        *((one, "artifact_absent") for one in ("none.txt", "sub/report.txt/x", "x" * 300)),
        *((one, "artifact_no_file") for one in ("sub", "fifo")),
        *((one, "artifact_absent") for one in ("link", "folder/secret.txt", "circle")),
        ("sparse", "artifact_too_large"),
        ("closed", "artifact_unreadable"),
    ],
)
def test_nothing_but_a_plain_file_of_the_copy_is_kept(copy: Path, path: str, fault: str) -> None:
    (copy / "link").symlink_to("../secret.txt")
    (copy / "folder").symlink_to("..")
    (copy / "circle").symlink_to("circle")
    os.mkfifo(copy / "fifo")
    with open(copy / "sparse", "wb") as sparse:
        sparse.truncate(10 * 1024**3)
    (copy / "closed").write_text("x")
    (copy / "closed").chmod(0)
    if path == "closed" and os.access(copy / "closed", os.R_OK):
        fault, wanted = "", b"x"  # for root nothing is closed
    else:
        wanted = None
    ((found, saved),) = kept_of(copy, path)
    expected = {fault or None, "artifact_unreadable"} if path == "x" * 300 else {fault or None}
    assert found in expected and saved == wanted


@pytest.mark.proves("S-40")
def test_a_file_that_is_swapped_for_a_link_leads_nowhere(copy: Path) -> None:
    """S-40: between the look and the opening, a thousand times."""
    stop = threading.Event()
    place, other = copy / "swap", copy / "other"

    def swap() -> None:
        while not stop.is_set():
            for make in (lambda: other.write_text("inside"), lambda: other.symlink_to(outside)):
                other.unlink(missing_ok=True)
                make()
                os.replace(other, place)

    outside = copy.parent / "secret.txt"
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        seen = {saved for _ in range(1000) for _, saved in kept_of(copy, "swap")}
    finally:
        stop.set()
        thread.join()
    assert SECRET.encode() not in seen and seen <= {None, b"inside", b""}


def test_so_many_and_so_much_and_no_more(copy: Path) -> None:
    (copy / "big").write_bytes(b"x" * MOST_BYTES)
    names = ["big"] * 6 + ["sub/report.txt"] * MOST
    faults = [fault for fault, _ in kept_of(copy, *names)]
    assert faults[:6] == [None] * 5 + ["artifact_too_large"]
    assert faults[MOST:] == ["artifact_too_many"] * (len(names) - MOST)


# --- with a run ---------------------------------------------------------------------------------


def ended(stage: Stage, *paths: str, **files: str) -> Run:
    stage.assigned()
    run = stage.launch()
    stage.leave(run, **files)
    named = [{"path": one, "kind": "report"} for one in paths]
    return stage.finish(run, result={"status": "completed", "artifacts": named})


def rows(stage: Stage, run: Run) -> list[Any]:
    return LookArtifacts(stage.ground.reader).of(run)


@pytest.mark.proves("A-25", "S-39")
def test_what_a_report_names_is_kept_with_its_run(stage: Stage) -> None:
    run = ended(stage, "a.txt", "r.txt", "../r.txt", r="the report")
    told = [(one.number, one.path, one.kind, one.size, one.fault) for one in rows(stage, run)]
    assert told == [
        (1, "a.txt", "report", 2, None),
        (2, "r.txt", "report", 10, None),
        (3, "../r.txt", "report", None, "artifact_outside"),
    ]
    second, third = rows(stage, run)[1:]
    (stage.copy(run) / "r.txt").write_text("changed later")
    assert content(stage.desk, second) == b"the report"
    with pytest.raises(Absent, match="artifact_outside"):
        content(stage.desk, third)
    look = LookArtifacts(stage.ground.reader)
    assert look.one(second.id[-8:]) == second
    with pytest.raises(Absent, match="unknown_artifact"):
        look.one("../../etc/passwd")


def test_where_nothing_can_be_written_the_run_ends_all_the_same(stage: Stage) -> None:
    stage.launcher.folder.mkdir(exist_ok=True)
    stage.assigned()
    run = stage.launch()
    (stage.launcher.folder / run.id).mkdir()
    (stage.launcher.folder / run.id / "artifacts").write_text("in the way")
    named = [{"path": "a.txt", "kind": "file"}]
    ended_run = stage.finish(run, result={"status": "completed", "artifacts": named})
    assert ended_run.outcome == "no_changes"
    assert [one.fault for one in rows(stage, run)] == ["artifact_absent"]
