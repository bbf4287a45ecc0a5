"""Reads and writes `.roundtable/config.yaml`, which may be anybody's: a link, a pipe, 100 MB."""

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Container

from roundtable_desktop.adapters.reviewed.plain import Unclear, parse
from roundtable_desktop.model.config import PATH, Fault, Found
from roundtable_desktop.model.errors import Conflict

FOLDER, NAME = PATH.split("/")
FILE_BYTES = 64 * 1024
MOST_LINES = 2000

_QUIETLY = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class RepositoryConfig:
    """Fulfils `model.config.ConfigFiles`. umask: the user's, for what is written."""

    def __init__(self, umask: int) -> None:
        self._umask = umask if umask >= 0 else 0o077

    def read(self, root: str, known: Container[str] = ()) -> Found | None:
        try:
            raw = _bytes(root)
        except FileNotFoundError:
            return None
        except _Unusable as unusable:
            return _unusable(unusable.fault)
        except OSError as error:
            return _unusable(Fault("config_unreadable", {"text": error.strerror or str(error)}))
        sha = hashlib.sha256(raw).hexdigest()
        return Found(sha) if sha in known else _read(sha, raw)

    def create(self, root: str, text: str) -> bool:
        place = os.path.join(root, FOLDER)
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(place, 0o700)
                os.chmod(place, 0o777 & ~self._umask)
            folder = _folder(root)
            try:
                return self._written(folder, text)
            finally:
                os.close(folder)
        except _Unusable as unusable:
            raise Conflict("config_not_written", why=_reason(unusable.fault)) from None
        except OSError as error:
            why = _reason(Fault("config_unreadable", {"text": error.strerror or str(error)}))
            raise Conflict("config_not_written", why=why) from None

    def _written(self, folder: int, text: str) -> bool:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _QUIETLY
        try:
            descriptor = os.open(NAME, flags, 0o600, dir_fd=folder)
        except FileExistsError:
            return False
        try:
            with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                os.fchmod(descriptor, 0o666 & ~self._umask)
        except OSError:
            os.unlink(NAME, dir_fd=folder)  # half a file would ask a question
            raise
        return True


class _Unusable(Exception):
    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.fault = Fault(code, values)


def _bytes(root: str) -> bytes:
    folder = _folder(root)
    try:
        try:
            descriptor = os.open(NAME, os.O_RDONLY | _QUIETLY, dir_fd=folder)
        except OSError:
            if _is_link(NAME, folder):
                raise _Unusable("config_is_link") from None
            raise
    finally:
        os.close(folder)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _Unusable("config_no_file")
        raw = b""
        while piece := os.read(descriptor, FILE_BYTES + 1 - len(raw)):
            raw += piece
        if len(raw) > FILE_BYTES:
            raise _Unusable("config_too_large", limit=FILE_BYTES // 1024)
        return raw
    finally:
        os.close(descriptor)


def _folder(root: str) -> int:
    """Nothing is followed below the repository itself."""
    place = os.path.join(root, FOLDER)
    try:
        return os.open(place, os.O_RDONLY | os.O_DIRECTORY | _QUIETLY)
    except FileNotFoundError:
        raise
    except OSError:
        if _is_link(place):
            raise _Unusable("config_is_link") from None
        raise


def _is_link(name: str, folder: int | None = None) -> bool:
    with contextlib.suppress(OSError):
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    return False


def _unusable(fault: Fault) -> Found:
    reason = repr((fault.code, sorted(fault.values.items())))
    return Found(hashlib.sha256(reason.encode()).hexdigest(), fault=fault)


def _read(sha: str, raw: bytes) -> Found:
    text = raw.decode(errors="replace")
    if len(text.splitlines()) > MOST_LINES:
        return Found(sha, fault=Fault("config_too_long", {"limit": MOST_LINES}))
    try:
        document = parse(raw)
    except Unclear as unclear:
        fault = Fault("config_unclear", {"text": unclear.problem}, line=unclear.line)
        return Found(sha, text, fault=fault)
    plain = json.loads(json.dumps(document.data))  # a name that is a number is its text
    return Found(sha, text, plain, document.lines)


def _reason(fault: Fault) -> dict[str, object]:
    return {"code": fault.code, **fault.values}
