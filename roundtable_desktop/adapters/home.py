"""The home: one private folder with the product's files, locked by its one owner (D-06)."""

import contextlib
import errno
import fcntl
import hashlib
import hmac
import html
import json
import os
import re
import shutil
import stat
import struct
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from roundtable_desktop.model.errors import Absent, Broken, Busy, Refused
from roundtable_desktop.model.whereabouts import Whereabouts

FOLDERS = ("runs", "copies", "s", "backups", "logs", "secrets", "demo", "empty")

LINK_SECONDS = 60.0
HELD_LOOKS, HELD_SECONDS = 100, 0.05
"""How often, and how far apart, a home is asked for again that only a dead owner's child holds."""

OPENERS = ("open",) if sys.platform == "darwin" else ("xdg-open", "x-www-browser", "firefox")
_OPEN = """
"$0" "$1" >/dev/null 2>&1 &
for look in 1 2 3 4 5; do kill -0 $! 2>/dev/null || break; sleep 0.2; done
kill -0 $! 2>/dev/null || wait $!
"""
"""What opens nothing ends soon, and says so; what lives on may be the browser itself."""

MOUNTS = Path("/proc/self/mountinfo")
NETWORK = (
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "afs",
    "ceph",
    "glusterfs",
    "lustre",
    "fuse.sshfs",
)
"""Where a lock may not hold between machines, or be forgotten (S-74)."""
_GETVERSION = 2 << 30 | struct.calcsize("l") << 16 | ord("v") << 8 | 1
"""FS_IOC_GETVERSION of ioctl_iflags(2): what ext4, xfs, btrfs and f2fs tell."""
TELLS_SNAPSHOTS = ("btrfs", "zfs")
"""Where the files of a snapshot have the numbers of the first ones, and the volume another."""


def default_home(environ: Mapping[str, str]) -> Path:
    """$ROUNDTABLE_HOME, else the platform's folder for user data (contract, Command line)."""
    if chosen := environ.get("ROUNDTABLE_HOME"):
        return Path(chosen).absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library/Application Support/roundtable"
    data = environ.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    return Path(data) / "roundtable"


class Home:
    """Paths and private files. Making one writes nothing; `prepare` does."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.database = root / "roundtable.db"
        self.token_file = root / "token"
        self.owner_file = root / "owner.json"
        self.runs = root / "runs"
        self.copies = root / "copies"
        self.sockets = root / "s"
        self.backups = root / "backups"
        self.secrets = root / "secrets"
        self.lock_file = root / "instance.lock"
        self.log_file = root / "logs" / "roundtable.log"
        self.demo = root / "demo"
        self.empty = root / "empty"
        self.git_lock = root / "git.lock"
        self.users_umask = -1
        self.mounts = MOUNTS
        self.machine_file = Path("/etc/machine-id")
        self._lock: int | None = None

    def prepare(self) -> None:
        """Creates what is missing, 0700, whatever the umask; refuses a folder that others could
        have prepared for us (S-44)."""
        before = os.umask(0o077)
        if self.users_umask < 0:
            self.users_umask = before
        try:
            self.root.parent.mkdir(parents=True, exist_ok=True)
            for folder in (self.root, *(self.root / name for name in FOLDERS)):
                with contextlib.suppress(FileExistsError):
                    folder.mkdir(mode=0o700)
                self._check(folder)
        except OSError as error:
            text = os.strerror(error.errno or 0)
            raise Broken("home_not_made", path=str(self.root), text=text) from error
        for file in (self.database, self.token_file, self.log_file, self.git_lock):
            if file.is_symlink():
                raise Broken("home_file_is_link", path=str(file))

    def show(self, page: Path) -> bool:
        """Opens it in the user's browser, which lives on with the umask of theirs; ours stays, as
        other threads may be writing. False where none could be started; takes up to a second."""
        import subprocess  # not before: a command that only asks loads no more than it must

        program = next(filter(None, map(shutil.which, OPENERS)), None)
        if program is None:
            return False
        line = ["sh", "-c", _OPEN, program, page.as_uri()]
        done = subprocess.run(
            line, stdin=subprocess.DEVNULL, start_new_session=True, umask=self.users_umask
        )
        return done.returncode == 0

    def _check(self, folder: Path) -> None:
        found = os.lstat(folder)
        if stat.S_ISLNK(found.st_mode):
            raise Broken("home_is_link", path=str(folder))
        if not stat.S_ISDIR(found.st_mode):
            raise Broken("home_is_no_folder", path=str(folder))
        if found.st_uid != os.getuid():
            raise Broken("home_of_another_user", path=str(folder))
        if found.st_mode & 0o022:
            raise Broken("home_writable_by_others", path=str(folder))
        if found.st_mode & 0o077:
            folder.chmod(0o700)

    def lock(self) -> None:
        """Takes the home, for as long as this process lives. Busy when another owner has it; a
        home that was taken by this object is taken."""
        if self._lock is not None:
            return
        if kind := network_kind(self.root, self.mounts):
            raise Broken("home_on_network", path=str(self.root), kind=kind)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(self.lock_file, flags, 0o600)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            raise Broken("home_file_is_link", path=str(self.lock_file)) from error
        if not self._take(descriptor):
            os.close(descriptor)
            raise Busy("home_is_owned", path=str(self.root), pid=self._owner_pid())
        self._lock = descriptor

    def _take(self, descriptor: int) -> bool:
        """A child that a killed owner was about to start holds its files until it has begun:
        nobody is refused for an owner who is dead."""
        for left in reversed(range(HELD_LOOKS)):
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            if not left or not _is_dead(self._owner_pid()):
                break
            time.sleep(HELD_SECONDS)
        return False

    def unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def whereabouts(self) -> Whereabouts:
        """By what the next start knows whether this is the same home."""
        kind = kind_of(self.root, self.mounts)
        return Whereabouts(
            root=os.path.realpath(self.root),
            machine=machine_name(self.machine_file, self.mounts),
            kind=kind,
            volume=os.statvfs(self.root).f_fsid if kind in TELLS_SNAPSHOTS else None,
            database=_number(self.database),
            lock=_number(self.lock_file),
            folder=_number(self.root),
            lock_made=_made(self.lock_file),
            folder_made=_made(self.root),
        )

    def token(self) -> str:
        """The password of programs; Absent when no owner has made one yet."""
        try:
            return read_private(self.token_file)
        except FileNotFoundError:
            raise Absent("no_owner", home=str(self.root)) from None

    def owner(self) -> Mapping[str, object] | None:
        """What the running owner says of itself; None after an orderly stop, and where it is the
        owner of the home that this one was copied from."""
        try:
            found = json.loads(read_private(self.owner_file))
        except (FileNotFoundError, ValueError):
            return None
        return found if isinstance(found, dict) and not self._is_of_another(found) else None

    def _is_of_another(self, found: Mapping[str, object]) -> bool:
        with contextlib.suppress(OSError, ValueError):  # that home has been moved to here
            return not os.path.samefile(str(found.get("home", self.root)), self.root)
        return False

    def _owner_pid(self) -> object:
        """As it says itself; it may be about to."""
        with contextlib.suppress(OSError, Refused):
            return (self.owner() or {}).get("pid", "?")
        return "?"

    def say_owner(self, facts: Mapping[str, object]) -> None:
        write_private(self.owner_file, json.dumps(facts, indent=1) + "\n")

    def write_redirect(self, link: str) -> Path:
        """A private page that leads to `link`: a link on a command line is everybody's to read
        (S-28). The link itself works once and for a minute; each has a page of its own, because
        the browser may not have read the last one yet."""
        name = hashlib.sha256(link.encode()).hexdigest()[:16]
        page = self.root / f"open-{name}.html"
        address = html.escape(link, quote=True)
        head = f'<meta charset="utf-8"><meta http-equiv="refresh" content="0; url={address}">'
        write_private(page, f'<!doctype html>{head}<a href="{address}">Roundtable</a>\n')
        written = page.lstat().st_mtime
        for other in self.root.glob("open*.html"):
            with contextlib.suppress(FileNotFoundError):
                if written - other.lstat().st_mtime > LINK_SECONDS:
                    other.unlink()
        return page

    def forget_owner(self) -> None:
        self.owner_file.unlink(missing_ok=True)


def read_private(path: Path) -> str:
    """A small file of ours; a link in its place is not followed (S-45)."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(descriptor, encoding="utf-8") as file:
        return file.read(1 << 20)


