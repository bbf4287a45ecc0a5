"""What a run tells beside its row: how its conversation began, and what it left running."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundtable_desktop.engine import spoken
from roundtable_desktop.model.kinds import Kind
from roundtable_desktop.model.records import Run, Subject
from roundtable_desktop.rules import fitting
from roundtable_desktop.rules.fitting import Misfit
from roundtable_desktop.store import events
from roundtable_desktop.store.db import Reader

ANEW = "anew"


@dataclass(frozen=True, slots=True)
class Beside:
    """loaded: it went on with an earlier conversation; None before that is known, and for an agent
    that has none. anew: the code for why it did not, where there was one; note: in the agent's
    own words. swept: processes that were ended after it. said: what a person told its agent.
    memory: bytes that it had in use at once, and most_memory that it might; None while nothing is
    known. unfit: its report, if that was not taken, and misfits: why."""

    loaded: bool | None
    anew: str | None
    note: str
    swept: int
    said: list[spoken.Said]
    memory: int | None = None
    most_memory: int | None = None
    unfit: str | None = None
    misfits: Sequence[Misfit] = ()


class LookRuns:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def beside(self, run: Run) -> Beside:
        with self._reader.snapshot() as view:
            told = events.of(view, Subject("run", run.id), only=_OF_SESSIONS)
            words = spoken.to(view, run.id)
        said = {event.kind: event.data for event in told}
        opened = said.get(Kind.SESSION_OPENED, {})
        dropped = said.get(Kind.SESSION_DROPPED)
        note = str(opened.get("note") or "")
        anew = f"{ANEW}_{dropped['reason']}" if dropped else ANEW if note else None
        loaded = bool(opened["loaded"]) if opened else None
        end = _end(run)
        return Beside(
            loaded,
            anew,
            note,
            swept=end.get("swept") or 0,
            said=words,
            memory=end.get("memory") or None,
            most_memory=end.get("most_memory") or None,
            unfit=_unfit(run),
            misfits=fitting.kept(run.result_json),
        )


_OF_SESSIONS = (Kind.SESSION_OPENED, Kind.SESSION_DROPPED)


def _unfit(run: Run) -> str | None:
    sent = run.result_json.get("unreadable")
    return None if sent is None else str(sent)


def _end(run: Run) -> Mapping[str, Any]:
    end = (run.ended or {}).get("end")
    return end if isinstance(end, dict) else {}
