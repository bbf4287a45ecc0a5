"""Files of a commit, read and searched without a checkout; nothing in a repository is run."""

from roundtable_desktop.adapters.git.command import Runner
from roundtable_desktop.adapters.git.history import GITLINK, SYMLINK
from roundtable_desktop.adapters.git.names import check_commit, shown
from roundtable_desktop.adapters.git.private import private_room
from roundtable_desktop.adapters.git.room import Room
from roundtable_desktop.model.contents import Content, EntryKind, FileEntry, Line
from roundtable_desktop.model.ports import GitFailed, Repository

LISTING_BYTES = 1024 * 1024
FILE_BYTES = 8 * 1024 * 1024
"""Of a file that is read; of a larger one only the beginning can be asked for."""
LOOKED_AT = 8000
"""git's own number: a NUL among so many bytes makes a file binary."""
FOUND_BYTES = 512 * 1024
OF_ONE_FILE = 50
"""Lines that a search tells of one file."""
LINE_LENGTH = 300
SEARCH_SECONDS = 20.0


def content(
    runner: Runner, repository: Repository, commit: str, path: str, *, offset: int, limit: int
) -> Content | None:
    with private_room(runner, repository, commit=check_commit(commit), keeps_objects=True) as room:
        if not path:
            top = FileEntry(path="", kind=EntryKind.FOLDER, size=None)
            return _folder(room, commit, "", top, limit)
        found, _ = _listed(room, commit, path)
        if not found or found[0][1].path != path:
            return None
        name, entry = found[0]
        if entry.kind is EntryKind.FOLDER:
            return _folder(room, commit, f"{path}/", entry, limit)
        if entry.kind is EntryKind.SUBMODULE:
            return Content(entry=entry)
        return _file(room, name, entry, offset, limit)


def _folder(room: Room, commit: str, prefix: str, entry: FileEntry, limit: int) -> Content:
    found, whole = _listed(room, commit, prefix)
    entries = [one for _, one in found]
    return Content(entry=entry, entries=entries[:limit], whole=whole and len(entries) <= limit)


def _listed(room: Room, commit: str, path: str) -> tuple[list[tuple[str, FileEntry]], bool]:
    """(object name, entry) of each, and whether these are all."""
    words = ("ls-tree", "-z", "-l", "--full-tree", "--end-of-options", commit)
    answer = room.ask(*words, *([path] if path else []), limit=LISTING_BYTES)
    if answer.whole and answer.code:
        raise answer.failure()
    lines = answer.out.split(b"\0")[:-1]
    return [_entry(line) for line in lines], answer.whole


def _entry(line: bytes) -> tuple[str, FileEntry]:
    header, _, path = line.partition(b"\t")
    mode, kind, name, size = header.decode().split()
    found = EntryKind.FOLDER if kind == "tree" else EntryKind.FILE
    found = EntryKind.SUBMODULE if mode == GITLINK else found
    found = EntryKind.LINK if mode == SYMLINK else found
    number = int(size) if size.isdecimal() else None
    return name, FileEntry(path=shown(path), kind=found, size=number)


def _file(room: Room, name: str, entry: FileEntry, offset: int, limit: int) -> Content:
    if offset > FILE_BYTES:
        raise GitFailed("output_too_large")
    answer = room.ask("cat-file", "blob", name, limit=offset + max(limit, LOOKED_AT))
    if answer.whole and answer.code:
        raise answer.failure()
    if b"\0" in answer.out[:LOOKED_AT]:
        binary = FileEntry(path=entry.path, kind=EntryKind.BINARY, size=entry.size)
        return Content(entry=binary)
    piece = answer.out[offset : offset + limit]
    more = not answer.whole or len(answer.out) > offset + limit
    if more:
        piece = _whole_characters(piece)
    text = piece.decode(errors="replace")
    return Content(entry=entry, text=text, next_offset=offset + len(piece) if more else None)


def _whole_characters(piece: bytes) -> bytes:
    """Without the beginning of a character at its end."""
    for cut in range(1, min(4, len(piece))):
        byte = piece[-cut]
        if byte & 0xC0 != 0x80:
            longer = byte >= 0xC0 and cut < (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4)
            return piece[:-cut] if longer else piece
    return piece


def search(
    runner: Runner,
    repository: Repository,
    commit: str,
    words: str,
    path: str,
    *,
    any_case: bool,
    limit: int,
) -> tuple[list[Line], bool]:
    """Words and no pattern: no expression of an agent keeps the machine busy."""
    with private_room(runner, repository, commit=check_commit(commit), keeps_objects=True) as room:
        answer = room.ask(
            "grep", "-F", "-I", "-n", "-z", "--full-name", "--no-color", "--no-textconv",
            *(["-i"] if any_case else []), "-m", str(OF_ONE_FILE), "-e", words,
            commit, "--", *([path] if path else []),
            limit=FOUND_BYTES, seconds=SEARCH_SECONDS,
        )  # fmt: skip
    if answer.whole and answer.code > 1:
        raise answer.failure()
    lines = answer.out.split(b"\n")[:-1]
    found = [one for one in (_line(commit, line) for line in lines) if one is not None]
    return found[:limit], answer.whole and len(found) <= limit


def _line(commit: str, line: bytes) -> Line | None:
    """COMMIT:path NUL number, NUL or a colon, and the line."""
    path, mark, rest = line.removeprefix(f"{commit}:".encode()).partition(b"\0")
    digits = rest[: len(rest) - len(rest.lstrip(b"0123456789"))]
    if not mark or not digits:
        return None
    text = rest[len(digits) + 1 :].decode(errors="replace")
    return Line(path=shown(path), number=int(digits), text=text[:LINE_LENGTH])
