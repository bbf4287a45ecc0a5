"""Tokens and money as pages show them: what is known, and how much of it is not."""

from collections.abc import Callable, Mapping
from typing import Any

from roundtable_desktop.engine.desk.look_usage import Seen
from roundtable_desktop.model.budgets import Meter
from roundtable_desktop.model.usage import NANO, CostSource, Total
from roundtable_desktop.phrases import _, n_

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


def sum_tokens(total: Total, name: str) -> str:
    """What is known, and of how many runs nothing is."""
    count = getattr(total, name)
    known = _("unknown") if count is None else tokens(count)
    return _with_unknown(known, count is None, total.unknown_tokens_runs)


def sum_cost(total: Total) -> str:
    known, cost = [], total.cost_usd
    if cost is not None:
        said = dollars(cost)
        known.append(_("about {cost}").format(cost=said) if total.estimated_runs else said)
    if total.included_runs:
        said = n_("{count} run included", "{count} runs included", total.included_runs)
        known.append(said)
    return _with_unknown(", ".join(known) or _("unknown"), not known, total.unknown_cost_runs)


def _with_unknown(known: str, nothing: bool, runs: int) -> str:
    if not runs:
        return known
    if nothing:
        return n_("unknown ({count} run)", "unknown ({count} runs)", runs)
    return f"{known}, " + n_("{count} run unknown", "{count} runs unknown", runs)


def cap_used(seen: Seen) -> str:
    """`$3.20 of $5.00 (64 %)`, with what the budget cannot see."""
    now, meter = seen.standing, seen.budget.meter
    if now is None or now.spent is None:
        return _("How much of it is used is unknown.")
    if now.included and not now.spent and not now.unknown and meter is Meter.MONEY:
        return _("included: a flat rate pays what counts here")
    said = _("{spent} of {most} ({percent} %)").format(
        spent=amount(now.spent, meter), most=amount(now.allowed, meter), percent=now.percent
    )
    if now.unknown:
        said += ". " + n_(
            "It cannot see {count} run, whose use is unknown",
            "It cannot see {count} runs, whose use is unknown",
            now.unknown,
        )
    return said


def amount(value: int, meter: str) -> str:
    match meter:
        case Meter.MONEY:
            return dollars(value / NANO)
        case Meter.QUOTA:
            return f"{value / 10:g} %"
        case _:
            return tokens(value)


FILTERS: Mapping[str, Callable[..., str]] = {
    "run_cost": run_cost,
    "run_tokens": run_tokens,
    "sum_tokens": sum_tokens,
    "sum_cost": sum_cost,
    "cap_used": cap_used,
    "as_amount": amount,
}
"""What pages say amounts by."""
