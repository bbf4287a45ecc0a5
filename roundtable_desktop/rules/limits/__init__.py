"""How a provider's message about a limit is understood: what it is, and when it goes on (C-12)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from enum import StrEnum

from roundtable_desktop.model.states import ErrorKind
from roundtable_desktop.rules.limits import claims
from roundtable_desktop.rules.limits.hearing import endings, heard
from roundtable_desktop.rules.limits.moments import Frame
from roundtable_desktop.rules.limits.resets import BUFFER, Reset, pairs, reset


class Channel(StrEnum):
    """Where a text comes from, which decides what of it may be believed (C-36)."""

    ERROR = "error"  # the final error of a run that failed
    STDERR = "stderr"
    RESULT = "result"  # all that a run answered, whatever its exit: it must be the limit alone
    TRANSCRIPT = (
        "transcript"  # what a failed run printed: its last lines, if they are a limit alone
    )


class Meaning(StrEnum):
    LIMIT = "limit"
    OVERLOADED = "overloaded"
    NOT_A_LIMIT = "not_a_limit"
    INCURABLE = "incurable"


@dataclass(frozen=True, slots=True)
class Said:
    """status: of the HTTP answer. structured: fields of the agent's protocol. Both beat text."""

    text: str
    channel: Channel = Channel.ERROR
    status: int | None = None
    structured: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """retry_at: None for an ordinary back-off. matched: a part of what `heard` makes of the text.

    model: the limit's scope, None for the whole account, `claims.RUNNING_MODEL` for "this model".
    """

    meaning: Meaning
    error: ErrorKind | None = None
    reset_at: datetime | None = None
    retry_at: datetime | None = None
    matched: str | None = None
    model: str | None = None

    @property
    def source(self) -> str:
        """What decides the next try, as the log calls it (K-33)."""
        return "rate_limit_parsed" if self.retry_at else "backoff"


_MEANINGS = {
    ErrorKind.RATE_LIMITED: Meaning.LIMIT,
    ErrorKind.QUOTA_LIMITED: Meaning.LIMIT,
    ErrorKind.OVERLOADED: Meaning.OVERLOADED,
    ErrorKind.BILLING: Meaning.INCURABLE,
    ErrorKind.MODEL_UNAVAILABLE: Meaning.INCURABLE,
    ErrorKind.CONTEXT_FULL: Meaning.INCURABLE,
}
NOTHING = Verdict(Meaning.NOT_A_LIMIT)
_LONGEST_MATCH = 400


def limit_verdict(said: Said, now: datetime, zone: tzinfo) -> Verdict:
    """zone: the one of the machine that the agent ran on, for times that name none.

    1. What of the text may be heard, by its channel.  2. When it lifts, as far as anybody says.
    3. What it is: by the protocol's fields, then by the text.  4. Whose it is, and the next try.
    """
    fields = list(pairs(said.structured or {}))
    if claims.allowed(fields):
        said, fields = Said(said.text, said.channel, said.status), []
    coded = claims.coded([("status", said.status), *fields])
    text = _audible(said, coded)
    lifts = reset(text, said.structured, Frame(now, zone))
    kind, words = _kind(text, coded, said.status, lifts)
    if kind is None:
        return NOTHING
    meaning = _MEANINGS[kind]
    at = lifts.at if lifts and meaning is not Meaning.INCURABLE else None
    return Verdict(
        meaning,
        kind,
        reset_at=at,
        retry_at=at + BUFFER if at and at + BUFFER > now else None,
        matched=_matched(text, words, lifts if at else None),
        model=claims.model(text, fields),
    )


def _audible(said: Said, coded: ErrorKind | None) -> str:
    """The text of `said` that may be believed, "" for none."""
    match said.channel:
        case Channel.ERROR | Channel.STDERR:
            return heard(said.text)
        case Channel.RESULT if coded is not None:
            return heard(said.text)
        case Channel.RESULT:
            whole = heard(said.text)
            return whole if claims.alone(whole) else ""
        case Channel.TRANSCRIPT:
            return next((end for end in endings(said.text) if claims.alone(end)), "")


_Words = tuple[int, int]


def _kind(
    text: str, coded: ErrorKind | None, status: int | None, lifts: Reset | None
) -> tuple[ErrorKind | None, _Words | None]:
    """Where the protocol only says "limited" the text may say more; else the protocol has it."""
    told = claims.claim(text, lifts=lifts is not None)
    if coded is not None and _MEANINGS[coded] is not Meaning.LIMIT:
        return coded, None
    if status == claims.SIGNED_OUT:
        return None, None
    if told is not None:
        return told[0], told[1].span()
    if coded is None and lifts is not None and lifts.given:
        return ErrorKind.RATE_LIMITED, None
    return coded, None


def _matched(text: str, words: _Words | None, lifts: Reset | None) -> str | None:
    """The claim, and up to where its reset is told if that is near."""
    if words is None:
        return None
    start, end = words
    if lifts is not None and lifts.end:
        start, end = min(start, lifts.start), max(end, lifts.end)
    if end - start > _LONGEST_MATCH:
        start, end = words
    return text[start:end][:_LONGEST_MATCH] or None
