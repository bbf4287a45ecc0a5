"""A routine's summary: written when its run has gone well, and read by the turns after it."""

from typing import Any

import pytest
from engine_stage import ASKED, Stage
from routine_stage import HEAVY, Routines

from roundtable_desktop.engine.desk import board
from roundtable_desktop.model.records import PERSON, Run, Subject
from roundtable_desktop.model.routines import Routine
from roundtable_desktop.model.states import InboxKind, Role, Severity, TaskStatus
from roundtable_desktop.model.summaries import Summary
from roundtable_desktop.rules import summary as rule
from roundtable_desktop.store import inbox, journal
from roundtable_desktop.store import summaries as stored
from roundtable_desktop.store import tasks as stored_tasks


def kept(routines: Routines, routine: Routine) -> Summary | None:
    with routines.stage.ground.reader.snapshot() as view:
        return stored.of_scope(view, routine.assignee_agent_id, f"routine:{routine.id}")


def content(routines: Routines, routine: Routine) -> str:
    found = kept(routines, routine)
    assert found is not None
    return found.content


def turn(routines: Routines, routine: Routine, **words: Any) -> Run:
    """One whole run of it."""
    routines.stage.clock.forward(minutes=1)
    routines.fire(routine)
    return routines.finish(routines.work(), **words)


@pytest.mark.proves("K-49", "K-73")
def test_the_second_turn_is_told_of_the_first(routines: Routines) -> None:
    routine = routines.add(None)
    first = turn(routines, routine, summary="Gave T-4 to Bob.", next="Ask Bob.")
    assert "# What you know" not in first.assembled_prompt and first.summary_injected == ""
    found = kept(routines, routine)
    assert found is not None and found.updated_by_run_id == first.id
    assert found.content_tokens == rule.tokens(found.content)
    assert found.updated_at >= first.created_at
    second = turn(routines, routine, summary="Asked Bob.")
    assert second.summary_injected == found.content and "Gave T-4 to Bob." in found.content
    assert "# What you know" in second.assembled_prompt
    assert second.summary_injected in second.assembled_prompt
    now = content(routines, routine)
    assert now.index("Asked Bob.") < now.index("Gave T-4 to Bob.")
    assert len(routines.stage.ground.rows("agent_continuation_summaries")) == 1


@pytest.mark.proves("K-49")
def test_a_long_one_is_told_in_part_and_kept_whole(routines: Routines) -> None:
    routine = routines.add(None)
    for number in range(5):
        turn(routines, routine, summary=f"{number}: {'漢' * 600}")
    whole = content(routines, routine)
    run = turn(routines, routine)
    assert len(whole) > 1500 and len(whole.encode()) <= 8192
    assert len(run.summary_injected) <= 1500 and run.summary_injected in run.assembled_prompt
    assert run.summary_injected.endswith(f"{rule.NEXT}\nContinue monitoring.\n")


@pytest.mark.proves("C-85")
def test_other_turns_without_a_task_read_the_newest_and_write_none(routines: Routines) -> None:
    stage = routines.stage
    older, newer = (routines.add(None, name=name) for name in ("Older", "Newer"))
    turn(routines, older, summary="An old thing.")
    turn(routines, newer, summary="A new thing.")
    before = stage.ground.rows("agent_continuation_summaries")
    stage.wake(routines.agent, "How is it?")
    run = routines.finish(routines.work(), summary="It is well.")
    assert "A new thing." in run.summary_injected and "An old" not in run.assembled_prompt
    assert "of your routine “Newer”" in run.assembled_prompt
    assert stage.ground.rows("agent_continuation_summaries") == before
    mine = turn(routines, older, summary="Another.")
    assert "An old thing." in mine.summary_injected and "A new" not in mine.assembled_prompt
    other = stage.agent(routines.workspace, name="Bob")
    stage.wake(other)
    assert routines.work().summary_injected == "", "it is another agent's"


@pytest.mark.proves("C-85")
def test_a_turn_about_a_task_reads_and_writes_none(routines: Routines) -> None:
    light, heavy = routines.add(None), routines.add(None, name="Heavy", template=HEAVY)
    turn(routines, light, summary="Looked.")
    routines.fire(heavy, what="it")
    run = routines.finish(routines.work())
    assert run.task_id is not None and run.summary_injected == ""
    assert "# What you know" not in run.assembled_prompt + run.resume_prompt
    assert kept(routines, heavy) is None


ENDS: list[dict[str, Any]] = [
    {"why": "silence", "code": -9},
    {"code": 1},
    {"result": {"status": "failed", "summary": "It is bad."}},
    {"result": {"status": "blocked", "blocked": {"owner": "user", "action": "Say how."}}},
    {"why": "interrupted", "code": None},
]


@pytest.mark.proves("K-51")
@pytest.mark.parametrize("end", ENDS, ids=["timed_out", "code", "failed", "blocked", "broken_off"])
def test_a_run_that_did_not_go_well_leaves_the_last_good_one(
    routines: Routines, end: dict[str, Any]
) -> None:
    routine = routines.add(None)
    turn(routines, routine, summary="Good.")
    before = kept(routines, routine)
    routines.fire(routine)
    routines.stage.finish(routines.work(), **end)
    assert kept(routines, routine) == before


