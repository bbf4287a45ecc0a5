"""Keeps the checkout's own virtual environment as the project says it should be."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "packaging" / "requirements.lock"
VENV = Path(os.environ.get("ROUNDTABLE_VENV") or ROOT / ".venv").absolute()
STAMP = VENV / "roundtable.json"
SCRIPTS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = SCRIPTS / ("python.exe" if os.name == "nt" else "python")
PIP_TAIL = 4000  # characters of pip's output that are shown when it fails


class SetUpFailed(Exception):
    """The environment cannot be made; the text says why and what to do."""


def prepare(*, tools: bool) -> None:
    """Makes or renews the environment; does nothing when it is as it should be.

    tools: also what the tests and the linters need, in the locked versions.
    """
    key = fingerprint()
    stamp = read_stamp()
    current = stamp.get("key") == key and PYTHON.exists()
    if current and (stamp.get("tools") or not tools):
        return
    if not current:
        make_venv()
    if tools:
        say("installing the package, the test tools and the linters")
        pip("install", "--requirement", str(LOCK), "--editable", str(ROOT))
    else:
        say("installing the package")
        pip("install", "--constraint", str(LOCK), "--editable", str(ROOT))
    # Last, so that an interrupted set-up is done again.
    STAMP.write_text(json.dumps({"key": key, "tools": tools}), encoding="utf-8")


def fingerprint() -> str:
    """sha256 over all that decides what is installed: files of the project, and this Python."""
    digest = hashlib.sha256()
    for part in (
        (ROOT / "pyproject.toml").read_bytes(),
        (ROOT / "web" / "package-lock.json").read_bytes(),
        (ROOT / "packaging" / "_libraries.py").read_bytes(),
        LOCK.read_bytes(),
        f"{sys.version} {sys.executable} {ROOT}".encode(),
    ):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def read_stamp() -> dict[str, object]:
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def make_venv() -> None:
    """A new environment, in place of an old one of ours; never in place of anything else."""
    if VENV.exists() and any(VENV.iterdir()) and not (VENV / "pyvenv.cfg").exists():
        raise SetUpFailed(f"{VENV} exists and is no virtual environment; remove it or set another")
    if importlib.util.find_spec("ensurepip") is None:
        install_venv_support()
    say(f"making {VENV} with Python {sys.version.split()[0]}")
    quietly([sys.executable, "-m", "venv", "--clear", str(VENV)])


def install_venv_support() -> None:
    """Debian keeps `ensurepip` in a package of its own."""
    command = ["apt-get", "install", "--yes", "--quiet", "python3-venv"]
    allowed = hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get")
    if not allowed:
        raise SetUpFailed(f"this Python has no `venv`; on Debian run: sudo {' '.join(command)}")
    say("installing python3-venv")
    quietly(command)


def lock() -> None:
    """Writes the lock anew: the newest versions that serve every Python the project supports.

    `uv` resolves for all platforms and Pythons at once; it lives in a folder of its own that is
    gone afterwards. Only names, versions and markers are written: the file names no registry.
    """
    with tempfile.TemporaryDirectory() as folder:
        say("resolving")
        quietly([sys.executable, "-m", "venv", folder])
        scripts = Path(folder) / SCRIPTS.name
        quietly([str(scripts / PYTHON.name), "-m", "pip", "install", "--quiet", "uv"])
        resolved = quietly(
            [
                str(scripts / "uv"),
                *("pip", "compile", "--universal", "--python-version", "3.11"),
                *("--no-header", "--no-annotate", "--quiet"),
                *("--group", "test", "--group", "lint", "pyproject.toml"),
            ]
        )
    heading = "# Written by `python3 packaging/dev.py lock`; not edited by hand.\n"
    LOCK.write_text(heading + resolved, encoding="utf-8")
    say(f"wrote {LOCK.relative_to(ROOT)}, {len(resolved.splitlines())} packages")


def pip(*arguments: str) -> None:
    quietly([str(PYTHON), "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments])


def quietly(command: list[str]) -> str:
    """Runs a command in the checkout and returns its stdout; it is heard only when it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        heard = (done.stdout + done.stderr)[-PIP_TAIL:].rstrip()
        raise SetUpFailed(f"{heard}\nfailed: {' '.join(command)}")
    return done.stdout


def say(line: str) -> None:
    print(f"dev: {line}", flush=True)
