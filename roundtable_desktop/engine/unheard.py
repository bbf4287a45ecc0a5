"""Asks a person about a delivery that stood back for a word which nobody is going to hear."""

from roundtable_desktop.engine import blocked
from roundtable_desktop.model.ports import Ids
from roundtable_desktop.store import proposals, sweeps, tasks
from roundtable_desktop.store.db import Tx, View

WORD_UNHEARD = "word_unheard"
"""The wake that the word had made was settled without a run: its agent is paused, or somebody took
it back."""


def any_left(view: View) -> bool:
    return bool(sweeps.unheard(view, 1))


def ask(tx: Tx, ids: Ids, most: int) -> int:
    """How many were asked about; each once. The rule's decision stands, and so does the word: which
    of them counts is a person's to say."""
    found = sweeps.unheard(tx, most)
    for delivery_id in found:
        delivery = proposals.get_delivery(tx, delivery_id)
        assert delivery is not None
        proposal = proposals.get(tx, delivery.proposal_id)
        assert proposal is not None, "foreign keys hold"
        task = tasks.get(tx, proposal.task_id)
        assert task is not None, "foreign keys hold"
        reason = {"code": WORD_UNHEARD}
        proposals.hold_for(tx, delivery, reason)
        blocked.ask(tx, ids, delivery, proposal, task, reason)
    return len(found)
