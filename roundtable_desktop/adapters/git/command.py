"""The one runner of git: it starts no program but git, and no git without its pins (S-65)."""

import os
import re
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from roundtable_desktop.adapters.git.alone import Alone
from roundtable_desktop.adapters.git.programs import PINS
from roundtable_desktop.model.ports import KILLED, STOPPED, TIMEOUT, GitFailed

OLDEST = (2, 38)
ERROR_BYTES = 2000
OUTPUT_BYTES = 256 * 1024 * 1024
SECONDS = 60.0
TERM_SECONDS = 1.0
"""A git that is told to end takes its locks with it; one that is killed leaves them."""
SUSPECT_SECONDS = 5.0
"""A git that has not ended by then may wait for a pipe that came after the look before it."""
_LOOK = 0.1


@dataclass(frozen=True, slots=True)
class Answer:
    """How a git ended. whole: its output did not reach the limit."""

    code: int
    out: bytes
    error: str
    whole: bool = True

    def failure(self, code: str = "git_failed") -> GitFailed:
        return GitFailed(code, self.error)


class Runner:
    """Starts git with an environment made from nothing, in a session of its own."""

    def __init__(self, home: Path, umask: int = -1, alone: Alone | None = None) -> None:
        """umask: the user's, for what git writes into the user's repository; -1: our own.

        alone: for the owner of a home; None for who only makes or looks at what is new.
        """
        self.home = home
        self._umask = umask
        self._alone = alone
        self._stopped = threading.Event()
        self._version: tuple[int, ...] | None = None

    def stop(self) -> None:
        """Whatever is at work is ended by the thread that waits for it; nothing begins any more.
        Those acts raise GitFailed(`git_stopped`)."""
        self._stopped.set()
        if self._alone is not None:
            self._alone.let_go()

    def pause(self, seconds: float) -> None:
        """Between two looks at what somebody else is to end. Raises GitFailed(`git_stopped`)."""
        if self._stopped.wait(seconds):
            raise GitFailed(STOPPED)

    def version(self) -> tuple[int, ...]:
        """Raises GitFailed(`git_missing` | `git_too_old`)."""
        if self._version is None:
            answer = self.run(["version"], cwd=self.home)
            found = re.search(rb"(\d+)\.(\d+)", answer.out)
            version = tuple(int(part) for part in found.groups()) if found else (0,)
            if version < OLDEST:
                raise GitFailed("git_too_old", ".".join(map(str, version)))
            self._version = version
        return self._version

    def run(
        self,
        arguments: Sequence[str],
        *,
        cwd: str | Path,
        environment: Mapping[str, str | None] | None = None,
        config: Mapping[str, str] | None = None,
        feed: bytes | IO[bytes] = b"",
        limit: int = OUTPUT_BYTES,
        seconds: float = SECONDS,
        suspect: Callable[[], None] = lambda: None,
    ) -> Answer:
        """Any exit code is an answer. Raises GitFailed: `git_missing`, or one that is
        `broken_off`; a git that was killed has not answered.

        environment: on top of our own; None takes a variable out. suspect: called once where it
        takes long, and once when its time is over; what it raises ends it.
        """
        if self._stopped.is_set():
            raise GitFailed(STOPPED)
        variables = self._surroundings() | dict(environment or {}) | as_variables(config or {})
        surroundings = {name: value for name, value in variables.items() if value is not None}
        with _readable(feed) as source:
            process = self._start(arguments, source, Path(cwd), surroundings)
            with process:
                return self._listen(process, limit, _Watch(seconds, suspect))

    def _start(
        self,
        arguments: Sequence[str],
        source: IO[bytes],
        cwd: Path,
        surroundings: Mapping[str, str],
    ) -> subprocess.Popen[bytes]:
        with self._alone.held() if self._alone else nullcontext() as lock:
            try:
                return subprocess.Popen(
                    ["git", "--no-pager", *arguments],
                    stdin=source,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    cwd=cwd,
                    env=surroundings,
                    start_new_session=True,
                    umask=self._umask,
                    pass_fds=() if lock is None else (lock,),
                )
            except FileNotFoundError as missing:
                code = "git_missing" if cwd.is_dir() else "path_missing"
                raise GitFailed(code, str(missing)) from missing
            except OSError as failed:
                raise GitFailed("git_not_started", str(failed)) from failed

    def _listen(self, process: subprocess.Popen[bytes], limit: int, watch: "_Watch") -> Answer:
        """Reads both pipes up to their limits; ends the whole session when either runs out."""
        assert process.stdout and process.stderr
        heard = {process.stdout: bytearray(), process.stderr: bytearray()}
        whole = True
        with selectors.DefaultSelector() as selector:
            for pipe in heard:
                selector.register(pipe, selectors.EVENT_READ, heard[pipe])
            while whole and selector.get_map():
                self._check(process, watch)
                for key, _ in selector.select(_LOOK):
                    if not (chunk := os.read(key.fd, 1 << 16)):
                        selector.unregister(key.fileobj)
                    elif key.fileobj is process.stdout or len(key.data) < ERROR_BYTES:
                        key.data.extend(chunk)
                whole = len(heard[process.stdout]) <= limit
        if not whole:
            _end(process)
        while not _waited(process):
            self._check(process, watch)
        error = bytes(heard[process.stderr][:ERROR_BYTES]).decode(errors="replace").strip()
        if whole and process.returncode < 0:
            raise GitFailed(KILLED, error)
        return Answer(process.returncode, bytes(heard[process.stdout][:limit]), error, whole)

    def _check(self, process: subprocess.Popen[bytes], watch: "_Watch") -> None:
        """Whether it may go on; else it is told to end, and takes its locks with it."""
        try:
            if self._stopped.is_set():
                raise GitFailed(STOPPED)
            watch.look()
        except BaseException:
            _end(process, gently=True)
            raise

    def _surroundings(self) -> dict[str, str | None]:
        home = str(self.home)
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": home,
            "XDG_CONFIG_HOME": home,
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": "/dev/null",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "true",
            "SSH_ASKPASS": "true",
            "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
            "GIT_EDITOR": "true",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_ALLOW_PROTOCOL": "",  # no call here needs a transport
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_LITERAL_PATHSPECS": "1",
            **({} if self._alone is None else self._alone.mark),
        }


