"""What agents used is booked once: replies, conversations, costs, and what nobody knows."""

from typing import Any

import pytest
from engine_stage import ASKED, Spool, Stage

from roundtable_desktop.engine.desk import agents as desk
from roundtable_desktop.model.records import Agent, Run
from roundtable_desktop.model.usage import CostSource, UsageEntry
from roundtable_desktop.store import agents, quotas, settings, usage


def entries(stage: Stage) -> list[UsageEntry]:
    with stage.ground.reader.snapshot() as view:
        rows = view.sql("SELECT DISTINCT run_id FROM usage_entries ORDER BY run_id")
        return [one for row in rows for one in usage.of_run(view, str(row["run_id"]))]


def say(stage: Stage, *lines: dict[str, Any]) -> Spool:
    spool = stage.spool(stage.run)
    for words in lines:
        spool.say("usage", **words)
    stage.consume(stage.run)
    return spool


def again(stage: Stage) -> Run:
    """The next run of the same agent, a minute later."""
    stage.clock.forward(minutes=1)
    stage.wake(agent_of(stage))
    return stage.launch()


def agent_of(stage: Stage) -> Agent:
    run = stage.run
    with stage.ground.reader.snapshot() as view:
        agent = agents.get(view, run.agent_id)
    assert agent is not None
    return agent


def tokens(stage: Stage) -> list[tuple[int | None, int | None]]:
    return [(one.input_tokens, one.output_tokens) for one in entries(stage)]


@pytest.mark.proves("B-173", "B-174", "usage")
def test_a_reply_in_many_lines_counts_once_and_its_last_line_is_true(stage: Stage) -> None:
    stage.assigned()
    stage.launch()
    said = {"reply": "msg_1", "input_tokens": 6}
    outputs = [9, 9, 159, *[384] * 16]
    say(stage, *[{**said, "output_tokens": one} for one in outputs])
    assert tokens(stage) == [(6, 384)]
    known = stage.run.usage or {}
    assert (known["input_tokens"], known["output_tokens"]) == (6, 384)


@pytest.mark.proves("B-175")
def test_a_session_that_tells_old_replies_again_counts_what_is_new(stage: Stage) -> None:
    stage.assigned()
    first = stage.launch()
    say(stage, *[{"reply": f"m{n}", "input_tokens": 1, "output_tokens": 1} for n in range(40)])
    stage.finish(first, code=1)
    again(stage)
    say(stage, *[{"reply": f"m{n}", "input_tokens": 1, "output_tokens": 1} for n in range(42)])
    assert len(entries(stage)) == 42
    assert (stage.run.usage or {})["input_tokens"] == 2


@pytest.mark.proves("B-175")
def test_the_sums_of_a_conversation_become_differences(stage: Stage) -> None:
    stage.assigned()
    first = stage.launch()
    sums = [
        {"input_tokens": 1234, "output_tokens": 56},
        {"input_tokens": 2468, "output_tokens": 112},
    ]
    say(stage, *[{"thread": "t", "sums": one} for one in sums])
    stage.finish(first, code=1)
    again(stage)
    say(stage, {"thread": "t", "sums": {"input_tokens": 3702, "output_tokens": 168}})
    assert tokens(stage) == [(1234, 56)] * 3
    say(stage, {"thread": "t", "sums": {"input_tokens": 10, "output_tokens": 1}})  # begun anew
    assert tokens(stage)[-1] == (10, 1)


def test_the_cost_of_a_conversation_that_is_older_than_we_know_is_unknown(stage: Stage) -> None:
    stage.assigned()
    first = stage.launch()
    old: dict[str, Any] = {"thread": "s", "fresh": False, "turn": 1, "input_tokens": 1}
    say(stage, {**old, "sums": {"cost_usd": 3.0}})
    assert [one.cost_nano for one in entries(stage)] == [None]
    assert (stage.run.usage or {})["unknown"] == ["output_tokens", "cost_usd"]
    stage.finish(first, code=1)
    again(stage)
    say(stage, {**old, "sums": {"cost_usd": 3.25}})
    assert [one.cost_nano for one in entries(stage)] == [None, 250_000_000]


@pytest.mark.proves("usage")
def test_what_the_provider_says_comes_before_the_list_and_neither_is_nought(stage: Stage) -> None:
    stage.assigned()
    stage.launch()
    said = {"input_tokens": 1_000_000, "output_tokens": 100_000}
    say(stage, {**said, "turn": 1}, {**said, "turn": 2, "model": "claude-opus-4-8[1m]"})
    say(stage, {**said, "turn": 3, "model": "claude-opus-4-8", "cost_usd": 1.5})
    found = [(one.cost_nano, one.cost_source) for one in entries(stage)]
    assert found == [
        (None, None),
        (7_500_000_000, CostSource.PRICE_TABLE),
        (1_500_000_000, CostSource.PROVIDER),
    ]
    known = stage.run.usage or {}
    assert (known["cost_usd"], known["cost_source"]) == (9.0, "price_table")
    assert known["unknown"] == ["cost_usd"]


