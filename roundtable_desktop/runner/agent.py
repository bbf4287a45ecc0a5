"""Starts the agent's process, or says by its kind why it did not start."""

import errno
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from roundtable_desktop.model.states import ErrorKind


@dataclass(frozen=True, slots=True)
class Plan:
    """What a driver wants to be started. stdin: what is written there; None is /dev/null."""

    arguments: tuple[str, ...]
    stdin: bytes | None


class StartFailed(Exception):
    def __init__(self, kind: ErrorKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def start(plan: Plan, cwd: str, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """In a session of its own, with pipes; the program is looked up in the agent's own PATH."""
    try:
        return subprocess.Popen(
            plan.arguments,
            stdin=subprocess.DEVNULL if plan.stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=cwd,
            env=environment,
            start_new_session=True,
        )
    except (OSError, ValueError, IndexError) as fault:  # ValueError: a NUL; IndexError: no word
        raise StartFailed(_kind(fault, cwd), str(fault)) from fault


def _kind(fault: Exception, cwd: str) -> ErrorKind:
    if isinstance(fault, FileNotFoundError) and fault.filename != cwd:
        return ErrorKind.CLI_MISSING
    if isinstance(fault, OSError) and fault.errno in (errno.EACCES, errno.EPERM, errno.ENOEXEC):
        return ErrorKind.PERMISSION_DENIED
    return ErrorKind.SPAWN_FAILED