class _Watch:
    """Over the time that one git takes; a look at what it may wait for is none of it."""

    def __init__(self, seconds: float, suspect: Callable[[], None]) -> None:
        self._seconds, self._suspect = seconds, suspect
        self._began = time.monotonic()
        self._looked = False

    def look(self) -> None:
        """Raises GitFailed: `git_timeout`, or what the suspicion finds."""
        now = time.monotonic()
        took = now - self._began
        if took > SUSPECT_SECONDS and not self._looked:
            self._looked = True
            self._suspect()
            self._began += time.monotonic() - now
        if took > self._seconds:
            self._suspect()
            raise GitFailed(TIMEOUT, f"{self._seconds:g} s")


def as_variables(config: Mapping[str, str]) -> dict[str, str | None]:
    """Configuration as environment: unlike `-c`, a subsection may hold an equals sign there."""
    variables: dict[str, str | None] = {}
    pairs = {**PINS, **config}.items()
    for number, (key, value) in enumerate(pairs):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return {"GIT_CONFIG_COUNT": str(len(pairs)), **variables}


def _readable(feed: bytes | IO[bytes]) -> IO[bytes]:
    """A file, not a pipe: git then never waits for us to write."""
    if not isinstance(feed, bytes):
        return feed
    if not feed:
        return open(os.devnull, "rb")
    source = tempfile.TemporaryFile()  # noqa: SIM115 -- the caller closes it
    source.write(feed)
    source.seek(0)
    return source


def _waited(process: subprocess.Popen[bytes]) -> bool:
    with suppress(subprocess.TimeoutExpired):
        process.wait(_LOOK)
    return process.returncode is not None


def _end(process: subprocess.Popen[bytes], *, gently: bool = False) -> None:
    """git and its children share the session that was made for them; the group is its as long as
    nobody has waited for it."""
    if process.poll() is not None:
        return
    if gently:
        os.killpg(process.pid, signal.SIGTERM)
        until = time.monotonic() + TERM_SECONDS
        while not _is_over(process) and time.monotonic() < until:
            time.sleep(_LOOK / 5)
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _is_over(process: subprocess.Popen[bytes]) -> bool:
    """Where the system can tell without letting go of it."""
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
