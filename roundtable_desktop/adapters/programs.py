"""Finds the programs of agents: by the login shell's search path and in the usual places."""

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from roundtable_desktop.model.printed import printed
from roundtable_desktop.model.programs import KNOWN, Found, Known, SignIn, known, searched

PATIENCE = 3.0
"""Seconds for the login shell, and for all programs together to say their version."""
_MARK = "roundtable-path="
_ASK = f"printf '\\n{_MARK}%s\\n' \"$PATH\""
_HEARD = 1 << 16  # bytes of what a program prints: its end counts
_MOST_FOLDERS, _LONGEST = 200, 1024
_WIDE = 80  # characters of a version
_VERSION = re.compile(r"\d")
_STEP = 0.05
_NUMBERS = re.compile(r"\d+")

_BELOW_PERSON = (
    ".local/bin",
    "bin",
    ".npm-global/bin",
    ".volta/bin",
    ".bun/bin",
    ".cargo/bin",
    ".opencode/bin",
    ".local/share/pnpm",
)
_LINUXBREW = [str(Path("/home", "linuxbrew", ".linuxbrew", "bin"))]
_OF_MACHINE = ("/usr/local/bin", "/opt/homebrew/bin", *_LINUXBREW)


class InstalledPrograms:
    """Fulfils `programs.Programs`. environ: of this process; environment: what of it an agent may
    have; hide: takes secrets out of a text."""

    def __init__(
        self,
        person: Path,
        environ: Mapping[str, str],
        environment: Mapping[str, str],
        hide: Callable[[str], str],
    ) -> None:
        self._person, self._environ = person, environ
        self._environment, self._hide = environment, hide
        self._path: str | None = None
        self._versions: dict[tuple[object, ...], str] = {}
        self._asking = threading.Lock()

    def path(self) -> str:
        """What this process has beyond a new terminal comes first (a virtual environment), then all
        that a new terminal has, then the usual places."""
        with self._asking:
            if self._path is None:
                own = list(_folders(self._environ.get("PATH", "")))
                login = self._of_login_shell()
                beyond = [one for one in own if one not in login]
                every = [*beyond, *login, *self._usual()]
                self._path = os.pathsep.join(dict.fromkeys(every))
            return self._path

    def place(self, name: str) -> str | None:
        return shutil.which(name, path=self.path())

    def sign_in(self, name: str) -> tuple[SignIn, str]:
        return self._sign_in(known(Path(name).name))

    def found(self) -> Sequence[Found]:
        here = [(one, self._places(one)) for one in KNOWN]
        there = [(one, places) for one, places in here if any(places)]
        asked = {next(filter(None, places)): None for _one, places in there}
        versions = self._versions_of([str(place) for place in asked])
        return [self._found(one, places, versions) for one, places in there]

    def look_anew(self) -> None:
        with self._asking:
            self._path = None
            self._versions.clear()

    # --- one program ---------------------------------------------------------------------------

    def _places(self, one: Known) -> tuple[str | None, str | None]:
        """Of the program, and of what speaks for it."""
        return self.place(one.name), self.place(one.command[0])

    def _found(
        self, one: Known, places: tuple[str | None, str | None], versions: Mapping[str, str]
    ) -> Found:
        place = next(filter(None, places)) or ""
        sign_in, variable = self._sign_in(one)
        missing = places[1] is None
        return Found(
            name=one.name,
            place=place,
            version=versions.get(place, ""),
            sign_in=sign_in,
            command=one.command,
            variable=variable,
            missing=one.command[0] if missing else "",
            package=one.package if missing else "",
        )

    def _sign_in(self, one: Known | None) -> tuple[SignIn, str]:
        """Only whether the files are there: what is in them is nobody's business."""
        if one is None:
            return SignIn.UNKNOWN, ""
        if any((self._person / file).exists() for file in one.files):
            return SignIn.KEPT, ""
        if name := next((name for name in one.variables if self._environ.get(name)), ""):
            return SignIn.VARIABLE, name
        sure = one.only_sign and sys.platform == "linux"
        return (SignIn.NONE if sure else SignIn.UNKNOWN), ""

    # --- what they say -------------------------------------------------------------------------

    def _versions_of(self, places: Sequence[str]) -> Mapping[str, str]:
        """A file that changed is asked again; all of them at the same time."""
        stamps = {place: _stamp(place) for place in places}
        path = self.path()
        with self._asking:
            new = [place for place in places if stamps[place] not in self._versions]
            commands = [[place, "--version"] for place in new]
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as empty:
                said = heard(commands, searched(self._environment, path), Path(empty))
            for place, text in zip(new, said, strict=True):
                self._versions[stamps[place]] = self._version(text)
            return {place: self._versions[stamps[place]] for place in places}

    def _version(self, text: str) -> str:
        """The first line that has a number in it, as it may be shown."""
        lines = (" ".join(printed(line).split()) for line in text.splitlines())
        first = next((line for line in lines if _VERSION.search(line)), "")
        return self._hide(first)[:_WIDE]

    # --- the search path -----------------------------------------------------------------------

    def _of_login_shell(self) -> list[str]:
        """As a new terminal has it, as far as the shell tells without being interactive; nothing
        where it does not tell in time. Its words are a stranger's: only the last marked line
        counts, and of that only folders."""
        shell = self._environ.get("SHELL", "")
        if not (os.path.isabs(shell) and os.access(shell, os.X_OK)):
            return []
        [said] = heard([[shell, "-lc", _ASK]], self._environment, self._person)
        marked = [line for line in said.splitlines() if line.startswith(_MARK)]
        return list(_folders(marked[-1].removeprefix(_MARK))) if marked else []

    def _usual(self) -> Iterator[str]:
        yield from (str(self._person / one) for one in _BELOW_PERSON)
        versions = (self._person / ".nvm" / "versions" / "node").glob("*/bin")
        yield from map(str, sorted(versions, key=_by_version, reverse=True))
        yield from _OF_MACHINE


