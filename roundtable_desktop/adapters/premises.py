"""Looks around the home: modes, room on the disk, sockets, copies, programs (the doctor's eyes)."""

import os
import shutil
import socket
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Protocol

from roundtable_desktop.model.whereabouts import Whereabouts

LOGINS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "claude": (
        (".claude/.credentials.json", ".claude.json"),
        ("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"),
    ),
    "codex": ((".codex/auth.json",), ("OPENAI_API_KEY", "CODEX_API_KEY")),
    "gemini": ((".gemini/oauth_creds.json",), ("GEMINI_API_KEY", "GOOGLE_API_KEY")),
    "opencode": ((".local/share/opencode/auth.json",), ()),
    "qwen": ((".qwen/oauth_creds.json",), ("OPENAI_API_KEY", "DASHSCOPE_API_KEY")),
}
"""Files below the person's folder, and variables, that these programs sign in by."""
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
        person: Path,
        environ: Mapping[str, str],
        marks: Marks,
        home: Known,
    ) -> None:
        self._root, self._person, self._environ = root, person, environ
        self._marks, self._home = marks, home

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

    def program(self, name: str) -> str | None:
        return shutil.which(name, path=self._environ.get("PATH"))

    def signed_in(self, name: str) -> bool | None:
        known = LOGINS.get(Path(name).name)
        if known is None:
            return None
        files, variables = known
        return any((self._person / file).exists() for file in files) or any(
            self._environ.get(variable) for variable in variables
        )


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
