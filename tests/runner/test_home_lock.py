"""Who has a home: one owner, and nobody who is dead."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from roundtable_desktop.adapters import home
from roundtable_desktop.adapters.home import Home
from roundtable_desktop.model.errors import Busy


def a_dead_process() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def held(tmp_path: Path, pid: int) -> tuple[Home, Home]:
    """One that has it, with an owner who said that pid, and one that wants it."""
    one, other = Home(tmp_path / "home"), Home(tmp_path / "home")
    one.prepare()
    one.lock()
    one.say_owner({"pid": pid})
    return one, other


@pytest.mark.proves("D-06", "F-01")
def test_what_a_killed_owner_had_begun_keeps_nobody_out(tmp_path: Path) -> None:
    one, other = held(tmp_path, a_dead_process())
    going = threading.Timer(0.3, one.unlock)
    going.start()
    other.lock()
    going.join()
    other.unlock()


@pytest.mark.proves("D-06", "C-102")
def test_an_owner_who_lives_is_named_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = held(tmp_path, os.getpid())
    monkeypatch.setattr(home.time, "sleep", lambda _: pytest.fail("it waited"))
    with pytest.raises(Busy) as refused:
        other.lock()
    assert refused.value.values["pid"] == os.getpid()
    one.unlock()


@pytest.mark.proves("D-06")
def test_what_does_not_let_go_is_waited_for_within_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = held(tmp_path, a_dead_process())
    looks: list[float] = []
    monkeypatch.setattr(home.time, "sleep", looks.append)
    with pytest.raises(Busy):
        other.lock()
    assert 1 <= sum(looks) <= 5
    one.unlock()
