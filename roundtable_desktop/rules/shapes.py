"""What has the shape of a secret, whoever's it is: keys of providers, bearers, private keys."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 96
"""Bytes; no shape needs more to be known, or to be known as ended."""
_BLOCK = 32 * 1024
"""Bytes of a private key; one that does not end is none."""
_VARIED = re.compile(rb"[0-9A-Z]")


@dataclass(frozen=True, slots=True)
class Shape:
    """hint: letters that it always has; a search for them is fast. begins: what makes it certain.
    lead: how much of that is no secret. ends: where it is over. partial: what may still become
    its beginning. word: no letter may stand before it. most: bytes it may have."""

    hint: bytes
    begins: re.Pattern[bytes]
    ends: re.Pattern[bytes]
    partial: bytes
    lead: int = 0
    word: bool = False
    most: int | None = None

    def found(self, text: bytes, at: int, before: bytes) -> re.Match[bytes] | None:
        """The next one. Dice do not make small letters alone, as names of branches have them."""
        while match := self.begins.search(text, at):
            start, end = match.span()
            varied = self.most or _VARIED.search(text, start + len(self.hint) + 1, end)
            if varied and not (self.word and _in_word(text, start, before)):
                return match
            at = start + 1
        return None


def _token(
    begins: bytes, letters: bytes, least: int, *, lead: int = 0, word: bool = False
) -> Shape:
    """`begins`, then at least so many of the letters."""
    run = b"%b[%b]{0,%d}" % (re.escape(begins), letters, least - 1)
    parts = [re.escape(begins[:length]) for length in range(len(begins) - 1, 0, -1)]
    return Shape(
        hint=begins,
        begins=re.compile(b"%b[%b]{%d}" % (re.escape(begins), letters, least)),
        ends=re.compile(b"[^%b]" % letters),
        partial=b"|".join([run, *parts]),
        lead=lead,
        word=word,
    )


_NAME = rb"A-Za-z0-9_-"
SHAPES = (
    _token(b"sk-", _NAME, 20, word=True),
    _token(b"sk_live_", rb"A-Za-z0-9", 16, word=True),
    *(_token(b"gh%c_" % kind, rb"A-Za-z0-9", 30) for kind in b"pos"),
    _token(b"github_pat_", _NAME, 22),
    _token(b"glpat-", _NAME, 16),
    _token(b"xoxb-", _NAME, 16),
    _token(b"AKIA", rb"A-Z0-9", 16),
    _token(b"AIza", _NAME, 35),
    _token(b"earer ", rb"A-Za-z0-9._~+/=-", 20, lead=6),
    Shape(
        hint=b"PRIVATE KEY",
        begins=re.compile(rb"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY[A-Z ]{0,10}-----"),
        ends=re.compile(rb"-----END [A-Z0-9 ]{0,50}-----"),
        partial=rb"-----BEGIN [A-Z0-9 ]{0,60}-{0,4}|-----BEGIN|-----BEGI|-----BEG|-----BE|-----B"
        rb"|-{1,5}",
        most=_BLOCK,
    ),
)
_ALSO = (b"sk_", b"pk_", b"rk_", b"ghu_", b"ghr_", b"xoxa-", b"xoxp-")
"""Beginnings of keys that are seldom in what an agent prints; each costs a search of all of it."""
_BEGINNINGS = [*(shape.hint for shape in SHAPES if shape.most is None and not shape.lead), *_ALSO]
_LOOSE = re.compile(
    rf"(?<![A-Za-z0-9])(?:{'|'.join(re.escape(one.decode()) for one in _BEGINNINGS)})[\w-]{{10,}}"
)


def without_lookalikes(text: str, mark: str) -> str:
    """Also what only begins like a key: for what is shown to strangers, where hiding too much harms
    nobody. In what an agent prints it would hide names of branches and files."""
    return _LOOSE.sub(mark, text)


_PARTIAL = re.compile(rb"(?:%b)\Z" % b"|".join(shape.partial for shape in SHAPES))


def _in_word(text: bytes, at: int, before: bytes) -> bool:
    """before: the end of what went before the text. An escape of JSON is none of a word."""
    last = (before + text[max(0, at - 2) : at])[-2:]
    return last[-1:].isalnum() and not (last[:1] == b"\\" and last[1:] in (b"n", b"r", b"t"))


class Reading:
    """One text in pieces. Each piece is read once for every shape, however hostile it is."""

    def __init__(self) -> None:
        self._within: Shape | None = None
        self._size = 0
        self._before = b""

    def spans(self, text: bytes, *, final: bool) -> Iterator[tuple[int, int, bool]]:
        """Parts (start, end, whether it begins there) that are not to be shown, in order; at last
        (hold, hold, False), where the rest begins that is to be given again with the next piece.
        """
        at = 0
        ahead = {shape: shape.found(text, 0, self._before) for shape in self._hinted(text)}
        begun: int | None = None
        while True:
            if self._within is not None:
                end = self._end(text, at, self._within)
                stop = end if end is not None else self._kept(text, at, final=final)
                if stop > at or begun is not None:
                    yield at if begun is None else begun, stop, begun is not None
                begun, at = None, stop
                if end is None:
                    self._before = (self._before + text[:at])[-2:]
                    yield at, at, False
                    return
                self._within = None
            ahead = {
                shape: match if match.start() >= at else shape.found(text, at, self._before)
                for shape, match in ahead.items()
                if match is not None
            }
            known = [(match.start(), shape, match) for shape, match in ahead.items() if match]
            if not known:
                break
            _, shape, match = min(known, key=lambda one: one[0])
            self._within, self._size = shape, 0
            begun, at = match.start() + shape.lead, match.end()
        hold = len(text) if final else self._hold(text, at)
        self._before = (self._before + text[:hold])[-2:]
        yield hold, hold, False

    def _hinted(self, text: bytes) -> list[Shape]:
        return [shape for shape in SHAPES if shape.hint in text]

    def _end(self, text: bytes, at: int, shape: Shape) -> int | None:
        found = shape.ends.search(text, at)
        if found is not None:
            return found.end() if shape.most else found.start()
        if shape.most and self._size > shape.most:
            return at
        return None

    def _kept(self, text: bytes, at: int, *, final: bool) -> int:
        """Of a block its end may have begun."""
        stop = len(text)
        if self._within is not None and self._within.most and not final:
            stop = max(at, stop - LONGEST)
        self._size += stop - at
        return stop

    def _hold(self, text: bytes, at: int) -> int:
        at = max(at, len(text) - LONGEST)
        while match := _PARTIAL.search(text, at):
            # Those that begin with an s are the ones before which no letter may stand.
            if match[0][:1] != b"s" or not _in_word(text, match.start(), self._before):
                return match.start()
            at = match.start() + 1
        return len(text)
