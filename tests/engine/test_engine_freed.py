"""A hold ends with what it held, and its end is told as it is and where it began."""

import pytest
from engine_stage import ASKED, Stage
from ground import set_columns
from hold_bench import FIVE, ONE, Bench

from roundtable_desktop.engine.desk import agents, held
from roundtable_desktop.model.holds import SPACING
from roundtable_desktop.model.states import AgentStatus
from roundtable_desktop.model.times import micros
from roundtable_desktop.store import holds


def model_limited(stage: Stage) -> Bench:
    """The model of one is exhausted; another agent has the same account and another model."""
    bench = Bench(stage, a=ONE, b={**ONE, "model": "sonnet"})
    bench.give("a")
    bench.start()
    bench.limited("a", "You've hit your Opus limit · resets 6pm (Europe/Berlin)")
    assert len(bench.holds()) == 1
    return bench


def clear(stage: Stage) -> None:
    with stage.store.transaction() as tx:
        holds.clear(tx)


@pytest.mark.proves("C-37", "C-37 scope")
@pytest.mark.parametrize("how", ["account", "retired"])
def test_the_hold_of_an_agent_that_left_its_account_does_not_stay(stage: Stage, how: str) -> None:
    bench = model_limited(stage)
    if how == "account":
        agents.edit(stage.desk, ASKED, bench.agents["a"].id, account="another vendor")
    else:
        with stage.store.transaction() as tx:
            set_columns(tx, "agents", bench.agents["a"].id, status=AgentStatus.RETIRED)
    clear(stage)
    assert len(bench.holds()) == 1, "until its time"
    bench.at(FIVE)
    clear(stage)
    assert bench.holds() == []


@pytest.mark.proves("C-37", "C-37 scope")
def test_the_hold_of_an_agent_that_is_there_waits_for_its_trial(stage: Stage) -> None:
    bench = model_limited(stage)
    bench.at(FIVE)
    clear(stage)
    assert len(bench.holds()) == 1


@pytest.mark.proves("C-37", "B-069")
@pytest.mark.parametrize("by", ["trial", "person"])
def test_the_end_of_a_limit_is_told_where_it_began_and_with_what_holds_now(
    stage: Stage, by: str
) -> None:
    bench = Bench(stage, a=ONE)
    bench.give("a")
    bench.start()
    bench.limited("a")
    if by == "person":
        held.try_now(stage.desk, ASKED, bench.agents["a"].id)
        until = bench.holds()[0].until_at
    else:
        bench.at(FIVE)
        bench.start()
        bench.done("a")
        (told,) = [one for one in stage.ground.events() if one.kind == "account.freed"]
        until = told.at + SPACING
    (told,) = [one for one in stage.ground.events() if one.kind == "account.freed"]
    assert told.workspace_id == bench.workspace.id
    assert told.data["until"] == micros(until)
    assert until != FIVE
