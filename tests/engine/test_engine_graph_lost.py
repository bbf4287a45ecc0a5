"""Blockers that were lost while their dependents were over, or stayed over with them."""

import pytest
from engine_graph_work import Work
from engine_stage import Stage
from ground import JOAN

from roundtable_desktop.model.states import DependencySource, DependencyType, TaskStatus
from roundtable_desktop.store import dependencies


@pytest.fixture
def work(stage: Stage) -> Work:
    return Work(stage)


@pytest.mark.proves("C-42")
def test_what_is_opened_again_is_asked_about_what_was_lost_meanwhile(work: Work) -> None:
    first, second = work.task("First", agent=False), work.task("Second", retry_budget=0)
    work.stage.finish(work.run(second), result={"status": "failed", "summary": "no"})
    with work.stage.store.transaction() as tx:
        # Drawn while it ran; how it came to that is no matter here.
        kind, source = DependencyType.HARD, DependencySource.USER
        dependencies.add(tx, second, first, kind, reason="", source=source, actor=JOAN)
    work.move(first, TaskStatus.CANCELLED)
    assert not work.items(kind="blocker_lost"), "it is over itself"
    work.move(second, TaskStatus.TODO)
    assert work.now(second).status is TaskStatus.BLOCKED
    (item,) = work.items(kind="blocker_lost", status="open")
    assert (item.subject_id, item.data["blocker_id"]) == (second.id, first.id)


@pytest.mark.proves("C-42")
def test_what_fails_itself_asks_about_no_blocker_any_more(work: Work) -> None:
    first, second = work.task("First", retry_budget=0), work.task("Second", retry_budget=0)
    runs = work.run(first), work.run(second)
    with work.stage.store.transaction() as tx:
        kind, source = DependencyType.HARD, DependencySource.USER
        dependencies.add(tx, second, first, kind, reason="", source=source, actor=JOAN)
    failed = {"status": "failed", "summary": "no"}
    work.stage.finish(runs[0], result=failed)
    assert len(work.items(kind="blocker_lost", status="open")) == 1
    work.stage.finish(runs[1], result=failed)
    assert work.now(second).status is TaskStatus.FAILED
    assert not work.items(kind="blocker_lost", status="open")
