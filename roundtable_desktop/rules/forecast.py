"""What so many runs will use, from what the last ones used (N-14)."""

from collections.abc import Sequence

from roundtable_desktop.model.usage import Ahead, Expected, Range, Used


def expected(routine_id: str, name: str, runs: int, before: Sequence[Used]) -> Expected:
    tokens = [one.tokens for one in before if one.tokens is not None]
    costs = [one.cost_nano for one in before if one.cost_nano is not None]
    return Expected(
        routine_id,
        name,
        runs,
        _range(tokens, runs),
        _range(costs, runs),
        (len(tokens), len(costs)),
        bool(before) and all(one.included for one in before),
    )


def _range(known: Sequence[int], runs: int) -> Range:
    if not known:
        return None, None
    return at(known, 50) * runs, at(known, 90) * runs


def at(known: Sequence[int], percent: int) -> int:
    """The value that so many percent of them do not exceed."""
    ordered = sorted(known)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def ahead(items: Sequence[Expected]) -> Ahead:
    """Sums of what is known; of how many routines nothing is, stands beside them."""
    unknown = sum(one.tokens[0] is None for one in items)
    tokens, cost = [one.tokens for one in items], [one.cost_nano for one in items]
    return Ahead(items, _summed(tokens), _summed(cost), unknown)


def _summed(parts: Sequence[Range]) -> Range:
    halves = [one[0] for one in parts if one[0] is not None]
    nine = [one[1] for one in parts if one[1] is not None]
    return (sum(halves) if halves else None), (sum(nine) if nine else None)
