"""Whether what a program said last is that it could not reach the network (B-026)."""

import re
from dataclasses import dataclass

from roundtable_desktop.model.messages import End
from roundtable_desktop.rules.limits.hearing import endings

_ANY = re.ASCII | re.IGNORECASE
_NEARBY = r"(?!.{0,40}(?:\b127\.|::1\b|\blocalhost\b|\b0\.0\.0\.0\b))"
"""What does not answer on this machine is a fault of the work."""


@dataclass(frozen=True, slots=True)
class Sign:
    """source: the program or library that says so."""

    source: str
    pattern: re.Pattern[str]


def _sign(source: str, pattern: str) -> Sign:
    return Sign(source, re.compile(pattern, _ANY))


SIGNS = (
    _sign("curl, git", r"\bcould(?: not|n't) resolve (?:host|proxy)\b"),
    _sign("glibc", r"\btemporary failure in name resolution\b|\bname or service not known\b"),
    _sign("macOS", r"\bnodename nor servname provided\b"),
    _sign("node", rf"\b(?:ENOTFOUND|EAI_AGAIN)\b{_NEARBY}"),
    _sign("node", r"\b(?:ENETUNREACH|ENETDOWN|EHOSTUNREACH)\b"),
    _sign("node", rf"\b(?:fetch failed|connect)\b.{{0,20}}\b(?:ECONN(?:REFUSED|RESET))\b{_NEARBY}"),
    _sign("node", rf"\bETIMEDOUT\b{_NEARBY}"),
    _sign("kernel", r"\bnetwork is (?:unreachable|down)\b|\bno route to host\b"),
    _sign("rust, codex 0.171", r"\bdns error\b|\bfailed to lookup address information\b"),
    _sign("reqwest, codex 0.171", rf"\berror sending request for url\b{_NEARBY}"),
    _sign("openai, anthropic", r"\bAPIConnectionError\b|^\W*connection error\W*$"),
    _sign("claude 2.1", r"\bAPI Error: .{0,40}\bconnection error\b"),
    _sign("claude 2.1", r"\bunable to connect to (?:the )?API\b"),
    _sign("chromium", r"\bERR_(?:INTERNET_DISCONNECTED|NAME_NOT_RESOLVED|NETWORK_CHANGED)\b"),
)


_OWN_WORD = re.compile(r"\W*API Error\b", _ANY)


def unreachable(end: End) -> bool:
    """By its error, else by the last lines of its error channel or of what it printed: what
    failed on the way, and was got over, is not why it ended. Where nothing failed it must be the
    agent program's own word, and not what the agent tells of its work."""
    said = (end.error.text if end.error else "", end.stderr, end.tail)
    last = next((text for text in said if text.strip()), "")
    failed = end.error is not None or end.exit_code not in (0, None)
    heard = [words for words in endings(last) if failed or _OWN_WORD.match(words)]
    return any(sign.pattern.search(words) for words in heard for sign in SIGNS)
