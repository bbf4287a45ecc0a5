"""A patch as rows for a page: per file, with line numbers, and bounded."""

import re
from dataclasses import dataclass, field

FILES = 100
LINES = 500
"""Shown of one file."""

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)", re.DOTALL)
_CLASSES = {"+": "add", "-": "del", " ": "same"}


@dataclass(frozen=True, slots=True)
class Line:
    """kind: add | del | same | hunk | note. old, new: its numbers where it has them."""

    kind: str
    text: str
    old: int | None = None
    new: int | None = None


@dataclass(slots=True)
class FilePatch:
    """notes: what git says besides, such as a new mode. left_out: lines beyond the bound."""

    path: str = ""
    before: str = ""
    notes: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    left_out: int = 0

    def put(self, line: Line) -> None:
        self.added += line.kind == "add"
        self.removed += line.kind == "del"
        if len(self.lines) < LINES:
            self.lines.append(line)
        else:
            self.left_out += 1


@dataclass(frozen=True, slots=True)
class Patch:
    files: list[FilePatch]
    files_left_out: int


def patch_of(diff: str) -> Patch:
    """`diff` is git's own; a line within a hunk is never taken for the head of a file."""
    files: list[FilePatch] = []
    hunk = _Hunk()
    for text in diff.split("\n"):
        if hunk.goes_on:
            files[-1].put(hunk.take(text))
        elif text.startswith("diff --git "):
            files.append(FilePatch(path=_both(text.removeprefix("diff --git "))))
        elif files and (head := _HUNK.fullmatch(text)):
            hunk = _Hunk(int(head[1]), int(head[3]), int(head[2] or 1), int(head[4] or 1))
            files[-1].put(Line("hunk", text))
        elif files and text:
            _read_head(files[-1], text)
    return Patch(files[:FILES], max(0, len(files) - FILES))


@dataclass(slots=True)
class _Hunk:
    """Where we are in a hunk: the numbers of the next lines, and how many are to come."""

    old: int = 0
    new: int = 0
    old_left: int = 0
    new_left: int = 0

    @property
    def goes_on(self) -> bool:
        return self.old_left > 0 or self.new_left > 0

    def take(self, text: str) -> Line:
        kind = _CLASSES.get(text[:1], "note")
        if kind == "note":
            return Line(kind, text)
        in_old, in_new = kind != "add", kind != "del"
        line = Line(kind, text[1:], self.old if in_old else None, self.new if in_new else None)
        self.old, self.old_left = self.old + in_old, self.old_left - in_old
        self.new, self.new_left = self.new + in_new, self.new_left - in_new
        return line


def _read_head(file: FilePatch, text: str) -> None:
    word, _, rest = text.partition(" ")
    if word == "---" and rest != "/dev/null":
        file.path = file.before = _name(rest)
    elif word == "+++" and rest != "/dev/null":
        file.path = _name(rest)
    elif text.startswith("rename from "):
        file.before = text.removeprefix("rename from ")
    elif text.startswith("rename to "):
        file.path = text.removeprefix("rename to ")
    elif word == "\\":
        file.put(Line("note", text))
    elif word not in ("index", "---", "+++", "similarity"):
        file.notes.append(text)


def _name(given: str) -> str:
    """`a/path` without its prefix and the tab that git puts behind a name with spaces."""
    return given.removesuffix("\t").strip('"').partition("/")[2]


def _both(given: str) -> str:
    """The name out of `a/name b/name`, when no later line says it."""
    half = len(given) // 2
    before, after = _name(given[:half]), _name(given[half + 1 :])
    return before if before == after else given