def _folders(path: str) -> Iterator[str]:
    """Absolute ones, without what drives a terminal; an empty one would be wherever one is."""
    for one in path.split(os.pathsep)[:_MOST_FOLDERS]:
        if os.path.isabs(one) and len(one) <= _LONGEST and one.isprintable():
            yield one


def _by_version(place: Path) -> list[int]:
    return [int(one) for one in _NUMBERS.findall(place.parent.name)[:4]]


def _stamp(place: str) -> tuple[object, ...]:
    with suppress(OSError):
        seen = os.stat(place)
        return place, seen.st_ino, seen.st_mtime_ns, seen.st_size
    return (place,)


# --- asking programs ---------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Asked:
    process: subprocess.Popen[bytes]
    said: bytes = b""
    over: bool = False

    def hear(self) -> None:
        with suppress(BlockingIOError):
            more = os.read(_door(self), _HEARD)
            self.said = (self.said + more)[-_HEARD:]
            self.over = not more

    def end(self) -> None:
        """Its whole group, unless it has ended by itself: what a login shell left is the user's."""
        assert self.process.stdout is not None
        if self.process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.stdout.close()
        self.process.wait()


def heard(
    commands: Sequence[Sequence[str]], environment: Mapping[str, str], folder: Path
) -> list[str]:
    """What each printed on its stdout, "" for one that failed or took too long; PATIENCE is for all
    of them together. None of them has a terminal or anything to read."""
    asked = [_start(one, environment, folder) for one in commands]
    try:
        _hear(one for one in asked if one is not None)
        return [_words(one) for one in asked]
    finally:
        for one in asked:
            if one is not None:
                one.end()


def _start(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> _Asked | None:
    try:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
        )
    except (OSError, ValueError):
        return None
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    return _Asked(process)


def _hear(every: Iterable[_Asked]) -> None:
    """Until each has ended, even where something that it began holds its output open."""
    left, until = list(every), time.monotonic() + PATIENCE
    while left and time.monotonic() < until:
        ended = [one for one in left if one.process.poll() is not None]
        doors = {_door(one): one for one in left if not one.over}
        if not doors:
            time.sleep(0 if ended else _STEP)
        ready = select.select(list(doors), [], [], 0 if ended else _STEP)[0] if doors else []
        for door in ready:
            doors[door].hear()
        left = [one for one in left if one not in ended or _door(one) in ready]


def _door(one: _Asked) -> int:
    assert one.process.stdout is not None
    return one.process.stdout.fileno()


def _words(one: _Asked | None) -> str:
    """`poll` answers None while it still runs: it took too long."""
    well = one is not None and one.process.poll() == 0
    return one.said.decode("utf-8", "replace") if one is not None and well else ""
