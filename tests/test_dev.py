"""The door to the checkout does what it says, and says why when it cannot."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import _agents
import _memory
import _venv
import pytest
from house.source import ROOT


def dev(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "packaging/dev.py", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("tests",),
        ("lint", "x"),
        ("faults", "--kills", "x"),
        ("faults", "--seed"),
        ("pictures", "a", "b"),
    ],
)
def test_what_it_does_not_know_is_usage(arguments: tuple[str, ...]) -> None:
    done = dev(*arguments)
    assert done.returncode == 2
    assert "usage: python3 packaging/dev.py COMMAND" in done.stderr


def test_an_environment_that_is_as_it_should_be_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_venv, "STAMP", tmp_path / "stamp.json")
    monkeypatch.setattr(_venv, "PYTHON", Path(sys.executable))
    stamp = f'{{"key": "{_venv.fingerprint()}", "tools": true}}'
    _venv.STAMP.write_text(stamp)
    _venv.prepare(tools=False)
    _venv.prepare(tools=True)
    assert _venv.STAMP.read_text() == stamp


def test_the_environments_own_python_and_the_one_it_was_made_with_agree() -> None:
    code = "import _venv; print(_venv.fingerprint())"
    seen = {
        subprocess.run(
            [python, "-c", code], cwd=ROOT / "packaging", capture_output=True, text=True, check=True
        ).stdout
        for python in (sys.executable, _venv.BASE)
    }
    assert seen == {f"{_venv.fingerprint()}\n"}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """An environment as it should be, without the tools; what is done to it is noted."""
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.symlink_to(_venv.BASE)
    told: list[list[str]] = []
    for name, value in (("VENV", tmp_path), ("SCRIPTS", python.parent), ("PYTHON", python)):
        monkeypatch.setattr(_venv, name, value)
    monkeypatch.setattr(_venv, "STAMP", tmp_path / "stamp.json")
    monkeypatch.setattr(_venv, "quietly", told.append)
    _venv.STAMP.write_text(f'{{"key": "{_venv.fingerprint()}", "tools": false}}')
    return told


def test_tools_are_added_beside_what_runs(installed: list[list[str]]) -> None:
    with running_from(_venv.SCRIPTS):
        _venv.prepare(tools=True)
        _venv.prepare(tools=False)
    (pip,) = installed
    assert pip[-2:] == ["--requirement", str(_venv.LOCK)] and "--editable" not in pip


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="the system has no /proc")
def test_nothing_is_made_anew_under_a_program_that_runs(installed: list[list[str]]) -> None:
    _venv.STAMP.write_text("{}")
    with running_from(_venv.SCRIPTS) as pid, pytest.raises(_venv.SetUpFailed, match=f"pid {pid}"):
        _venv.prepare(tools=True)
    assert installed == []
    (_venv.VENV / "pyvenv.cfg").touch()
    _venv.prepare(tools=True)
    assert [command[0] for command in installed] == [_venv.BASE, str(_venv.PYTHON)]


@contextlib.contextmanager
def running_from(folder: Path) -> Iterator[int]:
    child = subprocess.Popen(
        ["bin/python", "-c", "input()"], cwd=folder.parent, stdin=subprocess.PIPE
    )
    try:
        end = time.monotonic() + 30
        while not _venv.started_from(folder, child.pid):  # it is there before its words are
            assert time.monotonic() < end
            time.sleep(0.01)
        yield child.pid
    finally:
        child.kill()
        child.communicate()


def test_a_changed_lock_changes_the_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _venv.fingerprint()
    other = tmp_path / "requirements.lock"
    other.write_text(_venv.LOCK.read_text() + "one-more==1\n")
    monkeypatch.setattr(_venv, "LOCK", other)
    assert _venv.fingerprint() != before


@pytest.mark.parametrize("stamp", ["", "[]", "{"])
def test_a_stamp_that_cannot_be_read_counts_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stamp: str
) -> None:
    monkeypatch.setattr(_venv, "STAMP", tmp_path / "stamp.json")
    _venv.STAMP.write_text(stamp)
    assert _venv.read_stamp() == {}


def test_a_folder_that_is_no_environment_is_never_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    monkeypatch.setattr(_venv, "VENV", tmp_path)
    with pytest.raises(_venv.SetUpFailed, match="no virtual environment"):
        _venv.make_venv()
    assert (tmp_path / "letter.txt").read_text() == "mine"


def test_a_command_is_heard_only_when_it_fails() -> None:
    assert _venv.quietly([sys.executable, "-c", "print('fine')"]) == "fine\n"
    with pytest.raises(_venv.SetUpFailed, match="no such wheel"):
        _venv.quietly([sys.executable, "-c", "raise SystemExit('no such wheel')"])


def test_the_lock_names_no_registry() -> None:
    assert "//" not in _venv.LOCK.read_text()
    assert "--" not in _venv.LOCK.read_text()


def test_folders_are_in_memory_only_where_there_is_plenty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DEBUG_TEMPROOT", "chosen by hand")
    assert _memory.in_memory(tmp_path / "not there") == []
    assert _memory.has_room(tmp_path, 1)
    assert not _memory.has_room(tmp_path, 1 << 60)
    for told in ("MemTotal: 8 kB\n", "MemAvailable:", ""):
        (tmp_path / "meminfo").write_text(told)
        with monkeypatch.context() as old:
            old.setattr(_memory, "MEMINFO", tmp_path / "meminfo")
            assert not _memory.has_room(tmp_path, 1)
    monkeypatch.setattr(_memory, "has_room", lambda memory: True)
    assert "tmp_path_retention_policy=failed" in _memory.in_memory(tmp_path)
    assert os.environ["PYTEST_DEBUG_TEMPROOT"] == "chosen by hand"


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only program on PATH: it notes what it was told, and fails once there is `broken`."""
    told = tmp_path / "told"
    program = tmp_path / "bin" / "npm"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$*" >> {told}\ntest ! -e {tmp_path}/broken\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setenv("ROUNDTABLE_AGENTS", str(tmp_path / "agents"))
    return told


def test_an_agent_is_installed_once_in_its_exact_version(npm: Path, tmp_path: Path) -> None:
    home = _agents.install("an-agent", "1.2.3")
    assert home == _agents.install("an-agent", "1.2.3") == tmp_path / "agents" / "an-agent"
    _agents.install("an-agent", "1.2.4")
    told = npm.read_text().splitlines()
    assert [line.rpartition(" ")[2] for line in told] == ["an-agent@1.2.3", "an-agent@1.2.4"]
    assert all("--ignore-scripts" in line and f"--prefix {home} " in line for line in told)


def test_half_an_installation_is_done_again(npm: Path, tmp_path: Path) -> None:
    (tmp_path / "broken").touch()
    with pytest.raises(_venv.SetUpFailed, match=r"failed: npm install .* an-agent@1"):
        _agents.install("an-agent", "1")
    (tmp_path / "broken").unlink()
    _agents.install("an-agent", "1")
    assert len(npm.read_text().splitlines()) == 2


def test_without_npm_it_says_what_to_run(npm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(_venv.SetUpFailed, match=r"sudo apt-get install --yes npm\n.*npm install"):
        _agents.install("an-agent", "1")
