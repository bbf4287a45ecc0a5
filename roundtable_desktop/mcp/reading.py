"""Reads what an agent sends as strictly as the other doors do, before the SDK sees it."""

from roundtable_desktop.model import strict
from roundtable_desktop.model.errors import Invalid


def check_message(body: bytes) -> None:
    """One JSON-RPC message in strict JSON, and nothing that breaks a parser or a column behind
    this (S-57, S-58). Raises Invalid."""
    try:
        message = strict.parse(body)
    except ValueError:
        raise Invalid("unreadable_json") from None
    if not isinstance(message, dict):
        raise Invalid("one_message")
    _check_inside(message)


def _check_inside(message: object) -> None:
    """Level by level, so that depth is counted and never recursed into."""
    level: list[object] = [message]
    for _ in range(strict.DEPTH_LIMIT):
        inner: list[object] = []
        for value in level:
            if isinstance(value, dict):
                inner += [*value.keys(), *value.values()]
            elif isinstance(value, list):
                inner += value
            elif isinstance(value, str) and ("\0" in value or strict.has_half_pair(value)):
                raise Invalid("unclean_text")
            elif strict.is_too_large(value):
                raise Invalid("unreadable_json")
        if not inner:
            return
        level = inner
    raise Invalid("unreadable_json")


def check_key(key: str | None) -> None:
    """An `Idempotency-Key` as all our doors take it. Raises Invalid."""
    if key is not None and not strict.KEY.fullmatch(key):
        raise Invalid("bad_idempotency_key")
