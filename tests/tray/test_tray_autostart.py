"""Starting at login: a file that says what is so, written and taken away when somebody says so."""

import shlex
import subprocess
import sys
import tomllib
from configparser import RawConfigParser
from pathlib import Path

import pytest
from house.source import ROOT

from roundtable_desktop.cli import main as roundtable
from roundtable_desktop.tray import autostart
from roundtable_desktop.tray.autostart import AtLogin

pytestmark = pytest.mark.proves("D-10", "W-31")

HOME = Path('/somewhere/a home/100% "mine" $x `y` \\z')


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(tmp_path / "config")}


def entry(environ: dict[str, str]) -> dict[str, str]:
    parser = RawConfigParser()
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    parser.read(autostart.file(environ))
    return dict(parser["Desktop Entry"])


def words(exec_: str) -> list[str]:
    """As a desktop reads it: the escapes of any text, then those of arguments."""
    text = exec_.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\").replace("%%", "%")
    return [word.replace("\\$", "$").replace("\\`", "`") for word in shlex.split(text)]


def test_it_is_off_until_somebody_turns_it_on(environ: dict[str, str]) -> None:
    assert autostart.found(HOME, environ) is AtLogin.OFF
    autostart.turn(True, HOME, environ)
    assert autostart.found(HOME, environ) is AtLogin.ON
    autostart.turn(True, HOME, environ)
    said = entry(environ)
    program, *given = words(said["Exec"])
    assert Path(program).is_absolute() and Path(program).exists()
    assert given[-3:] == ["--hidden", "--home", str(HOME)]
    assert said["X-GNOME-Autostart-Delay"] == "5" and said["Type"] == "Application"
    assert [one.name for one in autostart.file(environ).parent.iterdir()] == [autostart.NAME]
    for _again in range(2):
        autostart.turn(False, HOME, environ)
        assert autostart.found(HOME, environ) is AtLogin.OFF


@pytest.mark.parametrize(
    ("was", "became"),
    [
        ("X-GNOME-Autostart-enabled=true", "X-GNOME-Autostart-enabled=false"),
        ("Terminal=false", "Hidden=true"),
        ("Exec=", "Exec=/another/program "),
        ("--home", "--house"),
    ],
)
def test_what_was_changed_by_others_is_not_called_on(
    environ: dict[str, str], was: str, became: str
) -> None:
    autostart.turn(True, HOME, environ)
    path = autostart.file(environ)
    path.write_text(path.read_text().replace(was, became, 1))
    assert autostart.found(HOME, environ) is AtLogin.OTHER
    autostart.turn(True, HOME, environ)
    assert autostart.found(HOME, environ) is AtLogin.ON
    assert autostart.found(Path("/another/home"), environ) is AtLogin.OTHER


def test_a_file_that_is_none_is_not_called_on(environ: dict[str, str]) -> None:
    path = autostart.file(environ)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff\xfe")
    assert autostart.found(HOME, environ) is AtLogin.OTHER


def test_a_relative_place_for_configuration_does_not_count(tmp_path: Path) -> None:
    given = {"XDG_CONFIG_HOME": "config"}
    assert autostart.file(given) == Path.home() / ".config" / "autostart" / autostart.NAME


@pytest.mark.slow
def test_the_command_line_turns_it_and_loads_no_qt(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from roundtable_desktop.cli import desktop\n"
        "sys.argv = ['roundtable-desktop']\n"
        "try:\n    desktop.main(sys.argv[1:] or ['--autostart', WAY, '--home', HOME])\n"
        "finally:\n    assert not [m for m in sys.modules if m.startswith('PySide6')]\n"
    )
    env = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "HOME": str(tmp_path), "PATH": "/usr/bin"}

    def turn(way: str) -> subprocess.CompletedProcess[str]:
        told = script.replace("WAY", repr(way)).replace("HOME", repr(str(tmp_path / "home")))
        command = [sys.executable, "-c", told]
        return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)

    on = turn("on")
    assert on.returncode == 0 and "starts at login from now on" in on.stdout, on.stderr
    assert autostart.found(tmp_path / "home", env) is AtLogin.ON
    assert not (tmp_path / "home").exists(), "nothing else was begun"
    off = turn("off")
    assert off.returncode == 0 and "does not start at login" in off.stdout, off.stderr
    autostart.file(env).parent.rmdir()
    autostart.file(env).parent.write_text("in the way")
    refused = turn("on")
    assert refused.returncode == 1 and "cannot be changed" in refused.stderr


def test_the_entry_of_the_programs_menu_has_its_acts_and_names_programs_that_there_are() -> None:
    """Where there is no tray, its acts are the tray's menu."""
    parser = RawConfigParser()
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    parser.read(ROOT / "packaging" / autostart.NAME)
    said = dict(parser["Desktop Entry"])
    acts = [one for one in said["Actions"].split(";") if one]
    assert acts == ["open", "pause", "resume"]
    given = [said["Exec"], *(parser[f"Desktop Action {one}"]["Exec"] for one in acts)]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    programs = {**project["scripts"], **project["gui-scripts"]}
    assert {one.split()[0] for one in given} <= programs.keys()
    assert {one.split()[1] for one in given[1:]} <= roundtable.cli.commands.keys()
