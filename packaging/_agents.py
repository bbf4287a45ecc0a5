"""Installs the real agents that the tests drive, each in the one version that is known to us."""

from __future__ import annotations

import json
import os
import platform
import shutil
from pathlib import Path

from _venv import VENV, SetUpFailed, quietly, say

OPENCODE = ("opencode-linux-x64", "1.18.33")
NPM_OPTIONS = ("--ignore-scripts", "--no-audit", "--no-fund", "--save-exact")


def folder() -> Path:
    """Inside the environment, so that a new one has new agents; `ROUNDTABLE_AGENTS` is another."""
    return Path(os.environ.get("ROUNDTABLE_AGENTS") or VENV / "agents").absolute()


def opencode() -> Path:
    """The program, installed if it is not yet; the platform's own package needs no Node to run."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise SetUpFailed(f"the agent tests need {OPENCODE[0]}, which runs on Linux x86-64 only")
    home = install(*OPENCODE)
    program = home / "node_modules" / OPENCODE[0] / "bin" / "opencode"
    if not os.access(program, os.X_OK):
        raise SetUpFailed(f"{program} is missing; remove {home} and try again")
    say(f"opencode {OPENCODE[1]} at {program}")
    return program


def install(package: str, version: str) -> Path:
    """An npm package in a folder of its own; does nothing when that version is there."""
    home = folder() / package
    stamp = home / "roundtable.json"
    wanted = json.dumps({"package": package, "version": version})
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return home
    exact = f"{package}@{version}"
    command = ["npm", "install", *NPM_OPTIONS, "--prefix", str(home), exact]
    if shutil.which("npm") is None:
        raise SetUpFailed(
            "npm is missing; on Debian run: sudo apt-get install --yes npm\n"
            f"with it, this will be run: {' '.join(command)}"
        )
    say(f"installing {exact}")
    home.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    quietly(command)
    stamp.write_text(wanted, encoding="utf-8")  # last, so that half an install is done again
    return home
