"""JSON as every door takes it: one meaning, and no value that a column could not hold."""

import json
import math
import re

DEPTH_LIMIT = 64
INTEGER_LIMIT = 2**63  # what SQLite holds; beyond it raises OverflowError, which is no ValueError
KEY = re.compile(r"[!-~]{1,200}", re.ASCII)
"""An `Idempotency-Key`."""


def parse(raw: bytes) -> object:
    """JSON in UTF-8; raises ValueError also for what Python would let pass: NaN, one name twice,
    depth (S-57, S-58)."""
    try:
        return json.loads(raw.decode(), object_pairs_hook=_once_each, parse_constant=_no_constant)
    except RecursionError as deep:
        raise ValueError("nested too deeply") from deep


def is_too_large(value: object) -> bool:
    """A number that no column holds."""
    if isinstance(value, float):
        return not math.isfinite(value)  # 1e999 is JSON
    return isinstance(value, int) and not -INTEGER_LIMIT <= value < INTEGER_LIMIT


def has_half_pair(text: str) -> bool:
    """Half of a surrogate pair: no encoding takes it."""
    return any("\ud800" <= c <= "\udfff" for c in text)


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("one name twice in an object")
    return read


def _no_constant(word: str) -> object:
    raise ValueError("NaN and Infinity are not JSON")
