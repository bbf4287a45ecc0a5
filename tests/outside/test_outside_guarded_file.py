"""Homes that cannot be written, and files that nobody opens but SQLite: a sentence, no crash."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from outside_house import ROUNDTABLE, House, until

PLAIN = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
"""Root as a person whom modes hold back."""


@pytest.fixture
def theirs(house: House) -> Iterator[House]:
    """A home with a database, for a person whom modes hold back."""
    house.start()
    house.end()
    yield house
    for folder in (house.home, *(one for one in house.home.rglob("*") if one.is_dir())):
        folder.chmod(0o700)


def started(house: House) -> tuple[int, str]:
    """How a start of that person ends."""
    done = subprocess.run(
        [*(PLAIN if os.getuid() == 0 else []), ROUNDTABLE, "start", "--port", "0"],
        cwd="/",
        env=house.env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.proves("F-19")
@pytest.mark.skipif(
    os.getuid() == 0 and shutil.which("setpriv") is None, reason="modes hold root back by setpriv"
)
def test_a_home_that_cannot_be_written_is_refused_in_a_sentence(theirs: House) -> None:
    places = [(".", 0o500), ("roundtable.db", 0o400), ("roundtable.db", 0), ("instance.lock", 0)]
    for place, mode in places:
        path = theirs.home / place
        before = path.stat().st_mode
        path.chmod(mode)
        code, said = started(theirs)
        path.chmod(before)
        assert code == 1 and "Traceback" not in said, (place, mode, said)
        assert len(said.splitlines()) == 1, (place, mode, said)
        assert str(theirs.home) in said or "database" in said, (place, mode, said)


WATCHED = """
import json, os, sys
seen = open(sys.argv.pop(1), "a")
def hook(event, words):
    if event == "open" and str(words[0]).endswith((".db", ".db-wal", ".db-shm")):
        print(json.dumps(["open", str(words[0])]), file=seen, flush=True)
    if event in ("os.fork", "os.forkpty"):
        print(json.dumps([event, ""]), file=seen, flush=True)
sys.addaudithook(hook)
from roundtable_desktop.cli.main import main
main()
"""


@pytest.mark.slow
@pytest.mark.proves("F-24")
def test_no_line_of_the_product_opens_the_databases_file(house: House, tmp_path: Path) -> None:
    """Closing it would drop SQLite's locks; and no connection is carried into a fork."""
    seen = tmp_path / "seen"
    words = [sys.executable, "-c", WATCHED, str(seen), "start", "--port", "0"]
    house.owner = subprocess.Popen(
        words, env=house.env, cwd=house.root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert house.owner.stdout is not None
    house.facts = json.loads(house.owner.stdout.readline())
    room = house.room()
    task = room.task("Once", room.shell("echo made > note.txt"))
    room.ended(task)
    house.get("/doctor")
    assert house.program("POST", "/doctor/fix", {}).status == 200
    assert house.end()[0] == 0
    assert seen.read_text() == ""


@pytest.mark.slow
@pytest.mark.proves("F-19")
@pytest.mark.skipif(shutil.which("strace") is None, reason="fails calls by strace's injection")
def test_a_disk_that_does_not_keep_what_it_was_told_is_told_about(theirs: House) -> None:
    """Nothing goes on as if it had been kept."""
    for call in ("fdatasync", "fsync"):
        trace = ["strace", "-f", "-qqq", "-o", "/dev/null", "-e", f"trace={call}"]
        trace += ["-e", f"inject={call}:error=EIO"]
        done = subprocess.run(
            [*trace, sys.executable, ROUNDTABLE, "start", "--port", "0"],
            env=theirs.env,
            cwd=theirs.root,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 1 and done.stdout == "", (call, done.stderr[-500:])
        assert "Traceback" not in done.stderr, done.stderr[-2000:]


@pytest.mark.slow
@pytest.mark.proves("B-159")
def test_twenty_clients_at_once_lose_no_comment(shared: House) -> None:
    room = shared.room("busy")
    noisy = "for i in $(seq 300); do echo line $i; done; echo made > note.txt"
    agent = room.shell(noisy)
    tasks = [room.task(f"Noisy {number}", agent) for number in range(3)]
    quiet = room.task("Talked about")
    answers: list[int] = []

    def talk(who: int) -> None:
        for number in range(6):
            words = {"text": f"{who} says {number}"}
            answers.append(shared.program("POST", f"/tasks/{quiet['id']}/comments", words).status)

    clients = [threading.Thread(target=talk, args=(who,)) for who in range(20)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert set(answers) == {201} and len(answers) == 120
    said = shared.query(
        f"SELECT count(DISTINCT text) FROM comments WHERE task_id = '{quiet['id']}'"
    )
    assert said == [(120,)]
    for task in tasks:
        run = room.ended(task)
        assert shared.transcript(run["id"]).count("line ") == 300
    until(lambda: shared.ask("GET", "/healthz").json["status"] == "ok")
