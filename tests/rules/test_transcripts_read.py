"""A transcript is read forwards, backwards and for words, and what is there is never skipped."""

import itertools
import json
from pathlib import Path

import pytest

from roundtable_desktop.adapters.transcripts import LONGEST, PIECE, FileTranscripts
from roundtable_desktop.model.transcripts import LAST, Piece
from roundtable_desktop.rules.redact import Redactor
from roundtable_desktop.runner.output import Output
from roundtable_desktop.runner.transcript import Transcript

RUN = "run"


class Shelf:
    """Transcripts in a folder, written by the runner's own hand with small segments."""

    def __init__(self, root: Path, segment: int = 20_000) -> None:
        self.folder = root / RUN / "out"
        self.folder.parent.mkdir()
        self.written = Transcript(self.folder, segment=segment)
        self.read = FileTranscripts(root)

    def say(self, text: str, stream: str = "out", at: int = 1) -> None:
        self.written.write(at, stream, text)

    def forwards(self) -> list[Piece]:
        pieces, after = [], None
        while (piece := self.read.read(RUN, after)).entries:
            pieces.append(piece)
            after = piece.ends
        return pieces

    def backwards(self) -> list[Piece]:
        pieces, before = [], LAST
        while (piece := self.read.before(RUN, before)).entries:
            pieces.insert(0, piece)
            before = piece.begins
        return pieces


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def texts(pieces: list[Piece]) -> str:
    return "".join(str(one.get("text", "#")) for piece in pieces for one in piece.entries)


@pytest.mark.proves("F-39 read", "B-139")
def test_both_ways_show_the_same_and_say_where_they_end(shelf: Shelf) -> None:
    for number in range(3000):
        shelf.say(f"line {number} of the many lines that there are\n")
    there, back = shelf.forwards(), shelf.backwards()
    assert texts(there) == texts(back) and texts(there).count("#") == 1
    assert "line 0 of" in texts(there) and "line 2999 of" in texts(there)
    for pieces in (there, back):
        assert [one.earlier for one in pieces] == [False] + [True] * (len(pieces) - 1)
        assert [one.later for one in pieces] == [True] * (len(pieces) - 1) + [False]
        for one, other in itertools.pairwise(pieces):
            assert one.ends <= other.begins
    assert all(len(json.dumps(list(one.entries))) < 2 * PIECE for one in there)


@pytest.mark.proves("F-41")
def test_a_record_that_is_all_escapes_is_shown_too(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, segment=4 << 20)
    shelf.say("before\n")
    output = Output("out", shelf.written, Redactor([]), tail_bytes=1)
    output.feed((b"\0" * 60_000 + b"\n") * 3 + b"after\n")
    output.close()
    longest = max(len(line) for line in (shelf.folder / "000001.ndjson").open("rb"))
    assert PIECE < longest < LONGEST
    seen = texts(shelf.forwards())
    assert seen == texts(shelf.backwards())
    assert seen.startswith("before\n") and seen.endswith("after\n") and "\0" * 500 in seen


@pytest.mark.proves("F-39 read")
def test_who_reads_too_slowly_is_told_what_was_left_out(shelf: Shelf) -> None:
    for number in range(3000):
        shelf.say(f"line {number} of the many lines that there are\n")
    (behind,) = [one for one in shelf.forwards() if "line 2999 " in texts([one])]
    for number in range(3000, 6000):
        shelf.say(f"line {number} of the many lines that there are\n")
    on = shelf.read.read(RUN, behind.begins)
    assert "dropped" in on.entries[0]


@pytest.mark.proves("W-13")
def test_what_is_no_record_is_passed_over(shelf: Shelf) -> None:
    shelf.say("one\n")
    with open(shelf.folder / "000001.ndjson", "ab") as file:
        file.write(b"\0\0\0{torn\n[1]\n")
    shelf.say("two\n")
    assert texts(shelf.forwards()) == texts(shelf.backwards()) == "one\ntwo\n"
    for cursor in ("000001.7", "000009.5", "999999.999999999999"):
        shelf.read.read(RUN, cursor)
        assert shelf.read.before(RUN, cursor)
    assert not FileTranscripts(shelf.folder).read("absent", None).entries


@pytest.mark.proves("F-39 search", "B-139")
def test_lines_are_found_as_they_are_seen(shelf: Shelf) -> None:
    shelf.say("all is well\nan Er", at=1)
    shelf.say("err 1\n", "err", at=2)
    shelf.say("\x1b[31mror\x1b[0m 2 is here\nno\n", at=3)
    shelf.say("x" * 1000 + " ERROR 3 " + "y" * 1000 + "\nand error 4 at the end", at=4)
    found = shelf.read.search(RUN, "error", None, 100)
    assert found.on is None
    assert [hit.at for hit in found.hits] == [1, 4, 4]
    assert found.hits[0].text == "an Error 2 is here"
    assert "ERROR 3" in found.hits[1].text and len(found.hits[1].text) < 600
    assert found.hits[2].text == "and error 4 at the end"
    again = shelf.read.read(RUN, found.hits[0].cursor)
    assert str(again.entries[0]["text"]).startswith("all is well")
    assert [one.stream for one in shelf.read.search(RUN, "err 1", None, 9).hits] == ["err"]
    assert not shelf.read.search(RUN, "\x1b[31m", None, 9).hits


@pytest.mark.proves("F-39 search")
@pytest.mark.parametrize("limit", [1, 7, 100])
def test_a_search_goes_on_where_it_stopped(shelf: Shelf, limit: int) -> None:
    for number in range(60):
        shelf.say(f"word {number}\nother\n" * (40 if number == 20 else 1))
    hits, after = [], None
    while True:
        found = shelf.read.search(RUN, "WORD", after, limit)
        assert len(found.hits) <= limit
        hits += [hit.text for hit in found.hits]
        if found.on is None:
            break
        after = found.on
    assert hits == [f"word {n}" for n in range(60) for _ in range(40 if n == 20 else 1)]
