"""Turns as agents ask for them: to be the only one at something for a while (R-16, C-54)."""

from roundtable_desktop.engine import turns as flow
from roundtable_desktop.engine.desk.in_name import Answer, InName
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.records import Actor, Run, Subject
from roundtable_desktop.model.turns import Turn, TurnStatus
from roundtable_desktop.store import runs, turns
from roundtable_desktop.store.db import Tx, View

DONE = "completed"
TOLD = "turn_told"
"""In what is kept of a run's end: the turn of which it was told that it takes long."""


class Turning(InName):
    def request(self, holder: Holder, reason: str, key: str | None) -> Answer:
        clean = self._clean(holder, reason)

        def act(tx: Tx, run: Run) -> Subject:
            return Subject("turn", flow.request(tx, self._desk.ids, run, clean).id)

        return self._shown(self._once(holder, key, f"turn:{reason}", act, turns.get))

    def start(self, holder: Holder, key: str | None) -> Answer:
        """Its agent's, which has come. Of the run that has it already it is no new one."""

        def act(tx: Tx, run: Run) -> Subject:
            turn = self._own(tx, run)
            if turn.status is TurnStatus.REQUESTED:
                raise Conflict("turn_waits", place=_place(tx, turn))
            if turn.status is TurnStatus.STARTED and turn.run_id != run.id:
                raise Conflict("turn_of_another_run")
            if turn.status is TurnStatus.SCHEDULED:
                flow.start(tx, turn, run)
            return Subject("turn", turn.id)

        return self._shown(self._once(holder, key, "turn_start", act, turns.get))

    def complete(self, holder: Holder, text: str, key: str | None) -> Answer:
        clean = self._clean(holder, text)

        def act(tx: Tx, run: Run) -> Subject:
            turn = self._own(tx, run)
            if turn.status is not TurnStatus.STARTED or turn.run_id != run.id:
                raise Conflict("turn_not_started")
            actor = Actor("agent", run.agent_id)
            flow.complete(tx, self._desk.ids, turn, clean or DONE, actor)
            return Subject("turn", turn.id)

        return self._shown(self._once(holder, key, f"turn_complete:{text}", act, turns.get))

    def notice(self, tx: Tx, run: Run) -> str | None:
        """That its turn takes long, once."""
        turn = overdue(tx, run)
        if turn is None:
            return None
        runs.keep_ended(tx, run, {TOLD: turn.id})
        return LONG

    def _own(self, tx: Tx, run: Run) -> Turn:
        turn = flow.own(tx, run)
        if turn is None:
            raise Conflict("no_turn")
        return turn

    def _shown(self, turn: Turn) -> Answer:
        with self._reader.snapshot() as view:
            return shown(view, turn)


LONG = (
    "Your turn has lasted 15 minutes, and others may wait for theirs. Bring it to an end with"
    " turn_complete; after an hour it is over by itself."
)


def overdue(view: View, run: Run) -> Turn | None:
    """The turn that the run holds, where that takes long and it was not told."""
    turn = flow.own(view, run)
    holds = turn is not None and turn.run_id == run.id and turn.overdue_at is not None
    return turn if turn and holds and (run.ended or {}).get(TOLD) != turn.id else None


def shown(view: View, turn: Turn) -> dict[str, object]:
    """place: how many come before it."""
    body: dict[str, object] = {"turn_id": turn.id, "status": str(turn.status)}
    if turn.status is TurnStatus.REQUESTED:
        body["place"] = _place(view, turn)
    return body


def _place(view: View, turn: Turn) -> int:
    return [one.id for one in turns.open_in(view, turn.scope)].index(turn.id)
