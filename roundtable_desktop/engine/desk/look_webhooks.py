"""What the faces may see of webhooks: whose address it is, and what came there."""

from datetime import datetime

from roundtable_desktop.model.ports import Clock
from roundtable_desktop.model.routines import Routine, Trigger
from roundtable_desktop.model.webhooks import Delivery
from roundtable_desktop.store import webhooks
from roundtable_desktop.store.db import Reader


class LookWebhooks:
    def __init__(self, reader: Reader, clock: Clock) -> None:
        self._reader, self._clock = reader, clock

    def now(self) -> datetime:
        """By the product's clock: a sender signs with its time."""
        return self._clock.now()

    def at_address(self, public_id: str) -> Trigger | None:
        with self._reader.snapshot() as view:
            return webhooks.at_address(view, public_id)

    def deliveries(self, routine: Routine, after: str | None, limit: int) -> list[Delivery]:
        """Newest first."""
        with self._reader.snapshot() as view:
            return webhooks.of_routine(view, routine.id, after=after, limit=limit)
