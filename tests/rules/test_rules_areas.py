"""Which areas meet: the matrix, and hundreds of them at once against each two of them."""

import fnmatch
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtable_desktop.rules.areas import (
    Overlap,
    Taken,
    meets,
    overlap,
    pattern,
    patterns,
    strayed,
)

APART, MEET = False, True


@pytest.mark.proves("A-14")
@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("src/app.py", "src/app.py", MEET),
        ("src/app.py", "src/other.py", APART),
        ("src/app.py", "src/app.pyi", APART),
        ("src/app.py", "./src//app.py", MEET),
        ("src\\app.py", "src/app.py", MEET),
        ("/src/app.py", "src/app.py", MEET),
        ("README.md", "readme.md", MEET),  # on many a disk it is one file
        ("caf\u00e9.md", "cafe\u0301.md", MEET),
        # folders
        ("src/", "src/app.py", MEET),
        ("src", "src/deep/below/app.py", MEET),
        ("src", "srcs/app.py", APART),
        ("src/one", "src/two", APART),
        ("docs/v1.2", "docs/v1.2/page.md", MEET),
        (".", "src/app.py", MEET),
        ("**", "src/app.py", MEET),
        ("src/**", "src/app.py", MEET),
        ("src/**", "tests/app.py", APART),
        # globs
        ("*.py", "src/deep/app.py", MEET),  # at any depth, as in .gitignore
        ("./*.py", "src/app.py", APART),
        ("./*.py", "app.py", MEET),
        ("src/*.py", "src/deep/app.py", APART),
        ("src/*", "src/deep/app.py", MEET),  # what matches a folder matches all below it
        ("src/*.py", "src/*.md", APART),
        ("src/*_a.py", "src/b_*.py", MEET),  # b_a.py
        ("src/a*.py", "src/b*.py", APART),
        ("**/*.py", "docs/page.md", APART),
        ("**/*.py", "docs", MEET),  # it may be a folder
        ("src/**/app.py", "src/app.py", MEET),
        ("src/**/app.py", "src/a/b/app.py", MEET),
        ("src/**/app.py", "src/**/b.py", APART),
        ("src/**/one/*.py", "src/two/**/x.py", MEET),
        ("src/?.py", "src/a.py", MEET),
        ("src/?.py", "src/ab.py", APART),
        ("src/[ab].py", "src/[cd].py", MEET),  # sets are not looked into
        ("app/[id]/page.tsx", "app/[id]/page.tsx", MEET),
        ("src/{a,b}/x.py", "src/a/x.py", MEET),
        ("src/{a,b/c}/d/x.py", "src/b/c/d/x.py", MEET),
        ("src/{a,b/c}/d/x.py", "src/a/d/x.py", MEET),
        # what leads nowhere sure
        ("../other/app.py", "src/app.py", MEET),
        # lines of one file
        ("src/app.py#1-10", "src/app.py#14-20", APART),
        ("src/app.py#14-20", "src/app.py#10-1", APART),
        ("src/app.py#1-10", "src/app.py#13-20", MEET),  # git would see one hunk
        ("src/app.py#1-10", "src/app.py", MEET),
        ("src/app.py#1-10", "src/", MEET),
        ("src/app.py#1-10", "src/b.py#1-10", APART),
        ("src/app.py#1-10", "src/*.py", MEET),
    ],
)
def test_two_areas_meet_or_are_apart(one: str, other: str, together: bool) -> None:
    wanted = Overlap(one, other) if together else None
    assert overlap([one], [other]) == wanted
    assert (overlap([other], [one]) is not None) is together
    taken = Taken()
    taken.add("other", patterns([other]))
    assert (taken.first(patterns([one])) is not None) is together


@pytest.mark.proves("A-14")
@pytest.mark.parametrize("nothing", [[], [""], ["  "], ["!src/app.py"]])
def test_an_area_that_nobody_gave_meets_every_other(nothing: list[str]) -> None:
    assert overlap(nothing, ["src/app.py"]) == Overlap("", "src/app.py")
    assert overlap(nothing, nothing) == Overlap("", "")


def test_the_whole_area_counts_and_the_first_place_is_told() -> None:
    area = ["docs/a.md", "src/b.py", "!src/c.py"]
    assert overlap(area, ["src/c.py"]) is None
    assert overlap(area, ["src/"]) == Overlap("src/b.py", "src/")


def test_who_came_first_is_named() -> None:
    taken = Taken()
    for owner in ("one", "two", "three"):
        taken.add(owner, patterns([f"src/{owner}.py", "shared/*.md"]))
    assert taken.first(patterns(["src/two.py", "src/three.py"])) == (
        "two",
        Overlap("src/two.py", "src/two.py"),
    )
    assert taken.first(patterns(["shared/notes.md"])) == (
        "one",
        Overlap("shared/notes.md", "shared/*.md"),
    )
    assert taken.first(patterns(["shared/notes.txt"])) is None
    assert taken.first(()) == ("one", None)
    taken.add("four", ())
    assert taken.first(patterns(["else/where.py"])) == ("four", None)


NAMES = st.sampled_from(["a", "b", "ab", "a.py", "b.py", "*", "a*", "*.py", "?", "**", "b.md"])
PATTERNS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PATHS = [
    "/".join(way)
    for depth in (1, 2, 3)
    for way in itertools.product(["a", "b", "ab", "a.py", "b.md"], repeat=depth)
    if not any("." in name for name in way[:-1])
]


def covers(glob: str, path: str) -> bool:
    """By the words of the rule, one path at a time; this is slow, and knows no way around."""
    names = glob.split("/")
    if len(names) == 1 and names[0] != "**" and set("*?") & set(names[0]):
        names = ["**", *names]
    return _covers(names, path.split("/"))


def _covers(names: list[str], path: list[str]) -> bool:
    if not names:
        return True
    if names[0] == "**":
        return any(_covers(names[1:], path[skip:]) for skip in range(len(path) + 1))
    return bool(path) and fnmatch.fnmatchcase(path[0], names[0]) and _covers(names[1:], path[1:])


@pytest.mark.proves("A-14")
@settings(max_examples=400, deadline=None)
@given(PATTERNS, PATTERNS)
def test_areas_that_are_apart_have_no_path_in_common(one: str, other: str) -> None:
    both = [path for path in PATHS if covers(one, path) and covers(other, path)]
    if both:
        assert overlap([one], [other]) is not None, both


@pytest.mark.proves("A-14")
@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(PATTERNS, max_size=3), max_size=8), st.lists(PATTERNS, max_size=3))
def test_many_at_once_are_asked_as_each_of_them(areas: list[list[str]], area: list[str]) -> None:
    taken = Taken()
    for number, one in enumerate(areas):
        taken.add(str(number), patterns(one))
    found = taken.first(patterns(area))
    first = next((str(n) for n, one in enumerate(areas) if overlap(area, one) is not None), None)
    assert (found[0] if found else None) == first


@given(PATTERNS, PATTERNS)
def test_it_does_not_matter_who_is_asked(one: str, other: str) -> None:
    left, right = pattern(one), pattern(other)
    assert left is not None and right is not None
    assert meets(left, right) == meets(right, left)
    assert meets(left, left)


@pytest.mark.proves("A-14")
@pytest.mark.parametrize(
    "path", ["!x.txt", " x .txt", "a\\b.txt", "x#1-20", "pages/[id].tsx", "a*b"]
)
def test_a_path_that_an_area_names_is_of_it_whatever_else_it_means(path: str) -> None:
    assert strayed([path, "other.txt"], ["y.txt", path]) == ("other.txt",)
