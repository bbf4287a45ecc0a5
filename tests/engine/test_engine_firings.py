"""What became of a firing is what became of the wakeup that really carried it."""

from dataclasses import replace

import pytest
from engine_stage import ASKED
from routine_stage import HEAVY, Routines

from roundtable_desktop.engine.desk import inbox, pausing
from roundtable_desktop.model.errors import Invalid
from roundtable_desktop.model.records import Json
from roundtable_desktop.model.routines import Template, Variable
from roundtable_desktop.model.states import ConcurrencyPolicy, FiringStatus
from roundtable_desktop.store import firings
from roundtable_desktop.store.wakeups import MOST_CAUSES


def paused(routines: Routines) -> None:
    pausing.pause(routines.stage.desk, ASKED, routines.agent.id)


def resumed(routines: Routines) -> None:
    pausing.resume(routines.stage.desk, ASKED, routines.agent.id)


@pytest.mark.proves("C-10", "C-69")
def test_a_firing_of_a_paused_agent_is_open_and_ends_with_the_run_after_the_resume(
    routines: Routines,
) -> None:
    routine = routines.add()
    paused(routines)
    routines.pass_time(minutes=5)
    assert routines.start() is None
    (firing,) = routines.firings(routine)
    assert (firing.status, firing.reason) == ("received", "agent_paused")
    resumed(routines)
    (firing,) = routines.firings(routine)
    assert (firing.status, firing.reason) == ("received", None)
    run = routines.work()
    assert run.wakeup_id == firing.wakeup_id
    routines.finish(run)
    (firing,) = routines.firings(routine)
    assert (firing.status, firing.run_id) == ("done", run.id)


@pytest.mark.proves("C-10", "C-69")
def test_what_a_resume_merges_names_the_run_that_heard_it(routines: Routines) -> None:
    routine = routines.add()
    paused(routines)
    for _ in range(3):
        routines.pass_time(minutes=5)
        assert routines.start() is None
    assert routines.states(routine) == ["received"] * 3
    resumed(routines)
    run = routines.work()
    assert len(run.causes()) == 3
    routines.finish(run)
    found = routines.firings(routine)
    assert [str(one.status) for one in found] == ["done", "coalesced", "coalesced"]
    assert found[0].run_id == run.id
    assert [one.coalesced_into_run_id for one in found[1:]] == [run.id, run.id]
    assert all(one.completed_at for one in found)


@pytest.mark.proves("C-10", "C-69")
def test_each_of_those_that_never_merge_gets_its_own_run(routines: Routines) -> None:
    routine = routines.add(concurrency_policy=ConcurrencyPolicy.ALWAYS_ENQUEUE)
    paused(routines)
    for _ in range(2):
        routines.pass_time(minutes=5)
        assert routines.start() is None
    resumed(routines)
    assert routines.work_all() == 2
    found = routines.firings(routine)
    assert {one.status for one in found} == {FiringStatus.DONE}
    assert len({one.run_id for one in found}) == 2


@pytest.mark.proves("C-69")
def test_a_failed_firing_that_a_person_tries_again_names_the_last_run(routines: Routines) -> None:
    routine = routines.add(None)
    routines.fire(routine)
    while (tried := routines.start()) is not None:
        routines.stage.finish(tried, why="crashed", code=1)
        routines.stage.clock.forward(days=1)
    (firing,) = routines.firings(routine)
    assert firing.status == "failed"
    (item,) = routines.stage.ground.rows("inbox_items")
    inbox.act(routines.stage.desk, ASKED, item["id"], "retry")
    routines.stage.clock.forward(hours=2)
    run = routines.work()
    routines.finish(run)
    (firing,) = routines.firings(routine)
    assert (firing.run_id, firing.wakeup_id) == (run.id, run.wakeup_id)


@pytest.mark.proves("C-09", "C-69", "C-106")
def test_what_was_merged_into_a_run_at_work_names_the_run_that_followed(
    routines: Routines,
) -> None:
    routine = routines.add()
    routines.pass_time(minutes=5)
    run = routines.work()
    routines.fire(routine)
    routines.finish(run)
    follow_up = routines.work()
    first, second = routines.firings(routine)
    assert first.run_id == run.id
    assert (second.run_id, second.coalesced_into_run_id) == (follow_up.id, follow_up.id)
    with routines.stage.ground.reader.snapshot() as view:
        last = firings.last_run(view, routine.id)
    assert last is not None and last.id == follow_up.id, "the probe asks since that one"