@pytest.mark.proves("K-51")
def test_one_that_cannot_be_made_is_logged_and_made_by_the_next_run_that_goes_well(
    routines: Routines, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    routine = routines.add(None)
    turn(routines, routine, summary="Good.")
    before = kept(routines, routine)

    def broken(_: object) -> str:
        raise ValueError("no")

    with monkeypatch.context() as patch:
        patch.setattr(rule, "summary", broken)
        run = turn(routines, routine, summary="Lost.")
    assert (run.outcome, kept(routines, routine)) == ("no_changes", before)
    assert f"summary not made agent={run.agent_id}" in caplog.text and run.id in caplog.text
    assert routines.states(routine) == ["done", "done"], "its run and its firing end all the same"
    turn(routines, routine, summary="Better.")
    assert "Better." in content(routines, routine) and "Good." in content(routines, routine)


@pytest.mark.proves("K-51", "K-68 follow-ups")
def test_the_owner_that_dies_before_it_settles_writes_it_once_afterwards(
    routines: Routines,
) -> None:
    stage, routine = routines.stage, routines.add(None)
    turn(routines, routine, summary="First.")
    routines.fire(routine)
    run = routines.work()
    result = {"status": "completed", "summary": "Second.", "next": "Ask Bob."}
    stage.finish_later(run, result=result)
    assert "Second." not in content(routines, routine)
    stage.restart()
    routines.build()
    assert stage.play() == ["settle"]
    stage.completion.settle(run.id)
    text = content(routines, routine)
    assert text.count("Second.") == 1 and text.endswith("## Next action\nAsk Bob.\n")
    found = kept(routines, routine)
    assert found is not None and found.updated_by_run_id == run.id
    routines.fire(routine)
    assert routines.work().summary_injected == text


def coordinated(stage: Stage) -> Routines:
    return Routines(stage, role=Role.COORDINATOR)


@pytest.mark.proves("K-51", "K-50")
def test_a_coordinator_is_told_what_blocks_its_agents_and_what_happened_since(
    stage: Stage,
) -> None:
    routines = coordinated(stage)
    routine, bob = routines.add(None), stage.agent(routines.workspace, name="Bob")
    turn(routines, routine)
    first = content(routines, routine)
    assert rule.IDLE in first and rule.NO_NEWS in first and rule.NO_BLOCKERS in first
    stage.clock.forward(minutes=4)
    good, bad, held, loose = (
        stage.task(routines.workspace, title=title) for title in ("Good", "Bad", "Held", "Loose")
    )
    for task in (good, bad):
        to = TaskStatus.DONE if task is good else TaskStatus.FAILED
        with stage.store.transaction() as tx:
            stored_tasks.start(tx, task, run_id="r", attempt=1)
            begun = stored_tasks.get(tx, task.id)
            assert begun is not None
            stored_tasks.move(tx, begun, to, actor=PERSON)
    with stage.store.transaction() as tx:
        stored_tasks.assign(tx, held, bob.id, PERSON)
        signal: Any = "budget.threshold"
        where = routines.workspace.id
        journal.tell(tx, signal, Subject("agent", bob.id), workspace_id=where)
        about = Subject("agent", bob.id)
        kind, weight = InboxKind.AGENT_ERROR, Severity.ATTENTION
        for key in ("one", "two"):
            inbox.open_item(
                tx, key, kind, weight, key=key, subject=about, workspace_id=where, data={}
            )
    for task, owner in ((held, f"agent:{bob.id}"), (loose, "user")):
        board.block(
            stage.desk, ASKED, task.id, reason="none is left", owner=owner, action="Buy it."
        )
    turn(routines, routine)
    text = content(routines, routine)
    assert "Between 2026-03-01 12:01 UTC and 2026-03-01 12:06 UTC: 1 task completed, 1 task" in text
    assert "1 task failed, 2 agents given up, 1 budget signal." in text
    line = (
        f"- T-{held.number} “Held” (Bob): waits for agent Bob: Buy it. (none is left)."
        " Since 2026-03-01 12:05 UTC.\n"
    )
    assert line in text and "Loose" not in text, "nobody has that one"
    assert text.endswith("Find out why an agent was given up, and decide who does its work.\n")
    turn(routines, routine)
    later = content(routines, routine)
    assert "12:06 UTC: 1 task completed" in later, "what happened last is told on"
    assert later.endswith(
        f"Get out of the way what T-{held.number} waits for, or remind whoever has to.\n"
    )


@pytest.mark.proves("K-51")
def test_an_agent_that_coordinates_nobody_is_told_of_its_own_tasks_alone(
    routines: Routines,
) -> None:
    stage, routine = routines.stage, routines.add(None)
    bob = stage.agent(routines.workspace, name="Bob")
    for agent in (bob, routines.agent):
        task = stage.task(routines.workspace, title=f"Of {agent.name}")
        with stage.store.transaction() as tx:
            stored_tasks.assign(tx, task, agent.id, PERSON)
        board.block(stage.desk, ASKED, task.id, reason="", owner="coordinator", action="Say how.")
    turn(routines, routine)
    text = content(routines, routine)
    assert "“Of Ada” (Ada): waits for the coordinator: Say how." in text and "Bob" not in text
    assert "Under way: 1 blocked." in text
