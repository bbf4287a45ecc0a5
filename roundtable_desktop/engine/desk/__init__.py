"""The desk: one function per command of a person or an agent; every face calls the same ones."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Concatenate, ParamSpec, TypeVar

from roundtable_desktop.engine.config_watch import ConfigWatch
from roundtable_desktop.engine.parting import Parting
from roundtable_desktop.model.errors import Broken, Conflict
from roundtable_desktop.model.ports import Git, Ids, Launcher, ProcessFacts, Secrets
from roundtable_desktop.model.records import Actor, Process, Subject
from roundtable_desktop.store import keys
from roundtable_desktop.store.db import Store, Tx, View

P = ParamSpec("P")
R = TypeVar("R")

Measure = Callable[[Sequence[Process]], Sequence[ProcessFacts]]
"""The stored processes of a run and the children below them, as the machine shows them."""
EndLeft = Callable[[Sequence[ProcessFacts]], Sequence[ProcessFacts]]
"""Ends those of the processes that still live; answers those that are left."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks, and what makes asking twice harmless.

    key: the client's Idempotency-Key, if any; fingerprint: of the whole request.
    revision: what the client believes the row to be (`If-Match`).
    request_id: of the HTTP request, by which the log names it too (R-30).
    """

    actor: Actor
    key: str | None = None
    fingerprint: str = ""
    revision: int | None = None
    request_id: str = ""


class Desk:
    """What commands need. Faces hand it on; only the engine opens it."""

    def __init__(
        self,
        store: Store,
        git: Git,
        secrets: Secrets,
        ids: Ids,
        launcher: Launcher,
        measure: Measure,
        end_left: EndLeft,
        local_zone: str,
        config: ConfigWatch,
    ) -> None:
        self.store = store
        self.git = git
        self.secrets = secrets
        self.ids = ids
        self.launcher = launcher
        self.measure = measure
        self.end_left = end_left
        self.local_zone = local_zone
        self.config = config
        self.parting = Parting()


def once(
    tx: Tx,
    asked: Asked,
    act: Callable[[], Subject],
    show: Callable[[View, str], R | None],
) -> R:
    """Does `act` unless the same request did it before; answers with what is there now (W-30)."""
    made = done_before(tx, asked)
    if made is None:
        made = act()
        remember(tx, asked, made)
    found = show(tx, made.id)
    if found is None:
        raise Broken("vanished", type=made.type, id=made.id)
    return found


def done_before(tx: Tx, asked: Asked) -> Subject | None:
    """What the same request made earlier; raises Conflict when its key meant another one."""
    return keys.done_before(tx, asked.actor, asked.key, asked.fingerprint) if asked.key else None


def answers_before(
    show: Callable[[View, str], R | None],
) -> Callable[[Callable[Concatenate[Desk, Asked, P], R]], Callable[Concatenate[Desk, Asked, P], R]]:
    """For a command that asks git: what the same request made is looked for before that, so that
    asking again costs little, and is answered though what it names has gone since (W-30)."""

    def dress(
        act: Callable[Concatenate[Desk, Asked, P], R],
    ) -> Callable[Concatenate[Desk, Asked, P], R]:
        @functools.wraps(act)
        def dressed(desk: Desk, asked: Asked, /, *given: P.args, **named: P.kwargs) -> R:
            before = _made_before(desk, asked, show)
            return act(desk, asked, *given, **named) if before is None else before

        return dressed

    return dress


def _made_before(desk: Desk, asked: Asked, show: Callable[[View, str], R | None]) -> R | None:
    if not asked.key:
        return None
    with desk.store.transaction() as tx:
        made = done_before(tx, asked)
        return None if made is None else show(tx, made.id)


def remember(tx: Tx, asked: Asked, made: Subject) -> None:
    if asked.key:
        keys.remember(tx, asked.actor, asked.key, asked.fingerprint, made)


def check_revision(asked: Asked, revision: int) -> None:
    """Raises Conflict when the row is not the one that the client saw (W-26)."""
    if asked.revision is not None and asked.revision != revision:
        raise Conflict("changed_meanwhile", revision=revision)
