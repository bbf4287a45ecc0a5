"""Knows which of Debian's packages the tests need, and has them installed where that is allowed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass

from _venv import say

APT = ("apt-get", "install", "--yes", "--no-install-recommends")
HEARD = 2000  # characters of apt-get's output that are shown when it fails


@dataclass(frozen=True)
class Need:
    """A part of the tests, the folder it lives in, and the packages without which it cannot run.

    marker: of its tests; it is the name of their folder below `tests/`.
    """

    what: str
    marker: str
    packages: tuple[str, ...]


BROWSER = Need(
    "the tests in a browser",
    "browser",
    ("chromium", "fonts-dejavu-core", "fonts-noto-color-emoji"),
)

# Of Qt's libraries a bare Debian 12 lacks these; Qt itself comes with PySide6.
QT = (
    "libgl1",
    "libegl1",
    "libglib2.0-0",
    "libdbus-1-3",
    "libfontconfig1",
    "libfreetype6",
    "libx11-6",
    "libx11-xcb1",
    "libxkbcommon0",
    "libxkbcommon-x11-0",
    "libbrotli1",
    "libxcb-cursor0",
    "libxcb-icccm4",
    "libxcb-keysyms1",
    "libxcb-image0",
    "libxcb-render-util0",
    "libxcb-randr0",
    "libxcb-shape0",
    "libxcb-sync1",
    "libxcb-xfixes0",
    "libxcb-xkb1",
    "libwayland-client0",
    "libwayland-cursor0",
    "fonts-dejavu-core",
)
TRAY = Need(
    "the tests of the tray",
    "tray",
    (*QT, "xvfb", "dbus-daemon", "xfce4-panel"),
)

PROGRAMS = {
    "chromium": ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "xvfb": ("Xvfb",),
    "dbus-daemon": ("dbus-daemon",),
    "xfce4-panel": ("xfce4-panel",),
}
"""What stands for a package, wherever it came from; a system without dpkg is asked for these."""


def left_out(needs: Iterable[Need]) -> list[Need]:
    """Installs what is missing, when it may; the needs that stay, each of them said."""
    return [need for need in needs if not _met(need)]


def _met(need: Need) -> bool:
    lacking = missing(need)
    if lacking and _may_install():
        say(f"installing for {need.what}: {' '.join(lacking)}")
        heard = _install(lacking)
        if heard:
            print(heard)
        lacking = missing(need)
    if lacking:
        say(f"left out: {need.what}, because these are missing: {' '.join(lacking)}")
        say(f"to run them as well, first run: sudo {' '.join((*APT, *lacking))}")
    return not lacking


def missing(need: Need) -> list[str]:
    wanted = [name for name in need.packages if not program(name)]
    installed = _installed()
    if installed is None:  # not Debian: the programs are all that can be asked for
        return [name for name in wanted if name in PROGRAMS]
    return [name for name in wanted if name not in installed]


def program(package: str) -> str | None:
    """Where it is, whoever installed it."""
    found = (shutil.which(name) for name in PROGRAMS.get(package, ()))
    return next((path for path in found if path), None)


def _installed() -> set[str] | None:
    """Installed packages and what they stand for: a library may have been renamed since."""
    if shutil.which("dpkg-query") is None:
        return None
    asked = ["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Package} ${Provides}\\n"]
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    names: set[str] = set()
    for line in told.splitlines():
        status, _, rest = line.partition(" ")
        if status == "installed":
            package, _, provided = rest.partition(" ")
            names.add(package)
            names.update(part.split()[0] for part in provided.split(",") if part.strip())
    return names


def _may_install() -> bool:
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return root and None not in (shutil.which("apt-get"), shutil.which("dpkg-query"))


def _install(packages: list[str]) -> str:
    """What apt-get said if it failed even with new lists; nothing when it is done."""
    heard = _apt(*APT, *packages)
    if heard:  # the lists are absent or too old
        heard = _apt("apt-get", "update") or _apt(*APT, *packages)
    return heard


def _apt(*command: str) -> str:
    told = subprocess.run(
        [*command, "--quiet", "--option=DPkg::Lock::Timeout=300"],
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    heard = (told.stdout + told.stderr)[-HEARD:].strip()
    return f"{heard}\nfailed: {' '.join(command)}" if told.returncode else ""
