"""Takes secrets out of what is written, in every form in which a program prints them by habit."""

import base64
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import accumulate
from urllib.parse import quote, quote_plus

from roundtable_desktop.rules.shapes import LONGEST, Reading

MARK = "[redacted]"
SHORTEST = 6
"""Characters; a shorter value would be found in innocent text."""

_MARK = MARK.encode()
_CODE = re.compile(rb"\x1b\[[0-?]{0,64}[@-~]")
_CODE_BEGUN = re.compile(rb"\x1b(?:\[[0-?]{0,64})?\Z")
_CODES_HELD = 64 * 1024
"""Bytes of colour codes held back behind the beginning of a secret; more of them is noise."""


class Redactor:
    """Knows the forms of some secrets; one for each run or log, shared by its streams."""

    def __init__(self, secrets: Iterable[str]) -> None:
        found = {form for secret in secrets if len(secret) >= SHORTEST for form in _forms(secret)}
        # The longest first: a padded base64 text must not leave its padding behind.
        self.forms = sorted(found, key=lambda form: (-len(form), form))
        self.longest = len(self.forms[0]) if self.forms else 0
        self._pattern = re.compile(b"|".join(map(re.escape, self.forms)) or rb"(?!)")

    def redact(self, text: str) -> str:
        stream = self.stream()
        raw = text.encode("utf-8", "surrogatepass")
        return (stream.feed(raw) + stream.flush()).decode("utf-8", "surrogatepass")

    def stream(self) -> "Stream":
        """Of a text in pieces. What is known by its value goes first: it may be a part of what is
        known by its shape."""
        return Stream(self)

    def spans(self, text: bytes) -> Iterator[tuple[int, int]]:
        """Where secrets stand. `in` is a search at 1 GB/s, the pattern can be a hundred times
        slower; so the pattern looks only at text that does hold a secret."""
        if any(form in text for form in self.forms):
            yield from (match.span() for match in self._pattern.finditer(text))

    def begun(self, text: bytes, start: int) -> int:
        """Where the longest tail begins that may still grow into a secret; len(text) if none."""
        first = len(text)
        for form in self.forms:
            at = text.find(form[:1], max(start, len(text) - len(form) + 1))
            while 0 <= at < first:
                if form.startswith(text[at:]):
                    first = at
                at = text.find(form[:1], at + 1)
        return first


class Stream:
    """Redacts what comes in pieces, and holds back no more than a secret's possible beginning."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._shapes = _ShapeStream()
        self._held = b""

    def feed(self, piece: bytes) -> bytes:
        raw = self._held + piece
        view = _Plain(raw)
        return self._shapes.feed(self._take(raw, view, self._redactor.begun(view.text, 0)))

    def flush(self) -> bytes:
        view = _Plain(self._held)
        return self._shapes.flush(self._take(self._held, view, len(view.text)))

    def _take(self, raw: bytes, view: "_Plain", hold: int) -> bytes:
        """`hold`: where in the view the undecided tail begins."""
        parts: list[bytes] = []
        done = 0
        for start, end in self._redactor.spans(view.text):
            if start >= hold:  # a longer secret may begin with this one
                break
            parts += raw[done : view.origin(start)], _MARK
            done = view.origin(end - 1) + 1
            if end > hold:
                hold = self._redactor.begun(view.text, end)
        cut = max(done, view.place(hold))
        if len(raw) - cut > self._redactor.longest + _CODES_HELD:
            cut = len(raw)
        self._held = raw[cut:]
        return b"".join([*parts, raw[done:cut]])


class _ShapeStream:
    """The same for what is known by its shape alone."""

    def __init__(self) -> None:
        self._reading = Reading()
        self._held = b""

    def feed(self, piece: bytes) -> bytes:
        return self._take(self._held + piece, final=False)

    def flush(self, piece: bytes) -> bytes:
        return self._take(self._held + piece, final=True)

    def _take(self, raw: bytes, *, final: bool) -> bytes:
        view = _Plain(raw)
        parts: list[bytes] = []
        done = 0
        # The rest of a colour's code that is cut here would be none of a secret's letters.
        whole = len(raw) if final else view.whole
        for start, end, begins in self._reading.spans(view.text, final=final):
            parts.append(raw[done : min(whole, view.place(start))])
            if begins:
                parts.append(_MARK)
            done = min(whole, view.place(end))
        if len(raw) - done > LONGEST + _CODES_HELD:
            parts.append(raw[done:])
            done = len(raw)
        self._held = raw[done:]
        return b"".join(parts)


class _Plain:
    """Bytes as a reader of the terminal sees them, with the way back to where each one stood.
    whole: how long they are without a code that is cut at the end."""

    def __init__(self, raw: bytes) -> None:
        self.text = self._raw = raw
        self.whole = len(raw)
        last = raw.rfind(b"\x1b")
        if last < 0:
            return
        if _CODE_BEGUN.match(raw, last):
            self.whole = last
        self.text = _CODE.sub(b"", raw[: self.whole])

    @cached_property
    def _gone(self) -> tuple[list[int], list[int]]:
        """Where in the text codes were removed, and how much was removed up to there."""
        codes = [match.span() for match in _CODE.finditer(self._raw)]
        removed = list(accumulate(end - start for start, end in codes))
        return [end - gone for (_, end), gone in zip(codes, removed, strict=True)], removed

    def origin(self, index: int) -> int:
        at, removed = self._gone
        before = bisect_right(at, index)
        return index + removed[before - 1] if before else index

    def place(self, index: int) -> int:
        return self.origin(index) if index < len(self.text) else len(self._raw)


def redact(text: str, secrets: Iterable[str]) -> str:
    """The whole text at once; for streams see `Redactor.stream`."""
    return _redactor(frozenset(secrets)).redact(text)


@lru_cache(maxsize=8)
def _redactor(secrets: frozenset[str]) -> Redactor:
    return Redactor(secrets)


def clip(text: str, limit_bytes: int, *, keep: str = "end") -> str:
    """At most that many bytes of UTF-8, cut on a character boundary; keep: "end" | "start"."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= limit_bytes:
        return text
    kept = raw[len(raw) - limit_bytes :] if keep == "end" else raw[:limit_bytes]
    return kept.decode("utf-8", "ignore")


def _forms(secret: str) -> Iterator[bytes]:
    raw = secret.encode("utf-8", "surrogatepass")
    yield raw
    yield json.dumps(secret)[1:-1].encode()
    yield json.dumps(secret, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")
    yield raw.hex().encode()
    yield raw.hex().upper().encode()
    for text in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield text.encode()
        yield re.sub("%..", lambda match: match[0].lower(), text).encode()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield encode(raw)
        yield encode(raw).rstrip(b"=")
        yield from (_within_base64(encode(bytes(lead) + raw), lead, len(raw)) for lead in range(3))


def _within_base64(text: bytes, lead: int, length: int) -> bytes:
    """The characters that depend on nothing but the secret, `lead` bytes into a group of three."""
    return text[-(-lead * 8 // 6) : (lead + length) * 8 // 6]
