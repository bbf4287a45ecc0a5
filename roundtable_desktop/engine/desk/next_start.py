"""What a start of Roundtable would do now, told before it is done: from what start itself reads."""

from collections.abc import Iterator, Mapping

from roundtable_desktop.store import counts, proposals, runs, settings
from roundtable_desktop.store.db import View

Told = tuple[str, Mapping[str, object]]
"""A code of `phrases.doctor`, and its values."""


def of(view: View) -> Iterator[Told]:
    """In the order of a start: the database, the port, runs, deliveries, the queue."""
    home = settings.of_home(view)
    yield "next_opens", {}
    yield ("next_port", {"port": home.port}) if home.port else ("next_port_any", {})
    live = runs.count_live(view)
    yield ("next_runs", {"count": live}) if live else ("next_no_runs", {})
    if begun := len(proposals.intended(view)):
        yield "next_deliveries", {"count": begun}
    waiting = {"count": counts.queued(view), "intake": home.intake}
    yield "next_waiting" if home.intake == "open" else "next_waiting_closed", waiting
