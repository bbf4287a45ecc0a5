"""Writes and reads the folder of a run: what its runner is told, and where it listens."""

import json
import os
import secrets
import socket
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from roundtable_desktop.model.errors import Broken
from roundtable_desktop.model.messages import PROTOCOL
from roundtable_desktop.model.ports import LaunchOrder

SOCKET_BYTES = 100
"""sun_path holds 108 bytes on Linux and 104 on macOS."""
LAST_BYTES = 1000
SPOOL, ERRORS = "spool.ndjson", "runner.err"
_SECRET = ("env.json", "hidden.json")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a runner listens, and the key that it asks for."""

    path: str
    key: str = field(repr=False)


def write_folder(folder: Path, order: LaunchOrder, address: str) -> None:
    """launch.json; env.json with the secrets and hidden.json with what else is redacted, which
    the runner removes. A launch that stumbled before its runner is written anew. Raises OSError,
    also for a folder in which a runner was begun or voided."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if any(os.path.lexists(folder / name) for name in (SPOOL, ERRORS)):
            raise
        _remove(folder, "launch.json", *_SECRET)
    words: dict[str, Any] = {
        "protocol": PROTOCOL,
        "run": order.run,
        "task": order.task,
        "attempt": order.attempt,
        "fence": order.fence,
        "control_key": order.control_key,
        "control_address": address,
        "adapter": order.adapter,
        "command": list(order.command),
        "cwd": order.cwd,
        "model": order.model,
        "prompt": order.prompt,
        "resume_prompt": order.resume_prompt,
        "environment": dict(order.environment),
        "session": order.session,
        "permission_policy": order.permission_policy,
        "nudge": order.nudge,
        "demo_script": order.demo_script,
        "bridge": list(order.bridge),
        "deadlines": asdict(order.deadlines),
        "most_memory": order.most_memory,
    }
    _write(folder / "launch.json", words)
    try:
        _write(folder / "env.json", dict(order.secrets))
        _write(folder / "hidden.json", list(order.hidden))
    except OSError:
        drop_secrets(folder)
        raise


def drop_secrets(folder: Path) -> None:
    _remove(folder, *_SECRET)


def drop_socket(folder: Path) -> None:
    """Unless somebody listens: after a copy of the home two folders name one socket."""
    address = read_address(folder)
    if address is None:
        return
    with closing(socket.socket(socket.AF_UNIX)) as line, suppress(OSError):
        line.setblocking(False)
        try:
            line.connect(address.path)
        except ConnectionRefusedError:
            os.unlink(address.path)


def read_address(folder: Path) -> Address | None:
    try:
        words = json.loads((folder / "launch.json").read_bytes())
        return Address(words["control_address"], words["control_key"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def working_folder(folder: Path) -> str | None:
    """Of the agent, as its launch order says; None: it says nothing that can be read."""
    try:
        return str(json.loads((folder / "launch.json").read_bytes())["cwd"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def check_sockets(sockets: Path) -> None:
    """Where no runner could listen, every launch would fail and be tried again, without a word."""
    try:
        new_socket(sockets)
    except OSError:
        raise Broken("home_path_too_long", path=str(sockets.parent)) from None


def new_socket(sockets: Path) -> str:
    """A free name for a socket. Raises OSError when no place is short enough."""
    path = socket_at(sockets, secrets.token_hex(4))
    if Path(path).parent == sockets:
        os.makedirs(sockets, 0o700, exist_ok=True)
    return path


def socket_at(sockets: Path, name: str) -> str:
    """The same for a name of 8 letters; beside the home it must not be that of another home."""
    path = str(sockets / name)
    if len(os.fsencode(path)) <= SOCKET_BYTES:
        return path
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if not runtime:
        raise OSError(f"no room for a socket: {sockets} is too long, XDG_RUNTIME_DIR is not set")
    return str(Path(runtime) / f"roundtable-{name}")


def last_line(path: Path) -> str:
    """Of what a program said on its error channel; "" when it said nothing."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - LAST_BYTES))
            lines = file.read().decode(errors="replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def create(path: Path) -> int:
    """A new private file, open for writing."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(path, flags, 0o600)


def _remove(folder: Path, *names: str) -> None:
    for name in names:
        with suppress(FileNotFoundError):
            os.unlink(folder / name)


def _write(path: Path, words: object) -> None:
    with open(create(path), "w", encoding="utf-8") as file:
        json.dump(words, file)
