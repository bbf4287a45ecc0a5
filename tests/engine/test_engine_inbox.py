"""An item of the inbox is put off, comes back at its time, and takes a note along where it can."""

from datetime import timedelta
from typing import Any

import pytest
from engine_graph_work import DONE, Work
from engine_stage import ASKED, Stage
from ground import JOAN

from roundtable_desktop.engine.desk import Asked, inbox
from roundtable_desktop.engine.loop import Loop
from roundtable_desktop.engine.routines import Routines
from roundtable_desktop.model.errors import Absent, Conflict, Invalid
from roundtable_desktop.model.records import InboxItem
from roundtable_desktop.model.states import InboxStatus, TaskStatus
from roundtable_desktop.store import inbox as stored

HOUR = timedelta(hours=1)
NEEDS = {"owner": "user", "action": "Choose a port."}


@pytest.fixture
def work(stage: Stage) -> Work:
    return Work(stage)


def stuck(work: Work, title: str = "It") -> InboxItem:
    """A task that asks its person something."""
    run = work.run(work.task(title))
    work.stage.finish(run, result={"status": "blocked", "summary": "", "blocked": NEEDS})
    return work.items(status="open")[0]


def now(work: Work, item: InboxItem) -> InboxItem:
    with work.stage.ground.reader.snapshot() as view:
        found = stored.get(view, item.id)
    assert found is not None
    return found


def counted(work: Work) -> int:
    with work.stage.ground.reader.snapshot() as view:
        return stored.count_open(view)


def look(work: Work) -> Any:
    """The loop's look; when it has to look again."""
    stage = work.stage
    routines = Routines(stage.store, stage.ids, lambda: 0.5)
    nothing: Any = lambda *_: None  # noqa: E731
    ones = (stage.dispatcher, routines, stage.clock, lambda: 0.5)
    return Loop(stage.store, *ones, nothing, nothing, nothing, nothing).tick()


@pytest.mark.proves("N-12 snooze")
def test_what_was_seen_is_open_still_and_new_when_it_happens_again(work: Work) -> None:
    item = stuck(work)
    seen = inbox.ack(work.stage.desk, ASKED, item.id)
    at = inbox.acked_at(seen)
    assert at is not None and seen.status is InboxStatus.OPEN and counted(work) == 1
    work.stage.clock.forward(seconds=60)
    assert inbox.acked_at(inbox.ack(work.stage.desk, ASKED, item.id)) == at
    assert stored.asked_with(seen) == item.data
    with work.stage.store.transaction() as tx:
        stored.ask_again(tx, seen, "w2")
    assert inbox.acked_at(now(work, item)) is None
    closed = inbox.resolve(work.stage.desk, ASKED, item.id)
    assert closed.status is InboxStatus.RESOLVED and counted(work) == 0
    with pytest.raises(Conflict, match="already_resolved"):
        inbox.ack(work.stage.desk, ASKED, item.id)


@pytest.mark.proves("N-12 snooze")
def test_it_is_not_counted_until_its_time_and_asked_again_then(work: Work) -> None:
    item, until = stuck(work), work.stage.clock.now() + HOUR
    inbox.snooze(work.stage.desk, ASKED, item.id, until)
    assert (now(work, item).status, counted(work)) == (InboxStatus.SNOOZED, 0)
    assert inbox.put_off_until(now(work, item)) == until
    assert look(work) == until
    work.stage.clock.forward(minutes=59)
    assert look(work) == until and counted(work) == 0
    later = until + HOUR
    inbox.snooze(work.stage.desk, ASKED, item.id, later)
    work.stage.clock.forward(minutes=2)
    assert look(work) == later, "it was put off again"
    work.stage.clock.forward(hours=1)
    assert look(work) is None and counted(work) == 1
    told = [one.kind for one in work.stage.ground.events() if one.subject_id == item.id]
    assert told == ["inbox.opened", "inbox.snoozed", "inbox.snoozed", "inbox.opened"]


@pytest.mark.proves("N-12 snooze")
def test_put_off_it_can_be_answered_and_goes_with_its_cause(work: Work) -> None:
    first, second = stuck(work, "One"), stuck(work, "Two")
    for item in (first, second):
        inbox.snooze(work.stage.desk, ASKED, item.id, work.stage.clock.now() + HOUR)
    inbox.act(work.stage.desk, ASKED, first.id, "retry")
    work.stage.ask_run(work.stage.ground.get_task(second.subject_id))
    assert {now(work, one).status for one in (first, second)} == {InboxStatus.RESOLVED}
    assert look(work) is None
    with pytest.raises(Conflict, match="already_resolved"):
        inbox.snooze(work.stage.desk, ASKED, first.id, work.stage.clock.now() + HOUR)


@pytest.mark.proves("N-12 snooze", "W-30 keys")
def test_a_time_that_cannot_be_and_a_repeat(work: Work) -> None:
    item, at = stuck(work), work.stage.clock.now()
    for until, why in ((at, "until_has_passed"), (at + 400 * 24 * HOUR, "too_far_ahead")):
        with pytest.raises(Invalid, match=why):
            inbox.snooze(work.stage.desk, ASKED, item.id, until)
    with pytest.raises(Absent, match="unknown_inbox_item"):
        inbox.snooze(work.stage.desk, ASKED, "nothing", at + HOUR)
    for _ in range(2):
        inbox.snooze(work.stage.desk, Asked(JOAN, "key", "print"), item.id, at + HOUR)
        work.stage.clock.forward(hours=2)
        look(work)
    assert now(work, item).status is InboxStatus.OPEN, "the repeat changes nothing"


@pytest.mark.proves("N-12 note")
def test_a_note_goes_along_where_somebody_reads_it(work: Work) -> None:
    item = stuck(work)
    task = work.stage.ground.get_task(item.subject_id)
    inbox.act(work.stage.desk, ASKED, item.id, "retry", "Take 8080.")
    assert "Take 8080." in work.run(task).assembled_prompt
    asks = work.task("Spec", requires_approval=True)
    work.stage.finish(work.run(asks), result=DONE)
    (approval,) = work.asked(asks)
    (item,) = work.items(kind="approval", status="open")
    inbox.act(work.stage.desk, ASKED, item.id, "reject", "What of 0?")
    assert approval.status == "requested" and work.now(asks).status is TaskStatus.IN_PROGRESS
    assert "What of 0?" in work.run(asks).assembled_prompt


@pytest.mark.proves("N-12 note")
def test_a_note_that_nobody_would_read_is_refused(work: Work) -> None:
    work.stage.wake(work.agent, "look around")
    run = work.stage.launch()
    work.stage.finish(run, result={"status": "blocked", "summary": "", "blocked": NEEDS})
    (item,) = work.items(status="open")
    with pytest.raises(Invalid, match="no_note_taken"):
        inbox.act(work.stage.desk, ASKED, item.id, "dismiss", "Never mind")
    assert now(work, item).status is InboxStatus.OPEN
