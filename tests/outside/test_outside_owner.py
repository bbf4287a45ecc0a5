"""The long-running owner: its ready line, its files, its port, its lock, its signals."""

import contextlib
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import psutil
import pytest
from outside_house import ROUNDTABLE, House, Room, alive, until

R = TypeVar("R")
COUNT = """
import sys, time
for number in range(int(sys.argv[1])):
    print(f"line {number:05d}", flush=True)
    time.sleep(0.01)
open("out.txt", "w").write("done")
"""


@contextlib.contextmanager
def stranger(port: int = 0) -> Iterator[int]:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", port))
        taken.listen()
        yield taken.getsockname()[1]


def free_port() -> int:
    """One that is likely free, with the next ones, outside the range that the system hands out."""
    for port in range(20_100 + os.getpid() % 5000, 30_000):
        with contextlib.suppress(OSError), stranger(port), stranger(port + 1):
            return port
    raise AssertionError("no free port")


def quickly(act: Callable[[], R], seconds: float) -> R | None:
    """What it gives, where it took no longer; a busy machine may be asked again."""
    began = time.monotonic()
    given = act()
    return given if time.monotonic() - began < seconds else None


@pytest.fixture
def born(house: House) -> House:
    """Begun as a person does it, each time."""
    house.hurried = False
    return house


