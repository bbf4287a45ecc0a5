"""Starts the agent's process, or says by its kind why it did not start."""

import errno
import subprocess
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from roundtable_desktop.model.states import ErrorKind


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be started. environment: all of it. reads: the file that is its standard input;
    None is a pipe, through which it is spoken to."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    reads: Path | None = None


class StartFailed(Exception):
    def __init__(self, kind: ErrorKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def start(
    plan: Plan, cwd: str, umask: int = -1, first: Callable[[], None] | None = None
) -> subprocess.Popen[bytes]:
    """In a session of its own, with pipes; the program is looked up in the agent's own PATH.
    umask: the user's, for what the agent makes; -1: our own. first: what the new process does
    before it becomes the agent; there must be no other thread here then."""
    try:
        with ExitStack() as stack:
            given = stack.enter_context(plan.reads.open("rb")) if plan.reads else subprocess.PIPE
            return subprocess.Popen(
                plan.arguments,
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=cwd,
                env=plan.environment,
                start_new_session=True,
                umask=umask,
                preexec_fn=first,
            )
    except (OSError, ValueError, IndexError) as fault:  # ValueError: a NUL; IndexError: no word
        raise StartFailed(_kind(fault, cwd), str(fault)) from fault


def _kind(fault: Exception, cwd: str) -> ErrorKind:
    if isinstance(fault, FileNotFoundError) and fault.filename != cwd:
        return ErrorKind.CLI_MISSING
    if isinstance(fault, OSError) and fault.errno in (errno.EACCES, errno.EPERM, errno.ENOEXEC):
        return ErrorKind.PERMISSION_DENIED
    return ErrorKind.SPAWN_FAILED
