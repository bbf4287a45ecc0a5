"""Asks agents where they are before their person leaves, and keeps what they say (N-10)."""

import logging

from roundtable_desktop.engine.intake import LEAVING, STOPPED
from roundtable_desktop.model.checkpoints import Hearing
from roundtable_desktop.model.ports import Launcher, RunnerGone
from roundtable_desktop.model.records import Agent, Json, Run
from roundtable_desktop.model.states import Adapter, RunStatus
from roundtable_desktop.model.times import instant, micros
from roundtable_desktop.rules import leaving
from roundtable_desktop.store import agents, runs, settings
from roundtable_desktop.store.db import Store, Tx, View

log = logging.getLogger(__name__)

ASKED = "asked"
"""In what is kept of a run's end: it was broken off to be asked, so its end costs nothing; False
where it could not be."""
TOLD = "told"
"""There too: the time to leave that it was told with a tool's answer."""
NOTES = "notes"
"""There too: where it is, as it said by a tool since."""


def due(tx: Tx) -> list[str]:
    """The runs to be asked now."""
    home = settings.of_home(tx)
    if home.intake != LEAVING or home.intake_asks_at is None or home.intake_until is None:
        return []
    if not home.intake_asks_at <= micros(tx.now) < home.intake_until:
        return []
    return [run.id for run in runs.live(tx) if _can_be_asked(tx, run)]


def _can_be_asked(view: View, run: Run) -> bool:
    marks = run.ended or {}
    agent = agents.get(view, run.agent_id)
    if agent is None or not hears(agent) or run.status is not RunStatus.RUNNING:
        return False
    return not (marks.get("end") or marks.get(STOPPED) or ASKED in marks)


def hears(agent: Agent) -> bool:
    """A program that has got its prompt hears no more."""
    return agent.adapter is not Adapter.COMMAND


def ask(store: Store, launcher: Launcher, run_id: str) -> None:
    """What is not ready yet is asked again at the next look; a repeat after a crash does no harm:
    the runner asks once."""
    with store.transaction() as tx:
        home = settings.of_home(tx)
    if home.intake != LEAVING or home.intake_until is None:
        return
    words = leaving.question(instant(home.intake_until))
    try:
        answer = launcher.control(run_id, {"do": "checkpoint", "text": words})
    except RunnerGone:
        return
    if answer.get("why") == "not ready":
        return
    log.info("checkpoint run=%s asked=%s", run_id, answer.get("ok"))
    with store.transaction() as tx:
        run = runs.get(tx, run_id)
        if run is not None and run.status is RunStatus.RUNNING:
            runs.keep_ended(tx, run, {ASKED: answer.get("ok") is True})


def news(view: View, run: Run) -> int | None:
    """The time to leave that the run has not been told yet; 0: its person stays after all."""
    home, told = settings.of_home(view), (run.ended or {}).get(TOLD) or 0
    until = home.intake_until if home.intake == LEAVING else 0
    return None if until is None or until == told else until


def tell(tx: Tx, run: Run) -> str | None:
    """What is to be told with a tool's answer, once."""
    until = news(tx, run)
    if until is None:
        return None
    runs.keep_ended(tx, run, {TOLD: until})
    if not until:
        return leaving.STAYS
    return leaving.notice(instant(until), of_review=run.gate_id is not None)


def note(tx: Tx, run: Run, text: str) -> None:
    """Where a run is that was told of the leave; the last word counts."""
    if (run.ended or {}).get(TOLD):
        runs.keep_ended(tx, run, {NOTES: text})


def notes_of(ended: Json | None) -> str:
    """Where the agent was, in its own words; "" where it said nothing."""
    marks = ended or {}
    end = marks.get("end")
    said = end.get("checkpoint") if isinstance(end, dict) else None
    return str(said or marks.get(NOTES) or "")


def hearing(agent: Agent, run: Run) -> Hearing:
    marks = run.ended or {}
    if not hears(agent):
        return Hearing.DEAF
    if notes_of(marks):
        return Hearing.GIVEN
    if marks.get(ASKED):
        return Hearing.ASKED
    return Hearing.TOLD if marks.get(TOLD) else Hearing.WAITS
