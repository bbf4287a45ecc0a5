"""At the start: secrets whose change was broken off, and those that are not there any more."""

import logging

from roundtable_desktop.engine.desk import Desk
from roundtable_desktop.model.webhooks import SigningMode
from roundtable_desktop.store import agents, routines, webhooks

log = logging.getLogger(__name__)


def settle(desk: Desk) -> None:
    """A change holds if it was committed. A webhook whose secret is gone, as after a restore, takes
    no call any more until somebody gives it another one, and its page says so."""

    def revision_of(owner: str) -> int | None:
        with desk.store.transaction() as tx:
            found = agents.get(tx, owner) or routines.get(tx, owner)
        return None if found is None else found.revision

    desk.secrets.settle(revision_of)
    with desk.store.transaction() as tx:
        for trigger in webhooks.every(tx):
            signs = trigger.signing_mode is not SigningMode.NONE
            missing = signs and not desk.secrets.get(trigger.routine_id).get(trigger.id)
            if missing is not trigger.secret_missing:
                webhooks.say_missing(tx, trigger, missing)
            if missing:
                log.warning("a webhook has no secret any more trigger=%s", trigger.id)
