"""What the tests need of the system is installed where that is allowed, and else said."""

from collections.abc import Callable
from pathlib import Path

import _system
import pytest

NEED = _system.Need("the tests of tea", "tea", ("teapot", "tealeaf"))


@pytest.fixture
def debian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """A PATH with stand-ins for dpkg-query and apt-get; what apt-get was told is noted."""
    told, shelf = tmp_path / "told", tmp_path / "installed"
    bin_ = tmp_path / "bin"
    bin_.mkdir()

    def program(name: str, body: str) -> None:
        (bin_ / name).write_text(f"#!/bin/sh\n{body}\n")
        (bin_ / name).chmod(0o755)

    def make(*installed: str, root: bool = True, apt: str = "exit 0") -> Path:
        shelf.write_text("".join(f"installed {line}\n" for line in installed))
        program("dpkg-query", f"while read -r line; do echo \"$line\"; done < '{shelf}'")
        program("apt-get", f"echo \"$*\" >> '{told}'\n{apt}")
        told.touch()
        monkeypatch.setenv("PATH", str(bin_))
        monkeypatch.setattr(_system.os, "geteuid", lambda: 0 if root else 1000)
        return told

    make.shelf = shelf  # type: ignore[attr-defined]
    return make


def test_what_is_there_is_left_alone(debian: Callable[..., Path]) -> None:
    told = debian("teapot ", "other", "greenleaf other, tealeaf (= 2)")
    assert _system.left_out([NEED]) == []
    assert told.read_text() == ""


def test_what_is_missing_is_installed_once(
    debian: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = debian.shelf  # type: ignore[attr-defined]
    told = debian("teapot ", apt=f"echo installed tealeaf >> '{shelf}'")
    assert _system.left_out([NEED]) == []
    assert _system.left_out([NEED]) == []
    [line] = told.read_text().splitlines()
    assert line.startswith("install --yes --no-install-recommends tealeaf ")
    assert capsys.readouterr().out == "dev: installing for the tests of tea: tealeaf\n"


def test_old_lists_are_renewed(debian: Callable[..., Path], tmp_path: Path) -> None:
    shelf = debian.shelf  # type: ignore[attr-defined]
    told = debian(
        apt=f'case "$*" in *update*) : > {tmp_path}/new;; esac\n'
        f"test -e {tmp_path}/new || exit 100\n"
        f"printf 'installed teapot\\ninstalled tealeaf\\n' >> '{shelf}'"
    )
    assert _system.left_out([NEED]) == []
    words = [line.split()[0] for line in told.read_text().splitlines()]
    assert words == ["install", "update", "install"]


def test_what_cannot_be_installed_is_left_out_and_said(
    debian: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    debian("tealeaf ", apt="echo no such shop; exit 100")
    assert _system.left_out([NEED]) == [NEED]
    out = capsys.readouterr().out
    assert "no such shop" in out
    assert "left out: the tests of tea, because these are missing: teapot" in out


def test_an_ordinary_user_is_told_the_exact_command(
    debian: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    told = debian("teapot ", root=False)
    assert _system.left_out([NEED]) == [NEED]
    assert told.read_text() == ""
    command = "sudo apt-get install --yes --no-install-recommends tealeaf\n"
    assert capsys.readouterr().out.endswith(command)


def test_a_program_from_elsewhere_counts(
    debian: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    debian("tealeaf ")
    monkeypatch.setitem(_system.PROGRAMS, "teapot", ("samovar", "apt-get"))
    assert _system.left_out([NEED]) == []


def test_a_system_without_dpkg_is_asked_for_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(_system.PROGRAMS, "teapot", ("samovar",))
    assert _system.missing(NEED) == ["teapot"]
    (tmp_path / "samovar").write_text("#!/bin/sh\n")
    (tmp_path / "samovar").chmod(0o755)
    assert _system.missing(NEED) == []
