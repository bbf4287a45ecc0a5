"""Whose account at a provider an agent uses, and how long a limit holds it (C-37)."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from roundtable_desktop.model.holds import ProviderHold
from roundtable_desktop.model.states import Adapter, ErrorKind, HoldState
from roundtable_desktop.model.verdicts import Answer, Go, Hold, Values
from roundtable_desktop.rules.retry import BACKOFF, wakeup_retry_at

HOLDING = (ErrorKind.RATE_LIMITED, ErrorKind.QUOTA_LIMITED)
"""What is the account's; an overloaded provider is everybody's, and each tries for itself."""

ACCOUNT_CHARS = 200
_HEAD, _TAIL = 120, 79

# Migration 0004 says the same of rows that were there before; a test holds the two together.
_RUNS_OTHERS = re.compile(
    r"(sh|bash|dash|zsh|fish|ksh|env|sudo|nice|nohup|timeout|npx|npm|pnpm|yarn|bunx?|node|deno"
    r"|uvx?|pipx|python[0-9.]*|ruby|perl|php|java|docker|podman)"
)


def account_of(adapter: Adapter, command: Sequence[str], agent_id: str) -> str:
    """One program in one home is logged in once, so its name is the account. What only runs
    others says nothing by its name: there the whole command counts.

    The built-in agent calls no provider: each of them stands for itself.
    """
    if adapter is Adapter.DEMO:
        return f"demo-{agent_id[-8:]}"
    program = command[0].rpartition("/")[2]
    if program and not _RUNS_OTHERS.fullmatch(program):
        return program[:ACCOUNT_CHARS]
    whole = " ".join(command).replace("\n", " ")
    return whole if len(whole) <= ACCOUNT_CHARS else f"{whole[:_HEAD]}…{whole[-_TAIL:]}"


def same_model(named: str, told: str | None, others: str | None) -> bool:
    """Whether another agent of the account waits for the limit of a model as well. named: by the
    limit's text; told: to the run that met it, or None for its program's own default."""
    if others == told:
        return True
    return others is not None and named.casefold() in others.casefold()


def held_until(
    stated: datetime | None, tries: int, now: datetime, dice: Callable[[], float]
) -> datetime:
    """The provider's word, else a back-off that grows with each trial that failed."""
    guessed = wakeup_retry_at(min(tries, len(BACKOFF) - 1), now, dice)
    assert guessed is not None, "there is a delay for every step of it"
    return stated or guessed


def free(holds: Sequence[ProviderHold], now: datetime) -> Answer:
    """Whether a wakeup of an agent with these holds may start; the longest of them answers."""
    waits = [(until, one) for one in holds if (until := _until(one, now))]
    if not waits:
        return Go()
    until, hold = max(waits, key=lambda pair: pair[0])
    detail: Values = {"account": hold.account, "kind": hold.kind, "model": hold.model}
    return Hold(_reason(hold, now), until, detail)


def _until(hold: ProviderHold, now: datetime) -> datetime | None:
    if hold.until_at > now:
        return hold.until_at
    over = hold.trial_until_at
    return over if hold.trying and over is not None and over > now else None


def _reason(hold: ProviderHold, now: datetime) -> str:
    if hold.until_at <= now:
        return "trial"
    if hold.state is HoldState.SPREAD:
        return "spread"
    return "model" if hold.agent_id else "account"
