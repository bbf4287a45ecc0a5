"""A hundred harms to the database's files, each met by a real start: `dev.py faults`."""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from outside_house import ROUNDTABLE, House

pytestmark = pytest.mark.faults

KEPT, SINCE = 150, 40
"""Tasks in the backup, and made since."""
Harm = Callable[[Path, random.Random], object]


def _bytes(ending: str, first: int = 0, size: int = 100) -> Harm:
    """Anywhere in that file, from `first` on."""

    def smash(file: Path, dice: random.Random) -> None:
        path = file.with_name(file.name + ending)
        with open(path, "r+b") as smashed:
            smashed.seek(dice.randrange(first, path.stat().st_size - size))
            smashed.write(dice.randbytes(size))

    return smash


def _head(size: int, at: int = 0) -> Harm:
    def smash(file: Path, dice: random.Random) -> None:
        with open(file, "r+b") as smashed:
            smashed.seek(at)
            smashed.write(dice.randbytes(size))

    return smash


def _zeros(file: Path, dice: random.Random) -> None:
    """As a disk gives back what it never wrote."""
    with open(file, "r+b") as smashed:
        smashed.write(bytes(4096))


def _cut(ending: str) -> Harm:
    def cut(file: Path, dice: random.Random) -> None:
        path = file.with_name(file.name + ending)
        os.truncate(path, dice.randrange(1, path.stat().st_size))

    return cut


def _empty(file: Path, dice: random.Random) -> None:
    os.truncate(file, 0)


def _text(file: Path, dice: random.Random) -> None:
    file.write_text("Dear Joan,\n" * 99)


def _no_log(file: Path, dice: random.Random) -> None:
    file.with_name(file.name + "-wal").unlink()


HARMS: list[tuple[str, int, Harm]] = [
    ("100 bytes of the file", 60, _bytes("")),
    ("100 bytes of its log", 12, _bytes("-wal")),
    ("100 bytes of the log's index", 4, _bytes("-shm")),
    ("the head", 4, _head(100)),
    ("a part of the head", 4, _head(24, 40)),
    ("the first page is zeros", 2, _zeros),
    ("cut off", 5, _cut("")),
    ("the log is cut off", 4, _cut("-wal")),
    ("the log is gone", 2, _no_log),
    ("empty", 2, _empty),
    ("a letter", 1, _text),
]


def start(house: House) -> tuple[str, float]:
    """How a start ends: healthy, restored or refused, and nothing else; the seconds it took."""
    began = time.monotonic()
    owner = subprocess.Popen(
        [ROUNDTABLE, "start", "--port", "0"],
        env=house.env,
        cwd=house.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    line, took = owner.stdout.readline(), 0.0
    if line:
        took = time.monotonic() - began
        assert json.loads(line)["event"] == "ready"
        owner.send_signal(signal.SIGTERM)
    _, said = owner.communicate(timeout=120)
    assert "Traceback" not in said, said[-3000:]
    if not line:
        assert owner.returncode == 1 and len(said.splitlines()) == 1, said
        return "refused", time.monotonic() - began
    assert owner.returncode == 0, said[-3000:]
    return ("restored" if "goes on from" in said else "healthy"), took


@pytest.fixture
def whole(house: House) -> Iterator[Path]:
    """A home whose owner was killed: with a backup, and with more in the log since."""
    house.start()
    room = house.room()
    for number in range(KEPT):
        room.task(f"Task {number}", description="words " * 60)
    name = time.strftime("roundtable-%Y%m%dT%H%M%SZ-v9999.db", time.gmtime())
    assert house.cli("backup", str(house.home / "backups" / name)).code == 0
    for number in range(SINCE):
        room.task(f"Since {number}", description="words " * 60)
    house.end(signal.SIGKILL)
    home = house.root / "whole"
    house.home.rename(home)
    yield home


def parts(home: Path) -> dict[str, bytes]:
    names = ("roundtable.db", "roundtable.db-wal")
    return {name: (home / name).read_bytes() for name in names if (home / name).exists()}


@pytest.mark.timeout(3600)
@pytest.mark.proves("F-20", "F-21")
def test_a_hundred_harms_end_healthy_restored_or_refused(
    house: House, whole: Path, show: Callable[[str], None]
) -> None:
    """Rows that the look for damage can see to be gone are never lost without a word; what only
    the log held goes with a damaged log, of which SQLite says nothing."""
    dice = random.Random(int(os.environ.get("ROUNDTABLE_SEED", "20")))
    ends, unseen, took = Counter[tuple[str, str]](), Counter[str](), list[float]()
    for what, times, harm in HARMS:
        for _ in range(times):
            shutil.copytree(whole, house.home, symlinks=True, ignore=shutil.ignore_patterns("s"))
            harm(house.home / "roundtable.db", dice)
            before = parts(house.home)
            end, seconds = start(house)
            ends[what, end] += 1
            took.append(seconds)
            judge(house, what, end, before)
            if end == "healthy":
                unseen[what] += KEPT + SINCE - house.query("SELECT count(*) FROM tasks")[0][0]
            shutil.rmtree(house.home)
    lines = [f"{what}: {end} {count}" for (what, end), count in sorted(ends.items())]
    lines += [
        f"{what}: {count} rows of a log that ends early" for what, count in unseen.items() if count
    ]
    took.sort()
    show("\n".join([*lines, f"starts: median {took[50]:.1f} s, longest {took[-1]:.1f} s"]))
    assert sum(ends.values()) == 100
    assert not {what for what, count in unseen.items() if count and "log" not in what}
    assert not [what for what, end in ends if end == "refused"], "there is a sound backup"


def judge(house: House, what: str, end: str, before: dict[str, bytes]) -> None:
    if end == "refused":
        assert parts(house.home) == before, what
        return
    assert house.query("PRAGMA integrity_check") == [("ok",)], what
    assert house.query("PRAGMA foreign_key_check") == [], what
    [(tasks,)] = house.query("SELECT count(*) FROM tasks")
    assert KEPT <= tasks <= KEPT + SINCE or "log" in what, (what, tasks)
    asides = list((house.home / "aside").glob("*"))
    assert len(asides) == (end == "restored"), what
    for aside in asides:
        assert parts(aside) == before, what
        told = house.query("SELECT data FROM events WHERE kind = 'database.restored'")
        assert len(told) == 1 and json.loads(told[0][0])["as_of"], what


@pytest.mark.proves("F-20", "F-21")
def test_without_a_backup_a_harmed_file_is_refused_as_it_is(house: House, whole: Path) -> None:
    dice = random.Random(21)
    shutil.rmtree(whole / "backups")
    for harm in (_empty, _text, _head(100), _zeros):
        shutil.copytree(whole, house.home, symlinks=True, ignore=shutil.ignore_patterns("s"))
        with contextlib.suppress(FileNotFoundError):
            _no_log(house.home / "roundtable.db", dice)
        harm(house.home / "roundtable.db", dice)
        before = parts(house.home)
        assert start(house)[0] == "refused" and parts(house.home) == before
        shutil.rmtree(house.home)