@pytest.mark.slow
@pytest.mark.proves("D-06", "C-101", "C-95 kept")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_owner_says_one_line_and_leaves_in_order(born: House, number: int) -> None:
    facts = born.start()
    assert list(facts) == ["event", "url", "browser_url", "pid", "home", "version"]
    assert facts["event"] == "ready" and facts["home"] == str(born.home)
    told = json.loads((born.home / "owner.json").read_text())
    assert {"url", "browser_url", "pid", "version", "started_at"} <= told.keys()
    assert born.ask("GET", "/healthz").json == {"status": "ok"}
    assert born.cli("status").code == 0
    assert born.end(number) == (0, b"")
    assert not (born.home / "owner.json").exists()
    gone = born.cli("status")
    assert gone.code == 3 and "roundtable start" in gone.err
    assert len(gone.err.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.proves("C-101")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_impatient_person_does_not_make_a_failure_of_an_end(born: House, number: int) -> None:
    born.start()
    assert born.owner is not None
    until_gone = time.monotonic() + 30
    while born.owner.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            born.owner.send_signal(number)
        time.sleep(0.02)
        assert time.monotonic() < until_gone
    assert born.owner.returncode == 0


@pytest.mark.slow
@pytest.mark.proves("C-102", "D-06", "R-28", "S-74")
def test_a_second_start_exits_4_and_the_lock_dies_with_its_holder(
    born: House, running: House
) -> None:
    before = (running.home / "owner.json").read_bytes()
    second = until(lambda: quickly(lambda: running.cli("start", "--port", "0"), 2))
    assert second.code == 4 and second.out == ""
    assert "Another owner is running" in second.err and len(second.err.splitlines()) == 1
    assert f"(process {json.loads(before)['pid']})" in second.err
    assert (running.home / "owner.json").read_bytes() == before
    assert running.ask("GET", "/healthz").status == 200
    assert running.owner is not None
    running.owner.kill()
    running.owner.communicate()
    assert running.cli("status").code == 3, "owner.json of a dead owner leads nowhere"
    running.start()
    assert running.cli("status").code == 0


@pytest.mark.slow
@pytest.mark.proves("C-102", "D-06", "F-51")
def test_of_many_starts_at_once_one_wins(house: House) -> None:
    house.home.mkdir(mode=0o700)
    started = [
        subprocess.Popen(
            [ROUNDTABLE, "start", "--port", "0"],
            env=house.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(6)
    ]
    try:
        until(lambda: sum(one.poll() is None for one in started) == 1)
        left = next(one for one in started if one.poll() is None)
        assert left.stdout is not None and b"ready" in left.stdout.readline()
        assert sorted(one.returncode for one in started if one is not left) == [4] * 5
    finally:
        for one in started:
            one.terminate()
            one.communicate(timeout=30)


@pytest.mark.slow
@pytest.mark.proves("A-35", "C-101", "C-58", "F-04", "A-02")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_agents_outlive_the_owner_and_their_output_has_no_gap(house: House, number: int) -> None:
    house.start()
    room = house.room()
    tasks = [
        room.task(f"Count {n}", room.agent(sys.executable, "-c", COUNT, "300", name=f"a{n}"))
        for n in range(3)
    ]
    before = [room.live(task) for task in tasks]
    if number == signal.SIGKILL:
        assert house.owner is not None
        house.owner.kill()
        house.owner.communicate()
    else:
        assert house.end(number) == (0, b"")
    pids = [one["pid"] for run in before for one in run["processes"]]
    assert all(alive(pid) for pid in pids)
    house.start()
    after = [house.run(run["id"]) for run in before]
    for old, new in zip(before, after, strict=True):
        assert new["status"] == "running"
        same = {(one["pid"], one["role"]) for one in old["processes"]}
        assert same <= {(one["pid"], one["role"]) for one in new["processes"]}
    whole = "".join(f"line {number:05d}\n" for number in range(300))
    for task, run in zip(tasks, before, strict=True):
        ended = room.ended(task)
        assert (ended["id"], ended["outcome"]) == (run["id"], "done")
        assert house.transcript(run["id"]) == whole
        assert len(house.get(f"/tasks/{task['id']}/attempts")["items"]) == 1


@pytest.mark.slow
@pytest.mark.proves("C-58", "A-35")
def test_what_ended_while_no_owner_was_there_is_settled_by_the_next(house: House) -> None:
    house.start()
    room = house.room()
    task = room.task("Soon", room.shell("sleep 1; echo late > late.txt"))
    run = room.live(task)
    house.end()
    until(lambda: not any(alive(one["pid"]) for one in run["processes"]))
    house.start()
    ended = room.ended(task)
    assert (ended["id"], ended["outcome"]) == (run["id"], "done")
    room.lands(room.proposal(task))


@pytest.mark.slow
def test_the_port_is_kept_across_a_restart(born: House) -> None:
    for asked in (str(first := free_port()), "0"):  # any free one is a port like another
        born.start("--port", asked)
        last = born.port
        born.end()
        assert born.start("--host", "127.0.0.1")["url"] == f"http://127.0.0.1:{last}"
        born.end()
    assert last != first


@pytest.mark.slow
def test_the_last_port_taken_by_a_stranger_gives_the_next_one(house: House) -> None:
    port = free_port()
    house.start("--port", str(port))
    house.end()
    with stranger(port):
        house.start("--host", "127.0.0.1")
    assert port < house.port < port + 50
    told = json.loads((house.home / "owner.json").read_text())
    assert told["url"].endswith(f":{house.port}")
    assert "port taken by a stranger" in (house.home / "logs/roundtable.log").read_text()
    assert told["port_taken"] == port
    [moved] = [one for one in house.get("/doctor")["items"] if one["check"] == "port"]
    assert f"had the port {port}" in moved["sentence"] and told["url"] in moved["sentence"]
    assert f"settings set port {port}" in moved["cure"]


@pytest.mark.slow
def test_an_explicit_port_that_is_taken_exits_1(house: House) -> None:
    with stranger() as port:
        refused = house.cli("start", "--port", str(port))
    assert refused.code == 1 and refused.out == ""
    assert f"Port {port} cannot be had" in refused.err
    assert not (house.home / "owner.json").exists()


@pytest.mark.slow
@pytest.mark.proves("S-08")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org", "192.0.2.1", "", "127.0.0.1:1"])
def test_a_start_beyond_loopback_exits_2(house: House, host: str) -> None:
    refused = house.cli("start", "--host", host, "--port", "0")
    assert refused.code == 2 and refused.out == ""
    assert "listens on this machine only" in refused.err
    assert not house.home.exists()


@pytest.mark.proves("S-07")
def test_nothing_listens_beyond_loopback(shared: House) -> None:
    found = psutil.Process(shared.facts["pid"]).net_connections("inet")
    listening = {one.laddr.ip for one in found if one.status == psutil.CONN_LISTEN}
    assert listening <= {"127.0.0.1", "::1"} and listening


@pytest.mark.slow
@pytest.mark.proves("S-44")
def test_a_home_that_is_a_link_or_open_to_others_is_refused(house: House, tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir(mode=0o700)
    house.home.symlink_to(real)
    cases = {"is a symbolic link": house.cli("start", "--port", "0")}
    house.home.unlink()
    house.home.mkdir()
    house.home.chmod(0o770)
    cases["Others can write"] = house.cli("start", "--port", "0")
    house.home.chmod(0o702)
    cases["Others can write in"] = house.cli("init", str(house.repository()))
    house.home.rmdir()
    house.home.write_text("a file")
    cases["is not a folder"] = house.cli("start", "--port", "0")
    if os.getuid() == 0:
        house.home.unlink()
        house.home.mkdir(mode=0o700)
        os.chown(house.home, 12345, 12345)
        cases["belongs to another user"] = house.cli("start", "--port", "0")
        assert not list(house.home.iterdir())
    for said, done in cases.items():
        assert done.code == 1 and said in done.err and done.out == ""
        assert len(done.err.splitlines()) == 1
    assert not list(real.iterdir())


@pytest.mark.slow
@pytest.mark.proves("S-45")
@pytest.mark.parametrize(
    "name",
    [
        "token",
        "instance.lock",
        "roundtable.db",
        "git.lock",
        "logs/roundtable.log",
        "owner.json",
        "backups",
    ],
)
def test_a_link_planted_at_a_files_place_is_not_followed(house: House, name: str) -> None:
    victim = house.root / "victim"
    victim.write_text("precious")
    victim.chmod(0o644)
    place = house.home / name
    house.home.mkdir(mode=0o700)
    place.parent.mkdir(mode=0o700, exist_ok=True)
    place.symlink_to(victim)
    if name == "owner.json":
        house.start()  # it is replaced, as every start does
        assert not place.is_symlink()
    else:
        refused = house.cli("start", "--port", "0")
        assert refused.code == 1 and "symbolic link" in refused.err, refused.err
    assert victim.read_text() == "precious" and victim.stat().st_mode & 0o777 == 0o644


@pytest.mark.slow
@pytest.mark.proves("S-43", "S-43 modes")
def test_everything_in_the_home_is_private_whatever_the_umask(born: House) -> None:
    born.start(umask=0)
    room = born.room()
    task = room.task("Loud", room.shell("echo out; umask > x", env={"KEY_OF_MINE": "abcdefgh"}))
    room.ended(task)
    proposal = room.proposal(task)
    live = room.task("Live", room.shell("sleep 60", "sleeper"))
    room.live(live)
    born.cli("open", "--print")
    names = {path.name for path in born.home.rglob("*")}
    assert {
        "roundtable.db",
        "roundtable.db-wal",
        "roundtable.db-shm",
        "token",
        "owner.json",
    } <= names
    assert {"roundtable.log", "launch.json", "spool.ndjson", "instance.lock"} <= names
    assert any(born.home.glob("runs/*/out/*")) and any(born.home.glob("secrets/*"))
    copies = born.home / "copies"
    open_ones = [
        (str(path.relative_to(born.home)), oct(path.lstat().st_mode))
        for path in [born.home, *born.home.rglob("*")]
        if not path.is_symlink()
        and path.lstat().st_mode & 0o077
        and len(path.relative_to(born.home).parts) < 4
        and not (copies in path.parents and len(path.relative_to(copies).parts) > 1)
    ]
    assert open_ones == []
    assert all(not path.lstat().st_mode & 0o077 for path in born.home.glob("runs/*/*/*"))
    room.delivered(proposal)
    # What is the user's has the user's modes: their agent works with them, and so does a delivery.
    assert (room.path / "x").read_text() == "0000\n"
    assert (room.path / "x").stat().st_mode & 0o777 == 0o666
    # A command of a person with umask 000 writes into it too.
    done = subprocess.run(
        [ROUNDTABLE, "open"], env=born.env | {"BROWSER": "true"}, umask=0, capture_output=True
    )
    assert done.returncode == 0
    assert [one.stat().st_mode & 0o077 for one in born.home.glob("open*.html")] == [0]


@pytest.mark.slow
def test_a_database_of_a_newer_version_or_a_stranger_is_left_as_it_is(house: House) -> None:
    house.home.mkdir(mode=0o700)
    file = house.home / "roundtable.db"
    file.write_text("this is no database, it is a letter to somebody\n" * 100)
    before = file.read_bytes()
    refused = house.cli("start", "--port", "0")
    assert refused.code == 1 and len(refused.err.splitlines()) == 1, refused.err
    assert file.read_bytes() == before
    file.unlink()
    house.start()
    house.end()
    with contextlib.closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 9999")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = file.read_bytes()
    refused = house.cli("start", "--port", "0")
    assert refused.code == 1 and "newer version" in refused.err
    assert file.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("place", ["/dev/null/home", "/proc/no/home", "/proc/home"])
def test_a_home_that_cannot_be_made_is_one_sentence(house: House, place: str) -> None:
    done = house.cli("--home", place, "start", "--port", "0")
    assert done.code == 1 and f"{place} cannot be made" in done.err
    assert len(done.err.splitlines()) == 1 and done.out == ""


@pytest.mark.slow
def test_a_home_whose_path_is_too_long_for_sockets_is_refused(born: House) -> None:
    born.home = born.root / ("long-" * 20)
    born.env["ROUNDTABLE_HOME"] = str(born.home)
    refused = born.cli("start", "--port", "0")
    assert refused.code == 1 and "too long" in refused.err and "--home" in refused.err
    assert not (born.home / "owner.json").exists()
    born.start("--port", "0", XDG_RUNTIME_DIR=str(born.root))
    room = born.room()
    assert room.ended(room.task("Go", room.shell("echo 1 > 1")))["outcome"] == "done"


@pytest.mark.slow
def test_init_works_without_an_owner_and_the_owner_then_knows_it(born: House) -> None:
    repo = born.repository()
    done = born.cli("init", at=repo)
    assert done.code == 0 and f"Registered {repo}" in done.out
    assert born.git("status", "--porcelain", at=repo) == "?? .roundtable/"
    again = born.cli("init", at=repo)
    assert again.code == 0 and "is registered already" in again.out
    born.start()
    found = born.cli("workspace", "list", "--json").json
    assert [one["path"] for one in found] == [str(repo)]
    room = Room(born, repo, found[0])
    task = room.task("Go", room.shell("echo 1 > 1"))
    assert room.ended(task)["outcome"] == "done"