@pytest.mark.proves("C-09", "C-69")
def test_what_was_merged_into_a_run_that_failed_names_the_next_one(routines: Routines) -> None:
    routine = routines.add()
    routines.pass_time(minutes=5)
    run = routines.work()
    routines.fire(routine)
    routines.stage.finish(run, why="crashed", code=1)
    routines.stage.clock.forward(hours=1)
    again = routines.work()
    assert again.id != run.id
    assert routines.firings(routine)[1].coalesced_into_run_id == again.id


@pytest.mark.proves("K-17")
def test_the_agent_of_a_heavy_routine_is_told_of_what_it_missed(routines: Routines) -> None:
    routine = routines.add(template=HEAVY)
    routines.pass_time(hours=3)
    missed = routines.wakeup_of(routines.firings(routine)[0]).payload["missed_ticks"]
    assert isinstance(missed, dict) and missed["count"] == 36
    run = routines.work()
    assert "You missed 36 ticks since 2026-03-01T12:05:00Z." in run.assembled_prompt


@pytest.mark.proves("K-23")
@pytest.mark.parametrize("template", [None, replace(HEAVY, description="{{x}}" * 13_000)])
def test_values_that_would_make_a_text_too_long_fire_nothing(
    routines: Routines, template: Template | None
) -> None:
    text = {"description": "{{x}}" * 13_000} if template is None else {"template": template}
    many = [Variable("x", default="y" * 4096)]
    routine = routines.add(variables=many, **text)
    routines.pass_time(minutes=5)
    (firing,) = routines.firings(routine)
    assert (firing.status, firing.reason) == ("failed", "routine_text_too_long")
    assert routines.start() is None
    with pytest.raises(Invalid) as refused:
        routines.fire(routine)
    assert refused.value.code == "routine_text_too_long"
    assert len(routines.firings(routine)) == 1
    routines.fire(routine, x="short")
    assert routines.start() is not None


@pytest.mark.proves("K-23")
def test_a_text_that_outgrew_its_limit_after_the_firing_is_told_as_it_is(
    routines: Routines,
) -> None:
    routine = routines.add(None, description="{{x}}")
    routines.fire(routine, x="y" * 4000)
    routines.edit(routine, description="Look at all. " + "{{x}}" * 100)
    assert "Look at all. {{x}}{{x}}" in routines.work().assembled_prompt


def standing_for(causes: list[Json]) -> list[object]:
    return [one["stands_for"] for one in causes if "stands_for" in one]


@pytest.mark.proves("K-11")
def test_a_week_of_ticks_behind_a_limit_is_a_number_and_a_word_of_a_person_is_kept(
    routines: Routines,
) -> None:
    routine = routines.add(description="Look at {{what}}.")
    for number in range(MOST_CAUSES + 30):
        routines.pass_time(minutes=5)
        if number % 10 == 9:
            routines.fire(routine, what=f"place {number}")
    found = routines.firings(routine)
    ticks = [one for one in found if one.source == "cron"]
    waiting = routines.wakeup_of(found[0])
    assert waiting.coalesced_count == len(found)
    (left_out,) = standing_for(waiting.causes())
    assert isinstance(left_out, int)
    assert left_out == len(found) - len(waiting.causes()) + 1
    assert len(waiting.causes()) < MOST_CAUSES + 8, "it stays as small as it is"
    told = {one["payload"]["firing_id"] for one in waiting.causes()}  # type: ignore[index, call-overload]
    assert {ticks[0].id, ticks[-1].id} <= told
    assert {one.id for one in found if one.source == "manual"} <= told
    run = routines.work()
    assert f"{len(found)} causes became this one turn:" in run.assembled_prompt
    assert f"This is the last of {left_out} alike." in run.assembled_prompt
    routines.pass_time(minutes=5)
    routines.pass_time(minutes=5)
    routines.finish(run)
    assert standing_for(routines.work().causes()) == [2], "of what came since"
