"""Tokens and money as pages show them: what is known, and how much of it is not."""

from collections.abc import Mapping
from typing import Any

from roundtable_desktop.model.usage import CostSource
from roundtable_desktop.phrases import _

CENT = 0.01


def dollars(amount: float) -> str:
    """`$12.30`; of less than a cent as much as says something."""
    return f"${amount:,.2f}" if amount >= CENT or amount == 0 else f"${amount:.4f}"


def tokens(count: int) -> str:
    """`12,345`, `1.2 M`."""
    return f"{count:,}" if count < 1_000_000 else f"{count / 1_000_000:,.1f} M"


def run_cost(usage: Mapping[str, Any]) -> str:
    """Of one run, as `Run.usage` keeps it."""
    cost, source = usage.get("cost_usd"), usage.get("cost_source")
    if cost is None:
        return _("included") if source == CostSource.INCLUDED else _("unknown")
    said = dollars(cost)
    if source == CostSource.PRICE_TABLE:
        said = _("about {cost}, by the list of prices").format(cost=said)
    partly = "cost_usd" in (usage.get("unknown") or ())
    return _("at least {figure}").format(figure=said) if partly else said


def run_tokens(usage: Mapping[str, Any], name: str) -> str:
    count = usage.get(name)
    if count is None:
        return _("unknown")
    partly = name in (usage.get("unknown") or ())
    return _("at least {figure}").format(figure=tokens(count)) if partly else tokens(count)
