"""Reads what an agent sends as strictly as the other doors do, before the SDK sees it."""

import json
import re

from roundtable_desktop.model.errors import Invalid

DEPTH_LIMIT = 64
INTEGER_LIMIT = 2**63  # what SQLite holds
UNCLEAN = re.compile("[\0\ud800-\udfff]")  # no column takes NUL, no encoding half a pair
KEY = re.compile(r"[!-~]{1,200}", re.ASCII)


def check_message(body: bytes) -> None:
    """One JSON-RPC message in strict JSON, and nothing that breaks a parser or a column behind
    this (S-57, S-58). Raises Invalid."""
    try:
        message = json.loads(
            body.decode(),
            object_pairs_hook=_once_each,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_storable,
        )
    except (ValueError, RecursionError):
        raise Invalid("unreadable_json") from None
    if not isinstance(message, dict):
        raise Invalid("one_message")
    _check_inside(message)


def _check_inside(message: object) -> None:
    """Level by level, so that depth is counted and never recursed into."""
    level: list[object] = [message]
    for _ in range(DEPTH_LIMIT):
        inner: list[object] = []
        for value in level:
            if isinstance(value, dict):
                inner += [*value.keys(), *value.values()]
            elif isinstance(value, list):
                inner += value
            elif isinstance(value, str) and UNCLEAN.search(value):
                raise Invalid("unclean_text")
        if not inner:
            return
        level = inner
    raise Invalid("unreadable_json")


def check_key(key: str | None) -> None:
    """An `Idempotency-Key` as all our doors take it. Raises Invalid."""
    if key is not None and not KEY.fullmatch(key):
        raise Invalid("bad_idempotency_key")


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    read = dict(pairs)
    if len(read) != len(pairs):
        raise ValueError("one name twice in an object")
    return read


def _no_constant(word: str) -> object:
    raise ValueError("NaN and Infinity are not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError("beyond a double")
    return value


def _storable(digits: str) -> int:
    value = int(digits)
    if not -INTEGER_LIMIT <= value < INTEGER_LIMIT:
        raise ValueError("beyond 64 bits")
    return value
