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
BASE = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
"""The Python that an environment is made with, also where this is the environment's own."""
PIP_TAIL = 4000  # characters of pip's output that are shown when it fails


class SetUpFailed(Exception):
    """The environment cannot be made; the text says why and what to do."""


def prepare(*, tools: bool) -> None:
    """Makes or renews the environment; does nothing when it is as it should be.

    tools: also what the tests and the linters need, in the locked versions. They are added to what
    is there; all else waits until nothing runs from the environment.
    """
    key = fingerprint()
    stamp = read_stamp()
    current = stamp.get("key") == key and PYTHON.exists()
    if current and (stamp.get("tools") or not tools):
        return
    if current:
        say("installing the test tools and the linters")
        pip("install", "--requirement", str(LOCK))
    else:
        refuse_while_used()
        make_venv()
        say(f"installing the package{', the test tools and the linters' if tools else ''}")
        how = "--requirement" if tools else "--constraint"
        pip("install", how, str(LOCK), "--editable", str(ROOT))
    # Last, so that an interrupted set-up is done again.
    STAMP.write_text(json.dumps({"key": key, "tools": tools}), encoding="utf-8")


def refuse_while_used() -> None:
    """An owner whose environment is taken away can start no agent any more."""
    if pids := running_from(SCRIPTS):
        some = ", ".join(map(str, pids[:5]))
        raise SetUpFailed(
            f"{VENV} is to be made anew, and programs run from it (pid {some}): end them "
            "first, or name another folder in ROUNDTABLE_VENV"
        )


def running_from(folder: Path) -> list[int]:
    """Programs started from there, but for this one and what started it; where the system has
    `/proc`, else none is known."""
    above, pid = set(), os.getpid()
    while pid > 1:
        above.add(pid)
        pid = parent_of(pid)
    found = (int(one.name) for one in Path("/proc").glob("[0-9]*"))
    return sorted(pid for pid in found if pid not in above and started_from(folder, pid))


def parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0


def started_from(folder: Path, pid: int) -> bool:
    try:
        program = os.fsdecode(Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0])
        here = os.path.join(os.readlink(f"/proc/{pid}/cwd"), program)
    except OSError:  # it has ended, or is another user's
        return False
    return Path(os.path.normpath(here)).parent == folder


def fingerprint() -> str:
    """sha256 over all that decides what is installed: files of the project, and this Python."""
    digest = hashlib.sha256()
    for part in (
        (ROOT / "pyproject.toml").read_bytes(),
        (ROOT / "web" / "package-lock.json").read_bytes(),
        (ROOT / "packaging" / "_libraries.py").read_bytes(),
        LOCK.read_bytes(),
        f"{sys.version} {BASE} {ROOT}".encode(),
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
    quietly([BASE, "-m", "venv", "--clear", str(VENV)])


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
