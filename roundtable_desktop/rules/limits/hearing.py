"""What of a text may be read as the provider's own words: cleaned, and without code and talk."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

LAST = 2_000
"""Only the end of a text is read (C-12)."""

_RAW = 4 * LAST
_WRAPPED = 4
_ANY = re.ASCII | re.IGNORECASE

_CODES = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_ESCAPED = re.compile(r"\\{1,4}(?:([\"'])|[nrt])")
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
    """One line of all lines that are no code, test, log or talk; wrapped ones are joined."""
    lines = (" ".join(line.split()) for line in clean(text).split("\n"))
    return " ".join(line for line in lines if line and not mentions(line))


def endings(text: str) -> Iterator[str]:
    """The last line with a word, then the last two, and so on: a last message may be wrapped."""
    lines = [line for line in clean(text).split("\n") if line.strip()]
    for count in range(1, _WRAPPED + 1):
        yield heard("\n".join(lines[-count:]))


def mentions(line: str) -> bool:
    """Whether the line only speaks of limits, whoever wrote it."""
    return any(shape.pattern.search(line) for shape in SHAPES)


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of line that no provider writes. name: what it is."""

    name: str
    pattern: re.Pattern[str]


def _shape(name: str, pattern: str, flags: re.RegexFlag = re.ASCII) -> Shape:
    return Shape(name, re.compile(pattern, flags))


_CODE_FILE = (
    r"\.(?:pyi?|tsx?|jsx?|mjs|go|rs|java|kt|rb|php|cc?|cpp|hh?|cs|swift|sh|sql|html|css|md|rst|txt"
    r"|json|ya?ml|toml|log)\b"
)
_TOPIC = r"(?:rate.?limit|\b429\b|too.many.requests|quota)"

SHAPES = (
    _shape(
        "diff", r"^(?:diff --git |index [0-9a-f]{7}|@@ |\+\+\+ |\+(?!\d)|---? ?[ab]/|-[^\s\d-])"
    ),
    _shape("comment or heading", r"^(?:#{1,6} |//|/\*|\*/|<!--|>|\"\"\"|'''|\|.*\|$)"),
    _shape("numbered place", rf"^[\w./\\@+-]+{_CODE_FILE}[:(]\d"),
    _shape("frame", r"^(?:File \"|at .*:\d+:\d+\)?$|at [\w.$<>]+\(|from .*:\d+:in |\.{3} \d+ )"),
    _shape("test", r"^(?:PASS|FAIL|SKIP|XFAIL|ERROR)(?:ED)?\b.*(?:::|[\[/]|\.\w{2,4}\b)"),
    _shape("test", r"^(?:[\u2713\u2714\u221a\u2715] |(?:not )?ok \d|=== RUN|--- |test .* \.\.\. )"),
    _shape("test", r"::test_|\btests?::|\btest_\w|\b\d+ (?:passed|failed)\b"),
    _shape("assertion", r"\b(?:Assert\w*|assert\w*|expect)\b(?:\(|:| )"),
    _shape("log of no error", r"^[^a-z]{0,40}\b(?:INFO|DEBUG|TRACE|NOTICE)\b"),
    _shape("log of no error", r"\blevel=\"?(?:info|debug|trace)\b", _ANY),
    _shape(
        "statement",
        r"^(?:def|class|function|fn|func|const|let|var|import|from|return|raise|throw|elif|else"
        r"|except|catch|switch|case|public|private|static|async|await|export|use)\b.*[(){}=:;]",
    ),
    _shape("block", r"^(?:\} ?)?(?:if|else|for|while|with|try|match|when)\b.*[:{]$"),
    _shape("operator", r" (?:===?|!==?|=>|&&|\|\||:=|\+=) "),
    _shape("assignment", r"^[A-Za-z_][\w.\[\]\"']* = "),
    _shape("call", r"^[a-z_][\w.]*\((?!.*Error\().*\)[;,]?$"),
    _shape("end of statement", r"[)\w\"']; *$"),
    _shape(
        "work on it",
        r"\b(?:implement|refactor|pars(?:e[ds]?|er|ing)|detect(?:s|ed|ing|or|ion)?|mock(?:s|ed|ing)?"
        r"|simulat(?:e[ds]?|ing)|middleware|regex|fixtures?|docstrings?)\b.{0,120}"
        + _TOPIC
        + "|"
        + _TOPIC
        + r".{0,120}\b(?:middleware|detect(?:or|ion)|parser|regex|fixtures?|tests|handler"
        r"|handling|code path)\b",
        _ANY,
    ),
    _shape("definition", _TOPIC + r"[^.;]{0,40}\b(?:means|indicates|is returned)\b", _ANY),
    _shape(
        "warning ahead",
        r"\b(?:approaching|nearing|close to)\b|(?<!\d)\d{1,2}(?:\.\d+)?% (?:of|used)\b",
        _ANY,
    ),
    _shape(
        "report",
        _TOPIC
        + r".{0,120}\b(?:is|are|now|was|were|been|get|gets) (?:now )?(?:retried|handled|caught"
        r"|logged|recogni[sz]ed|tested|covered|fixed|added|implemented|documented|supported)\b",
        _ANY,
    ),
    _shape(
        "condition",
        r"\b(?:when|whenever|if|in case|unless)\b[^.;]{0,60}" + _TOPIC,
        _ANY,
    ),
    _shape(
        "rule",
        r"\b(?:returns?|answers?|responds?|raises?|throws?|expect(?:s|ed)?|should|must|adds?|added"
        r"|fix(?:es|ed)?|handl(?:es?|ed|er|ing)|mentions?|documents?|retries)\b[^.;]{0,40}"
        + _TOPIC,
        _ANY,
    ),
)
