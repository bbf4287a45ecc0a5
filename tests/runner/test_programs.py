"""The programs of agents are found as a new terminal finds them, and hostile ones do no harm."""

import os
import stat
import time
from pathlib import Path

import pytest

from roundtable_desktop.adapters import programs
from roundtable_desktop.adapters.programs import InstalledPrograms
from roundtable_desktop.model.programs import SignIn

PERSON = "person"


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def here(tmp_path: Path, **environ: str) -> InstalledPrograms:
    (tmp_path / PERSON).mkdir(exist_ok=True)
    known = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / PERSON), **environ}
    environment = {name: known[name] for name in ("PATH", "HOME")}
    hide = lambda text: text.replace("sk-secret", "[hidden]")  # noqa: E731
    return InstalledPrograms(tmp_path / PERSON, known, environment, hide)


@pytest.mark.proves("D-09")
def test_a_program_that_only_a_new_terminal_knows_is_found_and_says_its_version(
    tmp_path: Path,
) -> None:
    asked = 'test -z "$SECRET" && (pwd; ls -A) > "$HOME/where" && echo "9.9 sk-secret\x1b[31m"'
    agent = program(tmp_path / "tools" / "opencode", asked)
    shell = program(
        tmp_path / "shell", f'PATH="relative::{tmp_path / "tools"}:$PATH"\nexec /bin/sh -c "$2"'
    )
    found = here(tmp_path, SHELL=str(shell), SECRET="x")
    [one] = found.found()
    assert (one.name, one.place, one.command) == ("opencode", str(agent), ("opencode", "acp"))
    assert one.version == "9.9 [hidden]" and one.sign_in is SignIn.UNKNOWN and not one.missing
    [where] = (tmp_path / PERSON / "where").read_text().splitlines()
    assert where != os.getcwd() and not Path(where).exists(), "an empty folder that is gone again"
    assert all(os.path.isabs(folder) for folder in found.path().split(":"))


@pytest.mark.proves("D-09")
def test_the_path_is_a_terminals_after_what_this_process_has_beyond_it(tmp_path: Path) -> None:
    shell = program(tmp_path / "shell", 'PATH="/new:/usr/bin"\nexec /bin/sh -c "$2"')
    path = here(tmp_path, SHELL=str(shell), PATH="/venv/bin:/usr/bin:/bin").path().split(":")
    assert path[:4] == ["/venv/bin", "/bin", "/new", "/usr/bin"]
    assert path[4] == str(tmp_path / PERSON / ".local/bin") and "/usr/local/bin" in path


@pytest.mark.proves("D-09")
@pytest.mark.parametrize(
    "text",
    [
        "exit 1",
        "sleep 60",
        "sleep 60 & exec sleep 60",
        'printf "roundtable-path=/a:/b\\n"; exit 3',
        'while :; do printf "%4096d" 0; done',
        'printf "roundtable-path=no/folder:\\033[2J/x:\\n"',
    ],
)
def test_a_shell_that_fails_hangs_or_lies_leaves_our_own_path(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "PATIENCE", 0.4)
    shell = program(tmp_path / "shell", text)
    began = time.monotonic()
    path = here(tmp_path, SHELL=str(shell)).path().split(":")
    assert path[:2] == ["/usr/bin", "/bin"] and "/x" not in path and "/a" not in path
    assert time.monotonic() - began < 10


@pytest.mark.proves("D-09")
def test_what_a_profile_leaves_running_is_neither_waited_for_nor_ended(tmp_path: Path) -> None:
    left = tmp_path / "left"
    shell = program(
        tmp_path / "shell", f'sleep 20 & echo $! > {left}\nPATH=/new\nexec /bin/sh -c "$2"'
    )
    began = time.monotonic()
    assert here(tmp_path, SHELL=str(shell)).path().split(":")[2] == "/new"
    assert time.monotonic() - began < programs.PATIENCE
    pid = int(left.read_text())
    os.kill(pid, 9)  # it was there


@pytest.mark.slow
@pytest.mark.proves("D-09")
def test_a_program_that_says_nothing_is_found_all_the_same_and_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "PATIENCE", 0.5)
    below = tmp_path / PERSON / ".local" / "bin"
    program(below / "gemini", f"echo asked >> {tmp_path / 'asked'}; sleep 60")
    program(below / "claude", "echo no number here; echo 2.1.0; exit 2")
    found = here(tmp_path)
    first = found.found()
    assert [(one.name, one.version) for one in first] == [("claude", ""), ("gemini", "")]
    assert first[0].missing == "claude-agent-acp" and first[0].package and not first[1].missing
    assert found.found() == first
    assert (tmp_path / "asked").read_text() == "asked\n"
    found.look_anew()
    found.found()
    assert (tmp_path / "asked").read_text() == "asked\nasked\n"


@pytest.mark.proves("D-09")
def test_what_nvm_keeps_is_found_the_newest_first(tmp_path: Path) -> None:
    kept = tmp_path / PERSON / ".nvm" / "versions" / "node"
    for version in ("v9.1.0", "v20.2.0", "v20.10.1"):
        program(kept / version / "bin" / "codex", f"echo codex {version}")
    [one] = here(tmp_path).found()
    assert one.version == "codex v20.10.1" and one.missing == "codex-acp"


@pytest.mark.proves("D-09")
@pytest.mark.parametrize(
    ("file", "environ", "expected"),
    [
        (".codex/auth.json", {}, (SignIn.KEPT, "")),
        ("", {"OPENAI_API_KEY": "k"}, (SignIn.VARIABLE, "OPENAI_API_KEY")),
        ("", {"OPENAI_API_KEY": ""}, (SignIn.NONE, "")),
    ],
)
def test_the_sign_in_is_told_by_signs_and_never_read(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    environ: dict[str, str],
    expected: tuple[SignIn, str],
) -> None:
    monkeypatch.setattr(programs.sys, "platform", "linux")
    found = here(tmp_path, **environ)
    if file:
        (tmp_path / PERSON / file).parent.mkdir()
        (tmp_path / PERSON / file).touch(mode=0)
    assert found.sign_in("codex") == found.sign_in("/opt/codex-acp") == expected
    assert found.sign_in("opencode") == found.sign_in("my-agent") == (SignIn.UNKNOWN, "")
    monkeypatch.setattr(programs.sys, "platform", "darwin")
    keychain = expected if expected[0] is not SignIn.NONE else (SignIn.UNKNOWN, "")
    assert found.sign_in("codex") == keychain
