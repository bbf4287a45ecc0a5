"""The same failure has the same signature, whatever its line numbers and folders (A-07)."""

import hashlib
import re

_NOISE = (
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
    (re.compile(r"(/[\w.@+-]+)+/"), "/"),
    (re.compile(r"\b0x[0-9a-f]+\b", re.IGNORECASE), "#"),
    (re.compile(r"\b[0-9a-f]{7,64}\b", re.IGNORECASE), "#"),
    (re.compile(r"\d+"), "#"),
    (re.compile(r"\s+"), " "),
)
LINES = 20


def signature(kind: str, command: str, text: str) -> str:
    """16 hex digits of kind, program and what was said, without numbers, ids and folders."""
    said = "\n".join(text.strip().splitlines()[-LINES:])
    for pattern, replacement in _NOISE:
        said = pattern.sub(replacement, said)
    whole = "\n".join((kind, command, said.strip().lower()))
    return hashlib.sha256(whole.encode()).hexdigest()[:16]
