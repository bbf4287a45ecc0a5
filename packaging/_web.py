"""Installs the TypeScript that checks the pages' scripts, in the version of `web/`'s lock."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from _node import WHEEL, Node, of_machine, of_wheel
from _venv import ROOT, SetUpFailed, pip, say

PROJECT = ROOT / "web"
NODE = f"{WHEEL}==24.19.0"  # for machines without a Node of their own


def install_checker(environment: Path) -> None:
    """Into a folder of the Python environment; does nothing when that version is there."""
    home = environment / "web"
    stamp = home / "roundtable.txt"
    wanted = hashlib.sha256((PROJECT / "package-lock.json").read_bytes()).hexdigest()
    node = node_for(environment)
    if node is None:
        say(f"installing {NODE}")
        pip("install", NODE)
        node = node_for(environment)
    if node is None:
        raise SetUpFailed("there is no Node 20 or newer with npm; install one, then try again")
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return
    say("installing the type checker of the pages' scripts")
    stamp.unlink(missing_ok=True)
    try:
        node.install(PROJECT, home)
    except (OSError, subprocess.SubprocessError) as failure:
        raise SetUpFailed(f"{getattr(failure, 'stderr', '')}\n{failure}") from None
    stamp.write_text(wanted, encoding="utf-8")  # last, so that half an install is done again


def node_for(environment: Path) -> Node | None:
    found = (of_wheel(folder) for folder in environment.glob("lib/python3*/site-packages"))
    return of_machine() or next((node for node in found if node), None)


def checker(environment: Path) -> list[str]:
    """The command that it is run by."""
    node = node_for(environment)
    program = environment / "web" / "node_modules" / "typescript" / "bin" / "tsc"
    if node is None or not program.exists():
        raise SetUpFailed("TypeScript is missing; `python3 packaging/dev.py test` installs it")
    return [str(node.program), str(program)]
