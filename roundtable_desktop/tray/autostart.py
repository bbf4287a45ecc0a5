"""Starting at login, with the person's consent: a file that the desktop reads (D-10). No Qt here,
so that the command line can turn it as well."""

import os
import re
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

NAME = "roundtable-desktop.desktop"
_DELAY = 5  # seconds after the login: the panel comes first
_PLAIN = re.compile(r"[A-Za-z0-9_./=+:@,-]+")

_ENTRY = """[Desktop Entry]
Type=Application
Name=Roundtable
Comment=Leaves coding agents working on your repositories
Exec={command}
Icon=roundtable-desktop
Terminal=false
StartupNotify=false
X-GNOME-Autostart-enabled=true
X-GNOME-Autostart-Delay={delay}
"""


class AtLogin(StrEnum):
    """other: the file starts another program or home, or was switched off by other means."""

    ON = "on"
    OFF = "off"
    OTHER = "other"


def is_possible() -> bool:
    """Where the freedesktop.org standard holds; the ways of macOS and Windows are not made yet."""
    return sys.platform == "linux"


def file(environ: Mapping[str, str] = os.environ) -> Path:
    config = environ.get("XDG_CONFIG_HOME", "")
    folder = Path(config) if os.path.isabs(config) else Path.home() / ".config"
    return folder / "autostart" / NAME


def found(home: Path, environ: Mapping[str, str] = os.environ) -> AtLogin:
    """What the desktop will do, as the file says it now."""
    try:
        lines = file(environ).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return AtLogin.OFF
    except (OSError, ValueError):
        return AtLogin.OTHER
    said = dict(line.split("=", 1) for line in lines if "=" in line)
    hidden = said.get("Hidden", "false").strip() == "true"
    enabled = said.get("X-GNOME-Autostart-enabled", "true").strip() == "true"
    ours = said.get("Exec", "").strip() == command(home)
    return AtLogin.ON if ours and enabled and not hidden else AtLogin.OTHER


def turn(on: bool, home: Path, environ: Mapping[str, str] = os.environ) -> None:
    """Raises OSError where the file cannot be written or taken away."""
    path = file(environ)
    if not on:
        return path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(f".{os.getpid()}")
    half.write_text(_ENTRY.format(command=command(home), delay=_DELAY), encoding="utf-8")
    half.replace(path)
    return None


def command(home: Path) -> str:
    """The value of `Exec`: absolute, because a login has another PATH."""
    words = [*_program(), "--hidden", "--home", str(home)]
    return " ".join(_quoted(word) for word in words)


def _program() -> list[str]:
    if getattr(sys, "frozen", False):
        return [sys.executable]
    script = Path(sys.executable).with_name("roundtable-desktop")
    return [str(script)] if script.exists() else [sys.executable, "-I", "-m", "roundtable_desktop"]


def _quoted(word: str) -> str:
    """By the rules of the Desktop Entry Specification: first those of an argument, then those of
    any text; a percent sign would begin a field code."""
    if not _PLAIN.fullmatch(word):
        escaped = re.sub(r'(["`$\\])', r"\\\1", word)
        word = f'"{escaped}"'
    return word.replace("\\", "\\\\").replace("\n", "\\n").replace("%", "%%")
