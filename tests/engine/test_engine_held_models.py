"""A limit of one model holds all agents of its account that use that model, once."""

import pytest
from engine_stage import ASKED, Stage
from hold_bench import FIVE, ONE, Bench

from roundtable_desktop.engine.desk import held
from roundtable_desktop.model.holds import SPACING
from roundtable_desktop.model.times import micros

ON_OPUS = {**ONE, "model": "claude-opus-4"}
OPUS = "You've hit your Opus limit · resets 6pm (Europe/Berlin)"


@pytest.mark.proves("C-37 scope", "B-045")
def test_a_limit_of_one_model_holds_all_of_the_account_that_use_it_and_no_others(
    stage: Stage,
) -> None:
    told = {"a": None, "like_a": None, "named": "claude-opus-4", "other": "claude-sonnet-4"}
    bench = Bench(stage, **{name: {**ONE, "model": model} for name, model in told.items()})
    bench.give("a")
    bench.start()
    bench.limited("a", OPUS)
    held_now = {one.agent_id: one for one in bench.holds()}
    names = ["a", "like_a", "named"]
    assert held_now.keys() == {bench.agents[name].id for name in names}
    assert {one.model for one in held_now.values()} == {"opus"}
    bench.give("a", "like_a", "named", "other")
    assert bench.start() == ["other"]
    assert {bench.why(name).code for name in names} == {"waits_model"}
    with stage.ground.reader.snapshot() as view:
        (shown,) = held.accounts(view, stage.clock.now())
    assert {one.name for one in shown.agents} == set(names) and shown.until == FIVE


@pytest.mark.proves("C-37", "B-076")
def test_who_met_a_models_limit_goes_first_and_the_others_follow_in_turn(stage: Stage) -> None:
    bench = Bench(stage, **dict.fromkeys("abc", ON_OPUS))
    bench.give(*"abc")
    bench.start()
    bench.limited("a", OPUS)
    for name in "bc":
        bench.limited(name, OPUS)
    assert len(bench.holds()) == 3
    bench.at(FIVE)
    (first,) = bench.start()
    assert bench.start() == []
    stage.spool(bench.run(first)).say("usage", input_tokens=5, output_tokens=7)
    stage.consume(bench.run(first))
    freed = {
        one.data["agent_id"]: one.data["until"]
        for one in stage.ground.events()
        if one.kind == "account.freed"
    }
    assert freed == {one.agent_id: micros(one.until_at) for one in bench.holds()}
    started = [first]
    for _ in range(4):
        stage.clock.forward(seconds=SPACING.total_seconds() + 0.1)
        born = bench.start()
        assert len(born) <= 1
        started += born
    assert sorted(started) == list("abc")


@pytest.mark.proves("C-37", "B-076")
def test_a_person_has_one_of_a_models_agents_try_and_the_rest_wait_on(stage: Stage) -> None:
    bench = Bench(stage, **dict.fromkeys("abc", ON_OPUS))
    bench.give("a")
    bench.start()
    bench.limited("a", OPUS)
    bench.give("b", "c")
    held.try_now(stage.desk, ASKED, bench.agents["b"].id)
    (first,) = bench.start()
    bench.limited(first, OPUS)
    assert bench.start() == []
    assert {bench.why(name).code for name in "abc"} <= {"waits_model", "waits_limit", "waits_retry"}
