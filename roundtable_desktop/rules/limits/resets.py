"""Finds when a limit lifts: fields first, then prose, then the wait that an agent chose itself."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from roundtable_desktop.rules.limits.moments import JUST_PASSED, Found, Frame, later, when

BUFFER = timedelta(seconds=30)
"""What is added to every reset that was read (K-32)."""

FURTHEST = timedelta(days=35)
"""No retry later than this: what says so is not believed (C-70)."""

_ANY = re.ASCII | re.IGNORECASE


@dataclass(frozen=True, slots=True)
class Reset:
    """start, end: its words in the text; both 0 when it was a field of the agent's protocol.

    given: the protocol's own word for the limit's end, which needs no other sign of a limit.
    """

    at: datetime
    start: int = 0
    end: int = 0
    given: bool = False


def reset(text: str, structured: Mapping[str, object] | None, frame: Frame) -> Reset | None:
    """The first that is believable, in the order of how exactly its source knows it."""
    given, told = list(pairs(structured or {})), list(_told_fields(text))
    sources: tuple[Iterable[Reset], ...] = (
        _given(given, _MOMENTS, frame),
        _given(given, _WAITS, frame),
        _told(text, told, _MOMENTS, frame),
        _told(text, told, _WAITS, frame),
        _prose(text, frame),
        _given(given, _OWN_WAITS, frame),
        _told(text, told, _OWN_WAITS, frame),
    )
    found = (one for source in sources for one in source)
    return next((one for one in found if believable(one.at, frame.now)), None)


def believable(moment: datetime, now: datetime) -> bool:
    return -JUST_PASSED < moment - now <= FURTHEST - BUFFER


# --- fields ------------------------------------------------------------------------------------

_SECOND, _MILLISECOND = timedelta(seconds=1), timedelta(milliseconds=1)

# key, without its - and _ · what a bare number counts · who says it
_MOMENTS = {
    "resetsat": _SECOND,  # claude 2.1 rate_limit_info, codex usage_limit_reached
    "quotaresettimestamp": _SECOND,  # gemini ErrorInfo
    "resettime": _SECOND,  # seed 001
    "resetat": _SECOND,
    "resettimestamp": _SECOND,
}
_WAITS = {
    "retryafterms": _MILLISECOND,  # openai
    "retryafter": _SECOND,  # HTTP
    "retryafterseconds": _SECOND,
    "resetsinseconds": _SECOND,  # codex usage_limit_reached
    "resetafterseconds": _SECOND,
    "quotaresetdelay": _SECOND,  # gemini ErrorInfo
    "retrydelay": _SECOND,  # gemini RetryInfo
    "xratelimitreset": _SECOND,  # openrouter
    "ratelimitreset": _SECOND,  # HTTP
    "anthropicratelimitunifiedreset": _SECOND,
}
_OWN_WAITS = {
    "retrydelayms": _MILLISECOND,  # claude 2.1 api_retry
    "delayms": _MILLISECOND,  # pi 1.6 auto_retry_start
}
_FIELD = re.compile(r"""(?<![\w-])([a-z][a-z_-]{4,40})["'\\]{0,2}\s?[:=]\s?["'\\]{0,2}""", _ANY)
_BARE = re.compile(r"(\d{1,12}(?:\.\d{1,18})?)(?!\s?[\w:/.-])", _ANY)
_DEEPEST = 6


def pairs(value: object, depth: int = 0) -> Iterator[tuple[str, object]]:
    """Every key with its plain value, however deep within reason; keys without - and _."""
    inside: Iterable[object] = ()
    if isinstance(value, Mapping):
        yield from ((_plain(key), one) for key, one in value.items() if _simple(one))
        inside = value.values()
    elif isinstance(value, list | tuple):
        inside = value
    if depth < _DEEPEST:
        for one in inside:
            yield from pairs(one, depth + 1)


def _simple(value: object) -> bool:
    """Text or a number; one of thousands of digits cannot even be written down."""
    if isinstance(value, int):
        return abs(value) < 10**18
    return isinstance(value, str | float)


def _plain(key: object) -> str:
    return str(key).replace("_", "").replace("-", "").lower()


def _given(
    fields: list[tuple[str, object]], known: Mapping[str, timedelta], frame: Frame
) -> Iterator[Reset]:
    for key, unit in known.items():
        for name, value in fields:
            if name == key and (found := _value(str(value), 0, unit, frame)):
                yield Reset(found.at, given=known is not _OWN_WAITS)


def _told_fields(text: str) -> Iterator[tuple[str, int, int]]:
    for found in _FIELD.finditer(text):
        yield _plain(found[1]), found.start(), found.end()


def _told(
    text: str, fields: list[tuple[str, int, int]], known: Mapping[str, timedelta], frame: Frame
) -> Iterator[Reset]:
    for key, unit in known.items():
        for name, start, at in fields:
            if name == key and (found := _value(text, at, unit, frame)):
                yield Reset(found.at, start, found.end)


def _value(text: str, start: int, unit: timedelta, frame: Frame) -> Found | None:
    """A bare number is a wait until it is as large as the instants of our time."""
    found = when(text, start, frame)
    bare = _BARE.match(text, start)
    if found is None and bare is not None:
        return later(frame.now, float(bare[1]) * unit, bare.end())
    return found


# --- prose -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lead:
    """Words after which a time says when the limit lifts. source: agent, provider or seed."""

    name: str
    source: str
    pattern: re.Pattern[str]


def _lead(name: str, source: str, pattern: str) -> Lead:
    return Lead(name, source, re.compile(pattern + _FILLER, _ANY))


_FILLER = r"(?:(?:about|approximately|around|another|the next|up to)\s+|~\s?)?(?=\w)"

_AT = r"\s+(?:at|on|in|after|by)\s*:?\s+"

LEADS = (
    _lead("pipe", "claude 1.0: limit reached|<epoch>", r"limit reached\s?\|\s?"),
    _lead(
        "resets",
        "claude 2.1, z.ai, gemini 0.61, qwen, copilot, windsurf, seed 001",
        r"\b(?:resets?|refresh(?:es|ed)?|renews?|replenish(?:es|ed)?)(?:\s+automatically)?"
        rf"(?:{_AT}|\s*:?\s+)",
    ),
    _lead("cycle", "cursor", rf"\bcycle (?:ends|resets|renews){_AT}"),
    _lead(
        "try again",
        "codex 0.171, openai, azure, gemini 0.61, copilot, seed 001",
        rf"\b(?:try(?:ing)? again|retry(?:ing)?){_AT}",
    ),
    _lead("wait", "copilot", r"\bwait(?:\s+for)?\s+(?:until\s+)?"),
    _lead("come back", "freebuff", rf"\bcome back{_AT}"),
    _lead("regain", "anthropic-api", rf"\bregain access{_AT}"),
    _lead("available", "cursor, amp", rf"\bavailable(?:\s+again)?{_AT}"),
    _lead(
        "resume",
        "antigravity",
        r"\byou (?:can|may|will be able to) (?:resume|continue|go on|use|send)\b"
        rf"(?: [\w'-]+){{0,5}}{_AT}",
    ),
    _lead("until", "any", r"\b(?:limited|blocked|paused|exhausted)\s+until\s+"),
)


def _prose(text: str, frame: Frame) -> Iterator[Reset]:
    for lead in LEADS:
        for said in lead.pattern.finditer(text):
            found = when(text, said.end(), frame)
            if found is not None:
                yield Reset(found.at, said.start(), found.end)
