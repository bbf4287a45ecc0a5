"""What a wakeup is called at one glance: the promised words, and no code."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from roundtable_desktop.dashboard import badges
from roundtable_desktop.model.states import WakeupOutcome, WakeupStatus
from roundtable_desktop.rules import admission

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def wakeup(status: WakeupStatus, **more: object) -> Any:
    words = {"outcome": None, "cancel_reason": None, "decisions": (), "reason": "assigned"}
    return SimpleNamespace(status=status, **{**words, **more})


def cancelled(reason: str, status: str = "") -> str:
    looked = {"gate": "staleness", "detail": {"task_id": "t", "status": status}}
    gone = WakeupStatus.CANCELLED
    return badges.state_of(wakeup(gone, cancel_reason=reason, decisions=(looked,)))[1]


@pytest.mark.proves("K-63 badges")
def test_the_promised_words_are_said_verbatim() -> None:
    assert cancelled("assignee_changed") == "Cancelled - assignee changed"
    assert cancelled("task_terminal", "done") == "Cancelled - task completed"
    assert cancelled("task_terminal", "cancelled") == "Cancelled - task cancelled"
    assert cancelled(admission.RETRY_TASK_CANCELLED) == "Cancelled - task cancelled"
    assert cancelled(admission.RETRY_STALE_ASSIGNEE) == "Cancelled - retry stale"
    made_again = wakeup(WakeupStatus.QUEUED, reason="recovery_sweep")
    assert badges.recovered(made_again) == "Recovered"
    assert badges.recovered(wakeup(WakeupStatus.QUEUED)) == ""


@pytest.mark.proves("K-63 badges")
def test_every_state_has_words() -> None:
    for status in WakeupStatus:
        for outcome in (None, *WakeupOutcome):
            _tone, word = badges.state_of(wakeup(status, outcome=outcome))
            assert word and "_" not in word, (status, outcome)
    assert cancelled("something_new") == "Cancelled"
