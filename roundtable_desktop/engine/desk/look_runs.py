"""What a run tells beside its row: how its conversation began, and what it left running."""

from dataclasses import dataclass

from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Run, Subject
from roundtable_desktop.store import events
from roundtable_desktop.store.db import Reader

ANEW = "anew"


@dataclass(frozen=True, slots=True)
class Beside:
    """loaded: it went on with an earlier conversation; None before that is known, and for an agent
    that has none. anew: the code for why it did not, where there was one; note: in the agent's
    own words. swept: processes that were ended after it."""

    loaded: bool | None
    anew: str | None
    note: str
    swept: int


class LookRuns:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def beside(self, run: Run) -> Beside:
        with self._reader.snapshot() as view:
            told = events.of(view, Subject("run", run.id), only=_OF_SESSIONS)
        said = {event.kind: event.data for event in told}
        opened = said.get(Kind.SESSION_OPENED, {})
        dropped = said.get(Kind.SESSION_DROPPED)
        note = str(opened.get("note") or "")
        anew = f"{ANEW}_{dropped['reason']}" if dropped else ANEW if note else None
        loaded = bool(opened["loaded"]) if opened else None
        return Beside(loaded, anew, note, _swept(run))


_OF_SESSIONS = (Kind.SESSION_OPENED, Kind.SESSION_DROPPED)


def _swept(run: Run) -> int:
    end = (run.ended or {}).get("end")
    return int(end.get("swept") or 0) if isinstance(end, dict) else 0