def test_a_price_that_a_person_set_is_the_one_that_counts(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    with stage.store.transaction() as tx:
        now = settings.of_workspace(tx, run.workspace_id)
        own = {"prices": "claude-opus-4-8 1 2, mine 10 20 1 within"}
        settings.put(tx, now, ASKED.actor, own, run.workspace_id)
    said = {"input_tokens": 1_000_000, "output_tokens": 0}
    say(stage, {**said, "turn": 1, "model": "claude-opus-4-8"})
    say(stage, {**said, "turn": 2, "model": "mine", "cached_tokens": 500_000})
    assert [one.cost_nano for one in entries(stage)] == [1_000_000_000, 5_500_000_000]


def test_the_cost_of_the_whole_run_is_not_added_to_that_of_its_replies(stage: Stage) -> None:
    stage.assigned()
    stage.launch()
    reply = {"reply": "m", "model": "claude-opus-4-8", "input_tokens": 1000, "output_tokens": 1}
    say(stage, reply)
    assert entries(stage)[0].cost_source is CostSource.PRICE_TABLE
    whole = {"turn": 0, "of_run": True, "cost_usd": 0.25, "input_tokens": 0, "output_tokens": 99}
    say(stage, whole)
    known = stage.run.usage or {}
    assert (known["output_tokens"], known["cost_usd"], known["unknown"]) == (100, 0.25, [])
    assert [one.cost_source for one in entries(stage)] == [CostSource.PROVIDER] * 2


@pytest.mark.proves("B-177")
def test_a_flat_rate_is_included_whatever_list_price_an_agent_tells(stage: Stage) -> None:
    stage.assigned()
    stage.launch()
    desk.edit(stage.desk, ASKED, stage.run.agent_id, flat_rate=True)
    say(stage, {"turn": 1, "input_tokens": 5, "output_tokens": 6, "cost_usd": 2.0})
    assert [(one.cost_nano, one.cost_source) for one in entries(stage)] == [(None, "included")]
    known = stage.run.usage or {}
    assert (known["cost_usd"], known["cost_source"], known["unknown"]) == (None, "included", [])


@pytest.mark.proves("B-180", "K-70 costs", "W-22")
def test_a_run_that_tells_nothing_is_unknown_in_every_sum(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    stage.finish(run, code=1)
    second = again(stage)
    say(stage, {"turn": 1, "input_tokens": 5, "output_tokens": 6, "cost_usd": 2.0})
    stage.finish(second, output_bytes=1)
    since, until = stage.run.created_at.replace(year=2000), stage.run.created_at.replace(year=2100)
    with stage.ground.reader.snapshot() as view:
        for by in ("agent", "task", "model", "routine", "all"):
            found = usage.totals(view, by, since, until)
            assert [one.input_tokens for one in found if one.input_tokens] == [5], by
            assert sum(one.runs for one in found) == 2, by
            assert sum(one.unknown_tokens_runs for one in found) == 1, by
            assert sum(one.unknown_cost_runs for one in found) == 1, by
            assert len(found) == (2 if by == "task" else 1), by
        assert usage.totals(view, "agent", since, until, "nobody's") == []


def test_a_message_is_booked_once_however_often_the_spool_is_read(stage: Stage) -> None:
    stage.assigned()
    run = stage.launch()
    say(stage, {"input_tokens": 5})
    stage.build()
    stage.consume(run)
    stage.consume(run)
    assert tokens(stage) == [(5, None)]


@pytest.mark.proves("N-13 windows")
def test_a_provider_s_window_is_kept_with_its_end_until_it_is_over(stage: Stage) -> None:
    stage.assigned()
    stage.launch()
    spool = stage.spool(stage.run)
    resets = int(stage.clock.now().timestamp()) + 3600
    spool.say("quota", window="five_hour", status="allowed_warning", used=0.93, resets_at=resets)
    spool.say("quota", window="seven_day", status="rejected", resets_at=resets)
    spool.say("quota", window="odd", status="rejected", resets_at=10**17)
    stage.consume(stage.run)
    run = stage.run
    with stage.ground.reader.snapshot() as view:
        found = {one.name: one for one in quotas.of(view, run.workspace_id)}
        assert sorted(found) == [one.name for one in quotas.every(view)]
    now = stage.clock.now()
    assert {name: one.used_now(now) for name, one in found.items()} == {
        **{"five_hour": 930, "seven_day": 1000, "odd": None}
    }
    after = found["five_hour"].resets_at
    assert after is not None and found["five_hour"].used_now(after) is None
