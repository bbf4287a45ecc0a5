"""Runs as they are looked for: by how they ended, by routine, by day and by words."""

from datetime import timedelta
from typing import Any

import pytest
from engine_graph_work import Work
from engine_stage import ASKED, Stage

from roundtable_desktop.engine.desk import run_again
from roundtable_desktop.engine.desk.look_lists import LookLists
from roundtable_desktop.model.errors import Absent, Conflict
from roundtable_desktop.model.records import Run
from roundtable_desktop.model.states import Source


@pytest.fixture
def work(stage: Stage) -> Work:
    return Work(stage)


def found(work: Work, **sought: Any) -> list[str]:
    return [one.id for one in LookLists(work.stage.ground.reader).runs(None, 50, **sought)]


def ended(work: Work, title: str, said: str, **words: Any) -> Run:
    result = {"status": "completed", "summary": said}
    return work.stage.finish(work.run(work.task(title)), result=result, **words)


@pytest.mark.proves("E-03 runs")
def test_each_way_of_looking_finds_its_own(work: Work) -> None:
    first = ended(work, "Sow 100% peas", "All rows are sown.")
    noon = work.stage.clock.now() + timedelta(minutes=1)
    work.stage.clock.forward(hours=1)
    second = ended(work, "Water_them", "Nothing was dry.")
    newest = [second.id, first.id]
    assert found(work) == newest
    assert found(work, outcome=str(first.outcome)) == newest and found(work, outcome="lost") == []
    assert found(work, q="SOWN") == found(work, q="100% p") == [first.id]
    assert found(work, q="r_t") == [second.id], "a wildcard is a letter like others"
    assert found(work, q="%") == [first.id]
    assert found(work, since=noon) == [second.id] and found(work, until=noon) == [first.id]
    assert found(work, task_id=(first.task_id,), agent_id=first.agent_id) == [first.id]
    assert found(work, routine_id="0" * 26) == []


@pytest.mark.proves("E-03 runs")
def test_a_run_that_is_over_is_tried_again_as_a_persons_word(work: Work) -> None:
    stage = work.stage
    task = work.task("Sow")
    run = work.run(task)
    with pytest.raises(Conflict, match="run_lives"):
        run_again.again(stage.desk, ASKED, run.id)
    stage.finish(run, code=1)
    again = ASKED.__class__(ASKED.actor, "key", "print")
    for _ in range(2):  # a repeat does nothing more
        run_again.again(stage.desk, again, run.id)
    assert len(work.wakeups(task, Source.USER)) == 1
    with pytest.raises(Absent):
        run_again.again(stage.desk, ASKED, "0" * 26)


@pytest.mark.proves("E-03 runs")
def test_one_without_a_task_has_its_causes_again(work: Work) -> None:
    stage = work.stage
    woken = stage.wake(work.agent, "Look at the weather.")
    run = stage.launch()
    stage.finish(run, result={"status": "completed"})
    run_again.again(stage.desk, ASKED, run.id)
    anew = stage.launch()
    assert anew.wakeup_id != woken.id and "Look at the weather." in anew.assembled_prompt
