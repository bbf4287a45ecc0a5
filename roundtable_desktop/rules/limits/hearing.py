"""What of a text may be read as the provider's own words: cleaned, and without code and talk."""

import re
import unicodedata
from collections.abc import Iterator

from roundtable_desktop.rules.limits.mentions import code, talk

LAST = 2_000
"""Only the end of a text is read (C-12)."""

_RAW = 4 * LAST
_WRAPPED = 4

_CODES = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_ESCAPED = re.compile(r"\\{1,4}(?:([\"'])|[nrt])")
_SENTENCE_END = re.compile(r"(?<=[.!?;]) ")
_FENCED = re.compile(r"```[^`]*```")
_SAME = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u2212": "-", "\r": "\n"})


def clean(text: str) -> str:
    """The end of it, without colours, invisible signs and fenced code, in the plainest spelling."""
    bare = _CODES.sub("", text[-_RAW:])
    plain = unicodedata.normalize("NFKC", bare)[-_RAW:].translate(_SAME)
    seen = "".join(
        one for one in plain if one in "\n\t" or not unicodedata.category(one).startswith("C")
    )
    unescaped = _ESCAPED.sub(lambda found: found[1] or " ", seen)
    return _FENCED.sub("\n", unescaped[-LAST:])


def heard(text: str) -> str:
    """One line of all sentences that are no talk, in lines that are no code, test or log."""
    lines = (" ".join(line.split()) for line in clean(text).split("\n"))
    sentences = (one for line in lines if not code(line) for one in _SENTENCE_END.split(line))
    return " ".join(one for one in sentences if one and not talk(one))


def endings(text: str) -> Iterator[str]:
    """The last line with a word, then the last two, and so on: a last message may be wrapped."""
    lines = [line for line in clean(text).split("\n") if line.strip()]
    for count in range(1, _WRAPPED + 1):
        yield heard("\n".join(lines[-count:]))
