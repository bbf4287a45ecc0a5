"""Installs the real agents that the tests drive, and what tries `/mcp`, in one version each."""

from __future__ import annotations

import json
import os
import platform
import shutil
from pathlib import Path

from _venv import VENV, SetUpFailed, quietly, say

OPENCODE = ("opencode-linux-x64", "1.18.33")
CLAUDE = ("@agentclientprotocol/claude-agent-acp", "0.49.0")  # the last one for Node 20
CONFORMANCE = ("@modelcontextprotocol/conformance", "0.2.0-alpha.12")  # the first for 2026-07-28
NPM_OPTIONS = ("--ignore-scripts", "--no-audit", "--no-fund", "--save-exact")


def folder() -> Path:
    """Inside the environment, so that a new one has new agents; `ROUNDTABLE_AGENTS` is another."""
    return Path(os.environ.get("ROUNDTABLE_AGENTS") or VENV / "agents").absolute()


def programs() -> dict[str, str]:
    """Where each is, by the variable that tells the tests of it; installed if it is not yet."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise SetUpFailed(f"the agent tests need {OPENCODE[0]}, which runs on Linux x86-64 only")
    return {  # the platform's own package of the first needs no Node to run, the others do
        "ROUNDTABLE_OPENCODE": program(*OPENCODE, "bin/opencode", mode=os.X_OK),
        "ROUNDTABLE_CLAUDE_ACP": program(*CLAUDE, "dist/index.js"),
        "ROUNDTABLE_CONFORMANCE": program(*CONFORMANCE, "dist/index.js"),
    }


def program(package: str, version: str, path: str, mode: int = os.R_OK) -> str:
    """path: within the package."""
    home = install(package, version)
    found = home / "node_modules" / package / path
    if not os.access(found, mode):
        raise SetUpFailed(f"{found} is missing; remove {home} and try again")
    say(f"{package} {version} at {found}")
    return str(found)


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
