"""Puts the browser's libraries among the static files, as `web/package-lock.json` names them."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from _node import Node

VENDORED = {
    "htmx.js": "htmx.org/dist/htmx.min.js",
    "htmx.LICENSE.txt": "htmx.org/LICENSE",
    "idiomorph.js": "idiomorph/dist/idiomorph.min.js",
    "idiomorph.LICENSE.txt": "idiomorph/LICENSE",
    "sortable.js": "sortablejs/Sortable.min.js",
    "sortable.LICENSE.txt": "sortablejs/LICENSE",
}
"""Our name of a file, and where it is in `node_modules`."""
STAMP = "made-from.txt"
HEARD = 1000  # characters of npm's output that are told when it fails


def are_there(project: Path) -> bool:
    """Whether they are what the lock names; no file is read but the stamp."""
    stamp = project / "static" / "vendor" / STAMP
    return stamp.is_file() and stamp.read_text(encoding="utf-8").strip() == digest(project)


def fetch(project: Path, find_node: Callable[[], Node | None]) -> str:
    """Does nothing when they are there. Answers why it could not be done, else ""."""
    if are_there(project):
        return ""
    node = find_node()
    if node is None:
        return "there is no Node 20 or newer with npm"
    try:
        put(project, node)
    except (OSError, subprocess.SubprocessError) as failure:
        return str(getattr(failure, "stderr", "") or failure)[-HEARD:]
    return ""


def put(project: Path, node: Node) -> None:
    vendor = project / "static" / "vendor"
    with tempfile.TemporaryDirectory() as folder:
        node.install(project, Path(folder), "--omit=dev")
        shutil.rmtree(vendor, ignore_errors=True)
        vendor.mkdir(parents=True)
        for name, source in VENDORED.items():
            shutil.copyfile(Path(folder) / "node_modules" / source, vendor / name)
    # Last, so that half of it is done again.
    (vendor / STAMP).write_text(digest(project) + "\n", encoding="utf-8")


def digest(project: Path) -> str:
    """sha256 over all that decides what the files are."""
    lock = (project / "package-lock.json").read_bytes()
    return hashlib.sha256(repr(VENDORED).encode() + lock).hexdigest()
