"""Books what an agent says that it used, once, in the transaction that hears it."""

from collections.abc import Callable
from datetime import UTC, datetime

from roundtable_desktop.model.messages import Quota, Usage
from roundtable_desktop.model.records import Agent, Run
from roundtable_desktop.model.states import Adapter, ErrorKind
from roundtable_desktop.model.usage import CostSource, nanos
from roundtable_desktop.rules import prices
from roundtable_desktop.store import agents, quotas, settings, usage
from roundtable_desktop.store.db import Tx

NEVER_CAME = (ErrorKind.CLI_MISSING, ErrorKind.CLI_OUTDATED, ErrorKind.SPAWN_FAILED)
_LAST_SECOND = 4_102_444_800
"""The year 2100."""
_MOST_PERMILLE = 1_000_000


def book(tx: Tx, run: Run, said: Usage) -> None:
    """A reply that is told again takes the place of what was told of it; of a conversation's sum
    only what is new counts (B-173, B-174, B-175)."""
    agent = agents.get(tx, run.agent_id)
    assert agent is not None, "foreign keys hold"
    reply = _named(run, said)
    figures = _figures(tx, run, said, reply)
    told_cost = figures.pop("cost_usd")
    model = said.model or run.model
    cost, source = _cost(tx, run, agent, model, figures, told_cost)
    if said.of_run and told_cost is not None:
        usage.cover(tx, run.id, reply)
    counts_for = usage.put(
        tx,
        run,
        {
            "at": tx.now,
            "model": model,
            "reply": reply,
            "thread": said.thread or (run.id if said.sums else None),
            "sums": said.sums,
            **{name: None if one is None else int(one) for name, one in figures.items()},
            "cost_nano": cost,
            "cost_source": source,
            "raw": said.raw,
        },
    )
    usage.sum_up(tx, counts_for)


def learn(tx: Tx, run: Run, said: Quota, here: Callable[[datetime], datetime]) -> None:
    """What its agent's provider says of a window, for all who are paid by the same account. Of an
    instant that no calendar has, nothing is known."""
    agent = agents.get(tx, run.agent_id)
    assert agent is not None, "foreign keys hold"
    resets_at = None
    if said.resets_at is not None and 0 < said.resets_at < _LAST_SECOND:
        resets_at = here(datetime.fromtimestamp(said.resets_at, UTC))
    used = None if said.used is None else min(max(round(said.used * 1000), 0), _MOST_PERMILLE)
    values = {"name": said.window, "status": said.status, "used_permille": used}
    quotas.put(tx, run, agent.account, {**values, "resets_at": resets_at})


def ended(tx: Tx, run: Run, fault: ErrorKind | None) -> None:
    """Of a run that was at work and said nothing, that is kept: it counts as unknown (B-180). One
    whose agent never came has used nothing."""
    if run.started_at is None or fault in NEVER_CAME or not usage.nothing_told(tx, run):
        return
    agent = agents.get(tx, run.agent_id)
    assert agent is not None, "foreign keys hold"
    nothing = dict.fromkeys(("thread", "sums", *usage.FIGURES, "cost_nano"))
    source = CostSource.INCLUDED if is_included(agent) else None
    kept = {"at": tx.now, "model": run.model, "reply": f"{run.id}:none", "cost_source": source}
    usage.put(tx, run, {**nothing, **kept, "raw": {}})
    usage.sum_up(tx, run.id)


def is_included(agent: Agent) -> bool:
    """Its runs cost nothing more: a flat rate pays them, or nobody has to."""
    return agent.flat_rate or agent.adapter is Adapter.DEMO


def _named(run: Run, said: Usage) -> str:
    if said.reply:
        return f"reply:{said.reply}"
    return f"{run.id}:turn:{said.turn}" if said.turn is not None else f"{run.id}:{said.seq}"


def _figures(tx: Tx, run: Run, said: Usage, reply: str) -> dict[str, float | None]:
    """What was said of it, else what its conversation used since it was last told."""
    own: dict[str, float | None] = {
        "input_tokens": said.input_tokens,
        "output_tokens": said.output_tokens,
        "cached_tokens": said.cached_tokens,
        "cost_usd": said.cost_usd,
    }
    if not said.sums:
        return own
    before = usage.sums_before(tx, run.agent_id, said.thread or run.id, reply)
    for name, total in said.sums.items():
        if own[name] is None:
            own[name] = _since(total, (before or {}).get(name), fresh=said.fresh)
    return own


def _since(total: float, before: object, *, fresh: bool) -> float | None:
    """A sum that is smaller than before counts anew. Of a conversation that is older than what we
    know of it, nobody knows what is new."""
    if not isinstance(before, int | float):
        return total if fresh else None
    return total - before if total >= before else total


def _cost(
    tx: Tx,
    run: Run,
    agent: Agent,
    model: str | None,
    figures: dict[str, float | None],
    told: float | None,
) -> tuple[int | None, CostSource | None]:
    """What the agent or its provider says comes first; then the list; then nobody knows."""
    if is_included(agent):
        return None, CostSource.INCLUDED
    if told is not None:
        return nanos(max(told, 0.0)), CostSource.PROVIDER
    own = prices.own_prices(settings.of_workspace(tx, run.workspace_id).prices)
    price = prices.price_of(model, own)
    whole = {name: None if one is None else int(one) for name, one in figures.items()}
    cost = prices.cost_nano(price, **whole) if price else None
    return cost, None if cost is None else CostSource.PRICE_TABLE
