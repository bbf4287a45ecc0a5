"""Whether two tasks may write the same: paths, folders and globs against each other (A-14).

An area is a list of patterns, relative to the root of the repository, with `/` between names:

- `src/app.py` one file; `src/` or `src` a folder and all below it (a last name with a dot in it is
  taken for a file unless a `/` follows).
- `*`, `?` and `[…]` stand for parts of one name, `**` for any number of folders. A glob without a
  `/` counts at any depth, as it does in `.gitignore`. What matches a folder matches all below it.
- `src/app.py#10-40` lines of a file. Two regions of one file are apart when at least GAP lines lie
  between them: then git merges them.

Whatever is not sure counts as overlapping: a name's case is not looked at, `[…]` and `{…}` may be
anything, a path with `..` in it is everywhere, and so is an area that nobody gave.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

GAP = 3
"""Lines of context between two hunks that git merges without looking at both."""

MANY = "**"
_GLOB = re.compile(r"[*?\[{]")
_REGION = re.compile(r"#(\d{1,9})-(\d{1,9})$")
_FILE = re.compile(r"[^.].*\.[^.]+$")
_SET = re.compile(r"\[[^\]]*\]?")
_BRACES = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Pattern:
    """names: () is everything. file: what it names is no folder. lines: the first and the last.

    head, tail: what every path of it begins with; and ends with, if it is a file.
    """

    text: str
    names: tuple[str, ...]
    file: bool = False
    lines: tuple[int, int] | None = None
    head: str = ""
    tail: str = ""


@lru_cache(maxsize=8192)
def pattern(text: str) -> Pattern | None:
    """None for a text that takes something out (`!…`) or says nothing: the area is what is left."""
    plain = unicodedata.normalize("NFC", text.strip()).replace("\\", "/").casefold()
    if not plain or plain.startswith("!"):
        return None
    region = _REGION.search(plain)
    lines = None
    if region is not None:
        plain = plain[: region.start()]
        lines = (int(region[1]), int(region[2]))
    folder = plain.endswith("/")
    slashed = "/" in plain.rstrip("/")
    names = tuple(_plainer(name) for name in plain.split("/") if name not in ("", "."))
    if ".." in names:
        return Pattern(text, ())
    if len(names) == 1 and not slashed and _GLOB.search(names[0]) and names[0] != MANY:
        names = (MANY, *names)
    while names and names[-1] == MANY:
        names, folder = names[:-1], True  # all below what comes before it
    is_file = bool(names) and not folder and (lines is not None or bool(_FILE.match(names[-1])))
    head = _GLOB.split("/".join(names), maxsplit=1)[0]
    tail = _GLOB.split(names[-1])[-1] if is_file else ""
    return Pattern(text, names, is_file, lines if is_file else None, head, tail)


def _plainer(name: str) -> str:
    """Sets and braces become all that they can be; `{a,b/c}` was cut in two at its slash."""
    name = _BRACES.sub("*", name)
    if name == MANY or "{" in name or "}" in name:
        return MANY
    return re.sub(r"\*{2,}", "*", _SET.sub("*", name))


def patterns(area: Iterable[str]) -> tuple[Pattern, ...]:
    """Of an area, each once; () is an area that nobody gave."""
    found = {one.text: one for text in area if (one := pattern(text)) is not None}
    return tuple(found.values())


def meets(one: Pattern, other: Pattern) -> bool:
    """Whether a path can be in both."""
    if one.names == other.names and one.lines and other.lines:
        return not _apart(one.lines, other.lines)
    return _meets(one.names, one.file, other.names, other.file)


def _may_meet(one: Pattern, other: Pattern) -> bool:
    """False at the cost of a look at their ends, which settles most of them. What is below a name
    may have any end."""
    if not (one.head.startswith(other.head) or other.head.startswith(one.head)):
        return False
    if one.tail.endswith(other.tail) or other.tail.endswith(one.tail):
        return True
    return one.head.startswith(f"{other.head}/") or other.head.startswith(f"{one.head}/")


def _apart(one: tuple[int, int], other: tuple[int, int]) -> bool:
    first, second = sorted((tuple(sorted(one)), tuple(sorted(other))))
    return second[0] - first[1] > GAP


@lru_cache(maxsize=65536)
def _meets(one: tuple[str, ...], one_file: bool, other: tuple[str, ...], other_file: bool) -> bool:
    if not one:
        return not (one_file and other and other[0] == MANY)
    if not other:
        return not (other_file and one[0] == MANY)
    if one[0] == MANY:
        return _meets(one[1:], one_file, other, other_file) or _meets(
            one, one_file, other[1:], other_file
        )
    if other[0] == MANY:
        return _meets(other, other_file, one, one_file)
    return _names_meet(one[0], other[0]) and _meets(one[1:], one_file, other[1:], other_file)


@lru_cache(maxsize=65536)
def _names_meet(one: str, other: str) -> bool:
    """Whether a name can match both; `*` is any letters, `?` any one."""
    if not _GLOB.search(one) and not _GLOB.search(other):
        return one == other
    reached = {(0, 0)}
    todo = [(0, 0)]
    while todo:
        at, there = todo.pop()
        for step in _steps(one, at, other, there):
            if step not in reached:
                reached.add(step)
                todo.append(step)
    return (len(one), len(other)) in reached


def _steps(one: str, at: int, other: str, there: int) -> Iterator[tuple[int, int]]:
    left = one[at] if at < len(one) else ""
    right = other[there] if there < len(other) else ""
    if left == "*":
        yield at + 1, there
        if right:
            yield at, there + 1
    if right == "*":
        yield at, there + 1
        if left:
            yield at + 1, there
    if left and right and (left == right or "?" in (left, right)) and "*" not in (left, right):
        yield at + 1, there + 1


@dataclass(frozen=True, slots=True)
class Overlap:
    """Where two areas meet, as they were written."""

    path: str
    other: str


def overlap(one: Sequence[str], other: Sequence[str]) -> Overlap | None:
    """None when they are apart. An area that nobody gave meets every other."""
    left, right = patterns(one), patterns(other)
    if not left or not right:
        return Overlap(_first(left), _first(right))
    for mine in left:
        for theirs in right:
            if meets(mine, theirs):
                return Overlap(mine.text, theirs.text)
    return None


def file_at(path: str) -> Pattern:
    """One path of a commit, as it stands; `*` in its name may be anything."""
    plain = unicodedata.normalize("NFC", path).casefold()
    return Pattern(path, tuple(plain.split("/")), file=True)


def strayed(paths: Iterable[str], area: Sequence[str]) -> tuple[str, ...]:
    """Those of changed files that are not of it; none where nobody gave one. What the area names
    letter by letter is of it, whatever else its letters may mean: areas of repairs are paths."""
    given, named = patterns(area), frozenset(area)
    if not given:
        return ()
    every = ((path, file_at(path)) for path in paths if path not in named)
    return tuple(path for path, one in every if not any(meets(one, other) for other in given))


def _first(area: Sequence[Pattern]) -> str:
    return area[0].text if area else ""


@dataclass(slots=True)
class _Node:
    """A folder or file by its name. here: (place, owner, pattern) of what the way to it names;
    globs: of what goes on with a glob from here."""

    here: list[tuple[int, str, Pattern]] = field(default_factory=list)
    globs: list[tuple[int, str, Pattern]] = field(default_factory=list)
    names: dict[str, "_Node"] = field(default_factory=dict)


class Taken:
    """Areas that somebody has, to be asked whether another one meets them.

    A walk along the names that are plain, so that hundreds of areas that are apart cost no more
    than the depth of their paths.
    """

    def __init__(self) -> None:
        self._root = _Node()
        self._places: dict[str, int] = {}
        self._unknown: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._places)

    def add(self, owner: str, area: Sequence[Pattern]) -> None:
        place = self._places.setdefault(owner, len(self._places))
        if not area:
            self._unknown[owner] = place
        for one in area:
            node = self._root
            for name in one.names:
                if name == MANY or _GLOB.search(name):
                    node.globs.append((place, owner, one))
                    break
                node = node.names.setdefault(name, _Node())
            else:
                node.here.append((place, owner, one))

    def first(self, area: Sequence[Pattern]) -> tuple[str, Overlap | None] | None:
        """The owner that came first of those that `area` meets, and where; None in place of where
        it is not known what one of the two is."""
        met: tuple[int, str, Overlap | None] | None = None
        if self._unknown or not area:
            among = self._unknown if area else self._places
            owner = min(among, key=among.__getitem__, default=None)
            if owner is not None:
                met = (among[owner], owner, None)
        for one in area:
            for place, owner, other in self._near(one):
                earlier = met is None or place < met[0]
                if earlier and _may_meet(one, other) and meets(one, other):
                    met = (place, owner, Overlap(one.text, other.text))
        return met[1:] if met else None

    def _near(self, one: Pattern) -> Iterator[tuple[int, str, Pattern]]:
        """What can meet it: on the way to it, and below."""
        node = self._root
        for name in one.names:
            yield from node.here
            yield from node.globs
            if name == MANY or _GLOB.search(name):
                for child in node.names.values():
                    yield from self._all(child)
                return
            if name not in node.names:
                return
            node = node.names[name]
        yield from self._all(node)

    def _all(self, top: _Node) -> Iterator[tuple[int, str, Pattern]]:
        waiting = [top]
        while waiting:
            node = waiting.pop()
            yield from node.here
            yield from node.globs
            waiting.extend(node.names.values())