def write_private(path: Path, text: str) -> None:
    """Whole or not at all, 0600; what stood there, link or not, is replaced and never followed."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(partial, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


def machine_name(file: Path, mounts: Path = MOUNTS) -> str:
    """Made of the system's own, which is to stay here (machine-id(5)); "" where there is none, or
    one that the next boot replaces."""
    if kind_of(file, mounts) in ("tmpfs", "ramfs"):
        return ""
    try:
        said = file.read_bytes().strip()
    except OSError:
        return ""
    known = re.fullmatch(rb"[0-9a-f]{32}", said) is not None
    return hmac.new(said, b"roundtable home", hashlib.sha256).hexdigest()[:32] if known else ""


def _is_dead(pid: object) -> bool:
    """Nobody's process; whoever has that number, or has not said it, may be an owner."""
    try:
        os.kill(int(str(pid)), 0)
    except ProcessLookupError:
        return True
    except (ValueError, OSError):
        return False
    return False


def _number(path: Path) -> int:
    """0 where nothing is."""
    try:
        return path.lstat().st_ino
    except FileNotFoundError:
        return 0


def _made(path: Path) -> int | None:
    """Differs from that of a file which had its number before; None where that is not told. Not to
    be asked of the database: to close a file lets go of SQLite's locks on it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        told = fcntl.ioctl(descriptor, _GETVERSION, bytes(struct.calcsize("l")))
        return int.from_bytes(told[:4], sys.byteorder)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def network_kind(folder: Path, mounts: Path = MOUNTS) -> str | None:
    """The kind of network file system that the folder lies on; None for a local one, and where
    the system does not tell."""
    kind = kind_of(folder, mounts)
    return kind if kind in NETWORK else None


def kind_of(path: Path, mounts: Path = MOUNTS) -> str:
    """Of the file system that it lies on; "" where the system does not tell."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    wanted = os.path.realpath(path)
    kind, longest = "", -1
    for line in lines:
        before, _, after = line.partition(" - ")
        fields, described = before.split(" "), after.split(" ")
        place = _plain(fields[4]) if len(fields) > 4 else ""
        if _lies_in(wanted, place) and len(place) >= longest:  # the last one covers the others
            kind, longest = described[0], len(place)
    return kind


def _lies_in(path: str, place: str) -> bool:
    return bool(place) and (path == place or path.startswith(place.rstrip("/") + "/"))


def _plain(text: str) -> str:
    r"""Spaces and line ends are written as \040: proc_pid_mountinfo(5)."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text
