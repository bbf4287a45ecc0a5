"""What sets a routine off, as somebody wants it: schedules, webhooks with their secrets, a hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from roundtable_desktop.engine.desk import Desk
from roundtable_desktop.engine.schedules import add_trigger, set_next
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.records import Workspace
from roundtable_desktop.model.routines import Routine, Trigger
from roundtable_desktop.model.states import TriggerKind
from roundtable_desktop.model.webhooks import SigningMode
from roundtable_desktop.rules import zones
from roundtable_desktop.rules.cron import parse
from roundtable_desktop.rules.webhooks import (
    LONGEST,
    OVERLAP,
    SHORTEST,
    previous_name,
    secret_fault,
)
from roundtable_desktop.store import routines
from roundtable_desktop.store.db import Tx

MOST_TRIGGERS = 20


@dataclass(frozen=True, slots=True)
class Wanted:
    """A trigger as somebody wants it. With an id it is one that is there; what is None stays as it
    is then (B-010).

    Of a webhook: secret None has one made where one is needed; rotate: a new one, and that of
    before counts for a day as well; accept_unsigned: that everybody may who knows the address.
    own_id: what one that is new will be called; `prepared` gives it.
    """

    kind: TriggerKind | None = None
    id: str | None = None
    cron_expression: str | None = None
    timezone: str | None = None
    enabled: bool | None = None
    signing_mode: SigningMode | None = None
    secret: str | None = field(default=None, repr=False)
    rotate: bool = False
    accept_unsigned: bool = False
    own_id: str | None = None


@dataclass(frozen=True, slots=True)
class Secrets:
    """What becomes of the secrets of a routine's webhooks, by the ids of their triggers. put: those
    that count from now on; made: which of them nobody has seen yet; kept: whose one of before
    counts as well for a while; gone: whose are taken away."""

    put: Mapping[str, str] = field(default_factory=dict, repr=False)
    made: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.put or self.gone)

    def applied(self, held: Mapping[str, str]) -> Mapping[str, str]:
        """Of all that the routine holds, what it holds from now on."""
        ended = self.gone | self.put.keys()
        names = ended | {previous_name(one) for one in ended}
        before = {previous_name(one): held[one] for one in self.kept if one in held}
        return {n: v for n, v in held.items() if n not in names} | before | dict(self.put)

    def shown(self) -> dict[str, str]:
        return {one: self.put[one] for one in self.made}


def prepared(
    desk: Desk, there: Sequence[Trigger], wanted: Sequence[Wanted]
) -> tuple[list[Wanted], Secrets]:
    """Before anything is written: ids of new webhooks, and secrets where one is needed."""
    _few_enough(wanted)
    known = {one.id: one for one in there if one.kind is TriggerKind.WEBHOOK}
    ready, made = [], _Collected(desk)
    named = [one.id for one in wanted if one.id is not None]
    for place, one in enumerate(wanted):
        if one.id in known and named.count(one.id) > 1:
            raise Invalid("trigger_twice", f"/triggers/{place}/id", id=one.id)
        before = known.pop(one.id, None) if one.id else None
        if before is None and not (one.id is None and one.kind is TriggerKind.WEBHOOK):
            ready.append(one)
            continue
        own = replace(one, own_id=before.id if before else desk.ids.new())
        made.take(own, before, f"/triggers/{place}")
        ready.append(own)
    left = {one.id for one in known.values() if one.signing_mode is not SigningMode.NONE}
    secrets = Secrets(
        made.put, frozenset(made.made), frozenset(made.kept), frozenset(made.gone | left)
    )
    return ready, secrets


class _Collected:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.put: dict[str, str] = {}
        self.made: set[str] = set()
        self.kept: set[str] = set()
        self.gone: set[str] = set()

    def take(self, one: Wanted, before: Trigger | None, pointer: str) -> None:
        was = before.signing_mode if before else None
        mode = one.signing_mode or was or SigningMode.HMAC_SHA256
        trigger_id = str(one.own_id)
        if mode is SigningMode.NONE:
            if was is not mode and not one.accept_unsigned:
                raise Invalid("webhook_unsigned", f"{pointer}/accept_unsigned")
            if one.secret is not None or one.rotate:
                raise Invalid("webhook_has_no_secret", f"{pointer}/secret")
            if was is not None and was is not mode:
                self.gone.add(trigger_id)
            return
        if one.secret is not None:
            if fault := secret_fault(mode, one.secret):
                raise Invalid(fault, f"{pointer}/secret", least=SHORTEST, most=LONGEST)
            self.put[trigger_id] = one.secret
        elif one.rotate or was in (None, SigningMode.NONE):
            self.put[trigger_id] = self._desk.ids.secret()
            self.made.add(trigger_id)
        if one.rotate and was is not None:
            self.kept.add(trigger_id)


def set_triggers(
    tx: Tx, desk: Desk, workspace: Workspace, routine: Routine, wanted: Sequence[Wanted]
) -> None:
    """The implicit one of a routine stays whatever is asked for: it can always be fired by hand
    (C-69)."""
    _few_enough(wanted)
    there = {one.id: one for one in routines.triggers_of(tx, [routine.id])[routine.id]}
    kept = []
    for place, one in enumerate(wanted):
        pointer = f"/triggers/{place}"
        if one.id is None:
            kept.append(_add(tx, desk, workspace, routine, one, pointer))
        elif one.id in there:
            kept.append(_keep(tx, workspace, routine, there[one.id], one, pointer))
        else:
            raise Invalid("unknown_trigger", f"{pointer}/id", id=one.id)
    manual = [one for one in there.values() if one.kind is TriggerKind.MANUAL]
    by_hand = [one for one in kept if one.kind is TriggerKind.MANUAL] + manual
    if by_hand:
        kept.append(by_hand[0])
    else:
        add_trigger(tx, desk.ids, routine, TriggerKind.MANUAL)
    ids = {one.id for one in kept}
    routines.drop_triggers(tx, [one for one in there if one not in ids])


def webhooks_of(triggers: Sequence[Trigger]) -> list[Wanted]:
    """As they are: for a change of the other triggers, which leaves them alone."""
    return [Wanted(id=one.id) for one in triggers if one.kind is TriggerKind.WEBHOOK]


def _few_enough(wanted: Sequence[Wanted]) -> None:
    if len(wanted) > MOST_TRIGGERS:
        raise Invalid("too_many_triggers", "/triggers", most=MOST_TRIGGERS)


def _add(
    tx: Tx, desk: Desk, workspace: Workspace, routine: Routine, wanted: Wanted, pointer: str
) -> Trigger:
    kind = wanted.kind or TriggerKind.SCHEDULE
    enabled = wanted.enabled is not False
    _check_kind(kind, wanted, pointer)
    if kind is TriggerKind.MANUAL:
        return add_trigger(tx, desk.ids, routine, kind, enabled=enabled)
    if kind is TriggerKind.WEBHOOK:
        assert wanted.own_id is not None, "prepared"
        return set_next(
            tx,
            routine,
            Trigger(
                id=wanted.own_id,
                routine_id=routine.id,
                kind=kind,
                cron_expression=None,
                timezone=_zone(wanted.timezone, workspace, pointer) if wanted.timezone else None,
                next_run_at=None,
                last_fired_at=None,
                enabled=enabled,
                public_id=desk.ids.secret(),
                signing_mode=wanted.signing_mode or SigningMode.HMAC_SHA256,
            ),
        )
    return add_trigger(
        tx,
        desk.ids,
        routine,
        kind,
        expression=_expression(wanted.cron_expression, pointer),
        zone=_zone(wanted.timezone, workspace, pointer),
        enabled=enabled,
    )


def _keep(
    tx: Tx, workspace: Workspace, routine: Routine, there: Trigger, wanted: Wanted, pointer: str
) -> Trigger:
    """Where nothing of its time was changed, its next instant stays."""
    if wanted.kind not in (None, there.kind):
        raise Invalid("trigger_keeps_kind", f"{pointer}/kind", kind=there.kind)
    _check_kind(there.kind, wanted, pointer)
    changes: dict[str, Any] = {}
    if there.kind is TriggerKind.SCHEDULE and wanted.cron_expression is not None:
        changes["cron_expression"] = _expression(wanted.cron_expression, pointer)
    if there.kind is not TriggerKind.MANUAL and wanted.timezone is not None:
        changes["timezone"] = _zone(wanted.timezone, workspace, pointer)
    if wanted.enabled is not None:
        changes["enabled"] = wanted.enabled
    if there.kind is TriggerKind.WEBHOOK:
        changes |= _signed(tx, there, wanted)
    now = replace(there, **changes)
    return there if now == there else set_next(tx, routine, now)


def _signed(tx: Tx, there: Trigger, wanted: Wanted) -> dict[str, Any]:
    """A secret that is replaced and not rotated is over at once; where none was, none goes on."""
    mode = wanted.signing_mode or there.signing_mode
    changes: dict[str, Any] = {"signing_mode": mode}
    held = there.signing_mode is not SigningMode.NONE and not there.secret_missing
    if wanted.rotate and held:
        changes |= {"previous_until": tx.now + OVERLAP, "secret_missing": False}
    elif (
        wanted.rotate or wanted.secret is not None or SigningMode.NONE in (mode, there.signing_mode)
    ):
        changes |= {"previous_until": None, "secret_missing": False}
    return changes


def _check_kind(kind: TriggerKind, wanted: Wanted, pointer: str) -> None:
    """What belongs to another kind would be taken and do nothing."""
    if kind is not TriggerKind.SCHEDULE and wanted.cron_expression:
        raise Invalid(f"{kind}_has_no_schedule", f"{pointer}/cron_expression")
    signs = wanted.signing_mode or wanted.secret is not None or wanted.rotate
    if kind is not TriggerKind.WEBHOOK and (signs or wanted.accept_unsigned):
        raise Invalid("only_webhooks_sign", f"{pointer}/kind", kind=kind)


def _expression(given: str | None, pointer: str) -> str:
    if not given:
        raise Invalid("schedule_wanted", f"{pointer}/cron_expression")
    parse(given, f"{pointer}/cron_expression")
    return given.strip()


def _zone(given: str | None, workspace: Workspace, pointer: str) -> str:
    """The name that holds from now on; an empty one is the workspace's (B-009)."""
    return zones.zone(given or "", workspace.timezone, f"{pointer}/timezone").key
