"""What is no provider's own word: lines of code, tests and logs, and sentences about limits."""

import re
from dataclasses import dataclass

_ANY = re.ASCII | re.IGNORECASE


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of line or sentence that no provider writes. name: what it is."""

    name: str
    pattern: re.Pattern[str]


def _shape(name: str, pattern: str, flags: re.RegexFlag = re.ASCII) -> Shape:
    return Shape(name, re.compile(pattern, flags))


_CODE_FILE = (
    r"\.(?:pyi?|tsx?|jsx?|mjs|go|rs|java|kt|rb|php|cc?|cpp|hh?|cs|swift|sh|sql|html|css|md|rst|txt"
    r"|json|ya?ml|toml|log)\b"
)

LINES = (
    _shape(
        "diff", r"^(?:diff --git |index [0-9a-f]{7}|@@ |\+\+\+ |\+(?!\d)|---? ?[ab]/|-[^\s\d-])"
    ),
    _shape("comment or heading", r"^(?:#{1,6} |//|/\*|\*/|<!--|>|\"\"\"|'''|\|.*\|$)"),
    _shape("numbered place", rf"^[\w./\\@+-]+{_CODE_FILE}[:(]\d"),
    _shape("frame", r"^(?:File \"|at .*:\d+:\d+\)?$|at [\w.$<>]+\(|from .*:\d+:in |\.{3} \d+ )"),
    _shape("test", r"^(?:PASS|FAIL|SKIP|XFAIL)(?:ED)? +\["),
    _shape(
        "test", r"^(?:PASS|FAIL|SKIP|XFAIL|ERROR)(?:ED)? +[\w./-]+(?:::|\.(?:py|[jt]sx?|go|rs)\b)"
    ),
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
        "change",
        r"^(?:[*-] )?(?:add(?:ed)?|change[ds]?|fix(?:ed|es)?|update[ds]?|remove[ds]?|feat|docs"
        r"|tests?|chore|refactor)(?:\([\w-]+\))?!?[: ]",
        _ANY,
    ),
)

_TOPIC = r"(?:rate.?limit|\b429\b|too.many.requests|quota|retry.after)"

SENTENCES = (
    _shape(
        "work on it",
        r"\b(?:implement|refactor|pars(?:e[ds]?|er|ing)|detect(?:s|ing|or|ion)?|mock(?:s|ed|ing)?"
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
        r"\b(?:when(?! your)|whenever|if|in case|unless)\b[^.;:]{0,60}" + _TOPIC,
        _ANY,
    ),
    _shape("policy", r"\b(?:back(?:s|ed)? off|retry|retrying) on [^.;:]{0,20}" + _TOPIC, _ANY),
    _shape(
        "rule",
        r"\b(?:returns?|answers?|responds?|raises?|throws?|expect(?:s|ed)?|should|must|adds?|added"
        r"|fix(?:es|ed)?|handl(?:es?|ed|er|ing)|mentions?|documents?|retries)\b[^.;:]{0,40}"
        + _TOPIC,
        _ANY,
    ),
)


def code(line: str) -> bool:
    return any(shape.pattern.search(line) for shape in LINES)


def talk(sentence: str) -> bool:
    """Whether it only speaks of limits: of what is done about them, or will be."""
    return any(shape.pattern.search(sentence) for shape in SENTENCES)
