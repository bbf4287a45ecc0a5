"""What becomes of a call to a webhook: it may not, it came before, or it sets its routine off."""

import logging
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from roundtable_desktop.engine import copied, routine_faults
from roundtable_desktop.engine.desk import Desk
from roundtable_desktop.engine.desk.look_webhooks import LookWebhooks
from roundtable_desktop.engine.firing import Shot, fire, values_of
from roundtable_desktop.model.errors import Conflict, InvalidFields
from roundtable_desktop.model.routines import Firing, Routine, Trigger
from roundtable_desktop.model.states import FiringSource, FiringStatus, RoutineStatus
from roundtable_desktop.model.webhooks import Delivery, Said
from roundtable_desktop.rules.redact import redact
from roundtable_desktop.rules.variables import TEXT_LIMIT, declared_of
from roundtable_desktop.rules.webhooks import Proof, held_now, proof
from roundtable_desktop.store import firings, routines, webhooks, workspaces
from roundtable_desktop.store.db import Tx

log = logging.getLogger(__name__)

A_MINUTE = 60
"""Calls of one trigger that may come in one."""
NOBODY = "nobody"
FIRED = "fired"


@dataclass(frozen=True, slots=True)
class Call:
    """delivery_id: as the sender named it, if it did. raw: the body as it came."""

    public_id: str
    said: Said
    delivery_id: str | None
    raw: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Proven:
    """A call that may. text: its body, without the trigger's own secrets if they stand in it."""

    call: Call
    trigger: Trigger
    proof: Proof
    text: bytes = field(repr=False)


def proven(desk: Desk, look: LookWebhooks, call: Call) -> Proven | None:
    """None where it may not, whatever the reason (S-51); the log alone has that."""
    trigger, now = look.at_address(call.public_id), look.now()
    listens = trigger is not None and trigger.enabled
    held = desk.secrets.get(trigger.routine_id if trigger else NOBODY)
    known = trigger.id if trigger else NOBODY
    until = trigger.previous_until if trigger else None
    secrets = held_now(held, known, until is not None and now < until)
    mode = trigger.signing_mode if trigger and listens else None
    found = proof(mode, secrets, call.said, call.raw, now)
    if found is None or trigger is None:
        why = "unsigned" if listens else "disabled" if trigger else "unknown"
        log.info("webhook refused why=%s trigger=%s", why, known)
        return None
    return Proven(call, trigger, found, _without(secrets, call.raw))


def _without(secrets: Sequence[str], raw: bytes) -> bytes:
    """A secret never enters the database, not even by its own sender."""
    if not any(one.encode() in raw for one in secrets):
        return raw
    return redact(raw.decode(errors="replace"), secrets).encode()


class Pace:
    """How many calls of each trigger came lately, by the product's clock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._came: dict[str, deque[datetime]] = {}

    def wait(self, trigger_id: str, now: datetime) -> int:
        """Seconds until one more may come: 0 where it may, and then it is counted."""
        with self._lock:
            came = self._came.setdefault(trigger_id, deque(maxlen=A_MINUTE))
            span = timedelta(minutes=1)
            while came and not timedelta(0) <= now - came[0] < span:
                came.popleft()
            if len(came) < A_MINUTE:
                came.append(now)
                return 0
            return max(1, -int((now - came[0] - span).total_seconds() // 1))


def put_down(desk: Desk, call: Proven, became: str) -> None:
    """A call that may, and that cannot be read: its sender may try again."""
    with desk.store.transaction() as tx:
        if _known(tx, call) is None and _listening(tx, call) is not None:
            _remember(tx, desk, call, became, None, payload=None)


def receive(desk: Desk, call: Proven, body: Mapping[str, object]) -> Firing | None:
    """The firing that this delivery made, now or before; all in one decision. None where the
    trigger was switched off or taken away meanwhile.

    Raises Conflict where the routine does not fire now, InvalidFields where its values cannot be
    taken.
    """
    with desk.store.transaction() as tx:
        routine = _listening(tx, call)
        if routine is None:
            return None
        before = _known(tx, call)
        if before is not None and before.firing_id is not None:
            webhooks.came_again(tx, before)
            made = firings.get(tx, before.firing_id)
            assert made is not None, "firings are never pruned"
            shot = _shot(tx, call, routine, made.scheduled_at, body)
        elif (closed := _closed(tx, routine)) is None:
            shot = _shot(tx, call, routine, tx.now, body)
            made = fire(tx, desk.ids, shot)
            routines.touch_fired(tx, call.trigger.id)
            _remember(tx, desk, call, _became(made), made.id, payload=call.text.decode())
        else:
            _remember(tx, desk, call, closed, None, payload=None)
            shot, made = None, None
    if shot is None or made is None:
        raise Conflict(str(closed), name=routine.name)
    if made.status is FiringStatus.FAILED and made.reason in routine_faults.UNFIT:
        raise _unfit(shot, made)
    return made


def _closed(tx: Tx, routine: Routine) -> str | None:
    """Why it does not fire now: a code. Its sender may come again."""
    if copied.waits(tx):
        return "webhook_home_copied"
    return None if routine.status is RoutineStatus.ACTIVE else f"routine_{routine.status}"


def _became(made: Firing) -> str:
    """The code of what came of it at once; how it ends is told by the firing."""
    if made.status is FiringStatus.FAILED:
        return str(made.reason)
    started = made.status not in (FiringStatus.SKIPPED, FiringStatus.COALESCED)
    return FIRED if started else str(made.status)


def _known(tx: Tx, call: Proven) -> Delivery | None:
    return webhooks.known(tx, call.trigger.id, call.call.delivery_id, call.proof.signed_hash)


def _listening(tx: Tx, call: Proven) -> Routine | None:
    """Asked again: it may have been switched off since it was looked up."""
    trigger = routines.trigger(tx, call.trigger.id)
    return routines.present(tx, trigger.routine_id) if trigger and trigger.enabled else None


def _shot(tx: Tx, call: Proven, routine: Routine, at: datetime, body: Mapping[str, object]) -> Shot:
    """Only what the routine declares is taken from what a stranger sent (S-56)."""
    workspace = workspaces.get(tx, routine.workspace_id)
    assert workspace is not None, "foreign keys hold"
    declared = {one.name for one in declared_of(routine.variables)}
    return Shot(
        routine=routine,
        trigger=replace(call.trigger, timezone=call.trigger.timezone or workspace.timezone),
        source=FiringSource.WEBHOOK,
        at=at,
        provided={name: value for name, value in body.items() if name in declared},
    )


def _remember(
    tx: Tx, desk: Desk, call: Proven, became: str, firing_id: str | None, payload: str | None
) -> None:
    webhooks.remember(
        tx,
        id=desk.ids.new(),
        routine_id=call.trigger.routine_id,
        trigger_id=call.trigger.id,
        delivery_id=call.call.delivery_id,
        signed_hash=call.proof.signed_hash,
        became=became,
        firing_id=firing_id,
        payload=payload,
    )


def _unfit(shot: Shot, made: Firing) -> InvalidFields:
    found = values_of(shot, "UTC")
    faults: list[tuple[str, str, Mapping[str, object]]] = [
        (f"/{name}", "variable_missing", {"name": name}) for name in found.missing
    ]
    faults += [(f"/{one.name}", one.code, one.values()) for one in found.faults]
    if made.reason == routine_faults.TOO_LONG:
        faults.append(("", routine_faults.TOO_LONG, {"limit": TEXT_LIMIT}))
    return InvalidFields("webhook_not_taken", faults, firing=made.id)
