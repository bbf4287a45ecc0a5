"""The doctor sees what is wrong with a home, says the cure, and mends what is safe to mend."""

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from outside_house import House


@contextmanager
def orphan(run: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process with the mark of a run, as an escapee of it is."""
    words = [sys.executable, "-c", "import time; time.sleep(60)"]
    process = subprocess.Popen(words, env={"ROUNDTABLE_RUN": run}, start_new_session=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def by_check(seen: Any) -> dict[str, Any]:
    return {one["check"]: one for one in seen["items"]}


@pytest.mark.slow
@pytest.mark.proves("N-22", "F-16", "S-43")
def test_a_sound_home_is_said_to_be_so_with_and_without_an_owner(running: House) -> None:
    room = running.room()
    room.shell("true")
    done = running.cli("doctor", "--json")
    assert done.code == 0, done.said
    seen = by_check(done.json)
    # Housekeeping may have made the first backup by now: how soon is the machine's affair.
    whole = {"doctor_no_backup": "notice", "doctor_backup": "ok"}[seen["backups"]["code"]]
    assert done.json["state"] == whole
    assert "journal_mode=wal" in seen["sqlite"]["sentence"]
    assert "synchronous=2" in seen["sqlite"]["sentence"]
    assert seen["agents"]["state"] == "ok" and seen["agents"]["values"]["place"].endswith("/sh")
    assert running.get("/doctor")["state"] in (whole, "ok")
    running.end()
    shutil.rmtree(running.home / "backups", ignore_errors=True)
    offline = running.cli("doctor")
    assert offline.code == 0 and "not running" in offline.out
    [row] = [line for line in offline.out.splitlines() if line.startswith("backups")]
    assert row.split()[1] == "notice" and "Cure: Start Roundtable" in row


@pytest.mark.slow
@pytest.mark.proves("N-22")
@pytest.mark.parametrize("owned", [True, False])
def test_what_is_wrong_is_named_with_its_cure_and_mended_where_that_is_safe(
    running: House, owned: bool
) -> None:
    room, home = running.room(), running.home
    room.agent("no-such-program", name="gone")
    task = room.task("Once", room.shell("echo made > note.txt"))
    run = room.ended(task)["id"]
    if not owned:
        running.end()
    (home / "token").chmod(0o644)
    (home / "copies" / "1" / "t99").mkdir()
    (home / "copies" / "1" / "t1.before-20260301T120000Z").mkdir()
    forgotten = "1" * 26
    (home / "runs" / forgotten).mkdir()
    with closing(socket.socket(socket.AF_UNIX)) as left:
        left.bind(str(home / "s" / "leftover"))
    with (
        orphan(run) as process,
        orphan("0" * 26) as stranger,
        orphan(forgotten) as beside,
    ):
        sick = running.cli("doctor", "--json")
        assert sick.code == 1
        seen = by_check(sick.json)
        assert "token" in seen["modes"]["sentence"] and seen["modes"]["fixable"]
        said = {one["code"]: one["sentence"] for one in sick.json["items"]}
        assert str(process.pid) in said["doctor_orphans"]
        assert str(beside.pid) in said["doctor_forgotten"] and forgotten in said["doctor_forgotten"]
        assert said["doctor_copy_before"].endswith("t1.before-20260301T120000Z")
        assert seen["copies"]["sentence"].endswith("t99") and not seen["copies"]["fixable"]
        assert seen["sockets"]["values"]["count"] == 1
        missing = [one for one in sick.json["items"] if one["code"] == "doctor_agent_missing"]
        assert [one["values"]["program"] for one in missing] == ["no-such-program"]
        assert all(one["cure"] for one in sick.json["items"] if one["state"] != "ok")
        mended = running.cli("doctor", "--fix", "--json")
        fixed = {one["check"] for one in mended.json["items"] if one["fixed"]}
        assert fixed == {"modes", "sockets", "processes"}
        assert process.wait(10) is not None and beside.wait(10) is not None
        assert stranger.poll() is None, "it bears the mark of a run of another home"
    assert (home / "token").stat().st_mode & 0o777 == 0o600
    assert not (home / "s" / "leftover").exists()
    assert (home / "copies" / "1" / "t99").is_dir(), "nobody knows what lies in it"
    assert mended.code == 1, "the agent's program is still missing"


@pytest.mark.slow
@pytest.mark.proves("N-22", "F-21")
def test_a_database_that_cannot_be_opened_is_a_finding(house: House, tmp_path: Path) -> None:
    assert "nothing at" in house.cli("doctor").out
    house.home.mkdir(mode=0o700)
    new = house.cli("doctor")
    assert new.code == 0 and "no database" in new.out and "the first start makes it" in new.out
    (house.home / "roundtable.db").write_text("Dear Joan,\n")
    done = house.cli("doctor", "--json")
    assert done.code == 1
    assert by_check(done.json)["database"]["code"] == "database_unreadable_lost"
    assert (house.home / "roundtable.db").read_text() == "Dear Joan,\n"
