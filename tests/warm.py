"""Programs of the product that begin in a process which has loaded it already.

To load all that an owner needs costs a second of the processor, and the tests begin hundreds. One
process for each worker of the tests (`warm_child.py`) loads it once and forks for each that is to
begin: with its own words, environment, folder, umask and files, through the same `main`. What a
program does from there on is its own.

What this cannot show is how a program is born: by its name, from an empty interpreter, with its own
command line and environment in `/proc`. The tests of that begin it as a person does.
"""

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO

ROUNDTABLE = str(Path(sys.executable).with_name("roundtable"))
CHILD = Path(__file__).with_name("warm_child.py")
LINUX = sys.platform == "linux"
LOCALE = "C.UTF-8"
PATIENCE = 60.0
"""Seconds for a program to be begun."""
_FIRST = threading.Lock()
_UMASK = os.umask(0o022)
os.umask(_UMASK)


class Begun:
    """What `subprocess.Popen` is for a child of one's own, as far as tests need it."""

    def __init__(self, talk: socket.socket, pid: int, stdout: IO[bytes] | None) -> None:
        self.pid, self.stdout = pid, stdout
        self.returncode: int | None = None
        self._talk = talk

    def poll(self) -> int | None:
        return self._told(0.0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._told(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0.0)
        return code

    def communicate(self, timeout: float | None = None) -> tuple[bytes, None]:
        self.wait(timeout)
        rest = b""
        if self.stdout is not None and not self.stdout.closed:
            rest = self.stdout.read()
            self.stdout.close()
        return rest, None

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _told(self, seconds: float | None) -> int | None:
        """Its exit code, negative for a signal, once it has ended."""
        if self.returncode is None:
            self._talk.settimeout(seconds)
            try:
                said = self._talk.recv(64)
            except (BlockingIOError, TimeoutError):
                return None
            assert said, "the process that begins programs has ended"
            self.returncode = os.waitstatus_to_exitcode(int(said))
            self._talk.close()
        return self.returncode


def begin_cold(
    words: Sequence[str], *, env: Mapping[str, str], cwd: Path, stderr: IO[bytes], umask: int = -1
) -> subprocess.Popen[bytes]:
    """As a person begins it."""
    return subprocess.Popen(
        [ROUNDTABLE, *words],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=stderr,
        umask=umask,
    )


def begin(
    words: Sequence[str],
    script: Path | None = None,
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] = subprocess.PIPE,
    stderr: int | IO[bytes],
    umask: int = -1,
    new_session: bool = False,
) -> Begun:
    """`roundtable` with these words, or the script, which is run as `python SCRIPT WORDS` runs it.
    stdin, stdout: as `Popen` takes them, or a file."""
    asked = {
        "words": list(words),
        "script": str(script or ""),
        "env": dict(env),
        "cwd": str(cwd or Path.cwd()),
        "umask": _UMASK if umask < 0 else umask,
        "session": new_session,
    }
    readable, written = os.pipe() if stdout == subprocess.PIPE else (-1, -1)
    null = os.open(os.devnull, os.O_RDWR)
    talk = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        files = [_number(stdin, null, null), _number(stdout, null, written), _number(stderr, null)]
        talk.settimeout(PATIENCE)
        with _FIRST:
            address = _address()
        talk.connect(address)
        with tempfile.TemporaryFile() as told:  # a message has a bound, environments have none
            told.write(json.dumps(asked).encode())
            told.flush()
            socket.send_fds(talk, [b"begin"], [told.fileno(), *files])
        pid = int(talk.recv(64))
    except BaseException:
        talk.close()
        if readable >= 0:
            os.close(readable)
        raise
    finally:
        os.close(null)
        if written >= 0:
            os.close(written)
    return Begun(talk, pid, os.fdopen(readable, "rb") if readable >= 0 else None)


def run_cold(
    words: Sequence[str], given: bytes, *, env: Mapping[str, str], cwd: Path, seconds: float
) -> tuple[int, bytes, bytes]:
    """Exit code, stdout and stderr of `roundtable` with these words. Raises TimeoutExpired."""
    done = subprocess.run(
        [ROUNDTABLE, *words], cwd=cwd, env=env, input=given, capture_output=True, timeout=seconds
    )
    return done.returncode, done.stdout, done.stderr


def run(
    words: Sequence[str], given: bytes, *, env: Mapping[str, str], cwd: Path, seconds: float
) -> tuple[int, bytes, bytes]:
    """The same, warm."""
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        files[0].write(given)
        files[0].seek(0)
        begun = begin(words, env=env, cwd=cwd, stdin=files[0], stdout=files[1], stderr=files[2])
        try:
            code = begun.wait(seconds)
        finally:
            begun.kill()
        for file in files[1:]:
            file.seek(0)
        return code, files[1].read(), files[2].read()


def fits(env: Mapping[str, str]) -> bool:
    """Whether a program with this in its environment may begin so: what the interpreter looks at
    before it runs a line is settled by then."""
    settled = env.get("LC_ALL", LOCALE) == LOCALE
    return LINUX and settled and not any(name.startswith(("PYTHON", "LD_")) for name in env)


def _number(file: int | IO[bytes], null: int, pipe: int = -1) -> int:
    if file == subprocess.PIPE:
        return pipe
    if isinstance(file, int):
        return null if file == subprocess.DEVNULL else file
    return file.fileno()


@cache
def _address() -> str:
    """Of the socket in the abstract namespace at which this worker's process listens."""
    name = f"\0roundtable-tests-{os.getpid()}-{os.urandom(8).hex()}"
    child = subprocess.Popen(
        [sys.executable, str(CHILD), name[1:]],
        env={"PATH": os.environ["PATH"], "LC_ALL": LOCALE},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        umask=_UMASK,
    )
    atexit.register(_end, child)
    assert child.stdout is not None and child.stdout.readline() == b"ready\n"
    return name


def _end(child: subprocess.Popen[bytes]) -> None:
    assert child.stdin is not None
    child.stdin.close()  # it lives as long as this
    try:
        child.wait(5)
    except subprocess.TimeoutExpired:
        child.kill()
