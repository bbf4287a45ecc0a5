"""Asks an agent that has worked past its soft limit how it stands, with the answer of a tool: in
the middle of its turn nothing else can be said (A-22)."""

from roundtable_desktop.model.messages import Deadline
from roundtable_desktop.model.records import Run
from roundtable_desktop.store import runs
from roundtable_desktop.store.db import Tx

PAST = "soft"
"""In what is kept of a run's end: the number of the message by which its soft limit came last."""
ASKED = "soft_asked"
"""There too: of those, the one that its agent was asked after."""

HOW = (
    "You have worked on this for a long time. Say with task_progress how far you are: what is done,"
    " what is half done, what comes next. Then go on. If you cannot get any further, report that"
    " with task_result instead."
)
OF_REVIEWS = (
    "You have looked at this for a long time. Say with vote_cast what you think of it as soon as"
    " you know that; if you cannot tell, abstain and say why."
)
"""A review has no other tool to say it with (K-71)."""


def come(tx: Tx, run: Run, due: Deadline) -> None:
    """It comes again as long as the agent does something (`runner.deadlines`)."""
    if due.which == "soft":
        runs.keep_ended(tx, run, {PAST: due.seq})


def is_due(run: Run) -> bool:
    marks = run.ended or {}
    return PAST in marks and marks[PAST] != marks.get(ASKED)


def ask(tx: Tx, run: Run) -> str | None:
    """What is to be told, once for each time that the limit came."""
    if not is_due(run):
        return None
    runs.keep_ended(tx, run, {ASKED: (run.ended or {})[PAST]})
    return OF_REVIEWS if run.gate_id else HOW
