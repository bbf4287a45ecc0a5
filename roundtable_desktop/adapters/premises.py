"""Looks around the home: modes, room on the disk, sockets, copies, programs (the doctor's eyes)."""

import os
import shutil
import socket
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Protocol

from roundtable_desktop.model.programs import Programs
from roundtable_desktop.model.whereabouts import Whereabouts

_PRIVATE = ("secrets", "backups", "logs", "s")


class Marks(Protocol):
    def of_runs(self) -> Mapping[str, Sequence[int]]: ...

    def sweep(self, mark: str) -> Sequence[int]: ...


class Known(Protocol):
    def owner(self) -> Mapping[str, object] | None: ...

    def whereabouts(self) -> Whereabouts: ...


class HomePremises:
    """Fulfils `findings.Premises`. marks: of `processes`; home: of `home` (adapters do
    not meet)."""

    def __init__(
        self,
        root: Path,
        environ: Mapping[str, str],
        marks: Marks,
        home: Known,
        programs: Programs,
    ) -> None:
        self._root, self._environ = root, environ
        self._marks, self._home, self._programs = marks, home, programs

    def loose(self) -> list[Path]:
        return [path for path in self._ours() if _mode(path) & 0o077]

    def mend_loose(self) -> None:
        for path in self.loose():
            with suppress(FileNotFoundError):
                path.chmod(stat.S_IMODE(os.lstat(path).st_mode) & 0o700)

    def _ours(self) -> Iterator[Path]:
        """Links have no mode of their own, and where they lead is none of ours."""
        places = [self._root, *self._root.iterdir()]
        places += [one for name in _PRIVATE for one in (self._root / name).glob("*")]
        yield from (one for one in places if not one.is_symlink())

    def free_bytes(self) -> int:
        return shutil.disk_usage(self._root).free

    def stale_sockets(self) -> list[Path]:
        sockets = [one for one in (self._root / "s").glob("*") if one.is_socket()]
        return [one for one in sockets if not _heard(one)]

    def mend_sockets(self) -> None:
        for path in self.stale_sockets():
            path.unlink(missing_ok=True)

    def runs(self) -> list[str]:
        return [one.name for one in (self._root / "runs").glob("*") if one.is_dir()]

    def marked(self) -> Mapping[str, Sequence[int]]:
        return self._marks.of_runs()

    def end(self, run: str) -> Sequence[int]:
        return self._marks.sweep(f"ROUNDTABLE_RUN={run}")

    def copies(self) -> list[tuple[int, str]]:
        found = (self._root / "copies").glob("*/*")
        return [
            (int(one.parent.name), one.name)
            for one in found
            if one.is_dir() and one.parent.name.isdecimal()
        ]

    def aside(self) -> list[tuple[Path, int]]:
        folders = sorted((self._root / "aside").glob("*"))
        return [(one, sum(_size(file) for file in one.glob("*"))) for one in folders]

    def owner(self) -> Mapping[str, object]:
        return self._home.owner() or {}

    def whereabouts(self) -> Whereabouts:
        return self._home.whereabouts()

    def port_is_free(self, port: int) -> bool:
        with closing(socket.socket()) as door:
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                door.bind(("127.0.0.1", port))
            except OSError:
                return False
        return True

    def git(self) -> str | None:
        return shutil.which("git", path=self._environ.get("PATH"))

    @property
    def programs(self) -> Programs:
        return self._programs


def _mode(path: Path) -> int:
    """Of one that went meanwhile, as logs and sockets do, nobody may read anything."""
    try:
        return stat.S_IMODE(os.lstat(path).st_mode)
    except FileNotFoundError:
        return 0


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return 0


def _heard(path: Path) -> bool:
    """Whether somebody listens; one that is too busy to answer does."""
    with closing(socket.socket(socket.AF_UNIX)) as channel:
        channel.setblocking(False)
        try:
            channel.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            return True
        return True
