"""A limit holds its account once; when it ends one goes first, and the rest follow in turn."""

import json
from datetime import timedelta

import pytest
from engine_stage import ASKED, Stage
from ground import JOAN, NOW
from hold_bench import FIVE, ONE, TWO, UNTIL_FIVE, Bench

from roundtable_desktop.engine.desk import Asked, held, tasks
from roundtable_desktop.engine.desk import agents as desk_agents
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.holds import PATIENCE, SPACING
from roundtable_desktop.model.states import WakeupStatus
from roundtable_desktop.store import claims, holds


@pytest.mark.proves("B-045", "C-37")
def test_an_exhausted_account_holds_all_its_agents_and_nobody_elses(stage: Stage) -> None:
    bench = Bench(stage, a=ONE, b=ONE, c=TWO)
    bench.give("a")
    assert bench.start() == ["a"]
    bench.limited("a")
    (hold,) = bench.holds()
    assert (hold.account, hold.agent_id, hold.until_at) == ("one subscription", "", FIVE)
    assert hold.told and "resets 6pm" in hold.told and hold.run_id == bench.run("a").id
    bench.give("b", "c")
    assert bench.start() == ["c"]
    why = bench.why("b")
    assert (why.code, why.values["account"]) == ("waits_account", "one subscription")
    assert why.values["until"] == "2026-03-01T17:00:30.000000Z"
    bench.at(FIVE - timedelta(seconds=1))
    assert bench.start() == []
    waiting = stage.wakeup(bench.tasks["b"])
    assert (waiting.status, waiting.retry_count, waiting.held_by) == ("queued", 0, None)
    assert stage.ground.get_task(bench.tasks["b"].id).attempts_spent == 0
    bench.at(FIVE)
    assert len(bench.start()) == 1


@pytest.mark.proves("B-044", "K-32")
def test_five_comments_while_an_agent_is_limited_are_one_run_afterwards(stage: Stage) -> None:
    task = stage.assigned()
    stage.offered(task, note="done")
    tasks.comment(stage.desk, Asked(JOAN, "first", ""), task.id, "More, please.")
    stage.finish(stage.launch(), code=1, stderr=UNTIL_FIVE)
    for number in range(5):
        stage.clock.forward(minutes=20)
        tasks.comment(stage.desk, Asked(JOAN, f"{number}", ""), task.id, f"Word {number}.")
        assert not stage.step()
    wakeup = stage.wakeup(task)
    stage.clock.forward(seconds=(FIVE - stage.clock.now()).total_seconds() - 1)
    assert not stage.step()
    stage.clock.forward(seconds=1)
    run = stage.launch()
    assert all(f"Word {number}." in run.assembled_prompt for number in range(5))
    assert not stage.step()
    assert len(stage.ground.runs()) == 3
    assert stage.ground.get_task(task.id).attempts_spent == 0
    assert stage.ground.get_wakeup(wakeup.id).retry_count <= 1


@pytest.mark.proves("B-076", "C-37")
def test_after_the_limit_one_goes_first_and_the_rest_start_seconds_apart(stage: Stage) -> None:
    names = [f"agent{number}" for number in range(6)]
    bench = Bench(stage, **dict.fromkeys(names, ONE))
    bench.give(names[0])
    bench.start()
    bench.limited(names[0])
    bench.give(*names[1:])
    bench.at(FIVE)
    (first,) = bench.start()
    others = [name for name in names if name != first]
    assert {bench.why(name).code for name in others} == {"waits_trial"}
    stage.clock.forward(seconds=30)
    assert bench.start() == []
    stage.spool(bench.run(first)).say("usage", input_tokens=5, output_tokens=7)
    stage.consume(bench.run(first))
    started = []
    assert bench.start() == []
    assert {bench.why(name).code for name in others} == {"waits_spread"}
    for _ in others:
        stage.clock.forward(seconds=SPACING.total_seconds() - 0.1)
        assert bench.start() == []
        stage.clock.forward(seconds=0.2)
        (name,) = bench.start()
        started.append(name)
    assert sorted([first, *started]) == names
    stage.clock.forward(seconds=SPACING.total_seconds() + 1)
    bench.start()
    assert bench.holds() == []


@pytest.mark.proves("B-076", "C-37")
def test_if_the_first_is_refused_again_the_rest_wait_on(stage: Stage) -> None:
    bench = Bench(stage, a=ONE, b=ONE)
    bench.give("a")
    bench.start()
    bench.limited("a")
    bench.give("b")
    bench.at(FIVE)
    (first,) = bench.start()
    bench.limited(first, "You've hit your weekly limit · resets 9pm (Europe/Berlin)")
    eight = NOW + timedelta(hours=8, seconds=30)
    (hold,) = bench.holds()
    assert (hold.until_at, hold.tries) == (eight, 1)
    bench.at(eight - timedelta(seconds=1))
    assert bench.start() == []
    bench.at(eight)
    assert len(bench.start()) == 1


@pytest.mark.proves("C-37")
def test_of_two_limits_the_longer_one_holds(stage: Stage) -> None:
    bench = Bench(stage, a=ONE, b=ONE)
    bench.give("a", "b")
    assert sorted(bench.start()) == ["a", "b"]
    bench.limited("a")
    bench.limited("b", "429 Too Many Requests\nRetry-After: 60")
    (hold,) = bench.holds()
    assert hold.until_at == FIVE


@pytest.mark.proves("C-37")
@pytest.mark.parametrize("word", ["tool", "ask", "usage", "end"])
def test_what_shows_that_the_provider_answers(stage: Stage, word: str) -> None:
    bench = Bench(stage, a={**ONE, "permission_policy": "allow"}, b=ONE)
    bench.give("a")
    bench.start()
    bench.limited("a")
    bench.at(FIVE)
    assert bench.start() == ["a"]
    bench.give("b")
    assert bench.start() == []
    spool = stage.spool(bench.run("a"))
    match word:
        case "tool":
            spool.say("tool", id="1", name="read", status="started")
        case "ask":
            spool.say("ask", ask="1", text="May I?", options=[])
        case "usage":
            spool.say("usage", input_tokens=3, output_tokens=0)
            stage.consume(bench.run("a"))
            assert [one.state for one in bench.holds()] == ["held"], "nothing came out"
            spool.say("usage", input_tokens=3, output_tokens=4)
        case "end":
            bench.done("a")
    stage.consume(bench.run("a"))
    stage.clock.forward(seconds=SPACING.total_seconds() + 0.1)
    assert bench.start() == ["b"]


@pytest.mark.proves("C-37")
def test_a_trial_that_is_lost_holds_nobody(stage: Stage) -> None:
    bench = Bench(stage, a=ONE, b=ONE)
    bench.give("a")
    bench.start()
    bench.limited("a")
    bench.at(FIVE)
    assert bench.start() == ["a"]
    bench.give("b")
    stage.spool(bench.run("a")).locked = False
    stage.consume(bench.run("a"))
    stage.play()
    assert bench.run("a").outcome == "lost"
    assert bench.start() == ["b"]
    (hold,) = bench.holds()
    assert hold.trial_id == stage.wakeup(bench.tasks["b"]).id and hold.trying


@pytest.mark.proves("C-37")
def test_a_trial_that_says_nothing_for_long_has_shown_enough(stage: Stage) -> None:
    bench = Bench(stage, a=ONE, b=ONE)
    bench.give("a")
    bench.start()
    bench.limited("a")
    bench.at(FIVE)
    assert bench.start() == ["a"]
    bench.give("b")
    with stage.store.transaction() as tx:
        due = claims.next_due(tx, tx.now)
    assert due is not None and abs(due - (FIVE + PATIENCE)) < timedelta(seconds=1)
    bench.at(due)
    stage.step()
    assert [one.state for one in bench.holds()] == ["spread"]
    stage.clock.forward(seconds=SPACING.total_seconds() + 1)
    assert bench.start() == ["b"]


@pytest.mark.proves("C-37", "K-40")
def test_a_paused_agents_wakeups_are_settled_though_its_account_is_held(stage: Stage) -> None:
    bench = Bench(stage, a=ONE, b=ONE)
    bench.give("a")
    bench.start()
    bench.limited("a")
    with stage.store.transaction() as tx:
        tx.write_sql("UPDATE agents SET status = 'paused' WHERE id = ?", (bench.agents["b"].id,))
    bench.give("b")
    bench.start()
    settled = stage.wakeup(bench.tasks["b"])
    assert (settled.status, settled.outcome) == (WakeupStatus.FINISHED, "agent_paused")
    assert [one.trial_id for one in bench.holds()] == [None]


@pytest.mark.proves("C-37", "C-38")
@pytest.mark.parametrize(
    "text",
    ["API Error: 529 Overloaded", "Your credit balance is too low to access the API.", "No."],
    ids=["overloaded", "billing", "other"],
)
def test_what_is_no_limit_of_the_account_holds_nobody_else(stage: Stage, text: str) -> None:
    bench = Bench(stage, a=ONE, b=ONE)
    bench.give("a")
    bench.start()
    bench.limited("a", text)
    assert bench.holds() == []
    bench.give("b")
    assert "b" in bench.start()


@pytest.mark.proves("C-37", "K-34")
def test_a_limit_without_a_time_holds_by_a_back_off_that_grows(stage: Stage) -> None:
    bench = Bench(stage, a=ONE)
    bench.give("a")
    waits = []
    for _ in range(3):
        assert bench.start() == ["a"]
        bench.limited("a", "HTTP 429: rate limit exceeded")
        (hold,) = bench.holds()
        waits.append(round((hold.until_at - stage.clock.now()).total_seconds() / 60))
        bench.at(hold.until_at + timedelta(seconds=1))
    assert waits == [2, 10, 30]


@pytest.mark.proves("C-37")
def test_a_person_can_have_it_tried_now(stage: Stage) -> None:
    bench = Bench(stage, a=ONE, b=ONE)
    bench.give("a")
    bench.start()
    with pytest.raises(Conflict, match="account_not_held"):
        held.try_now(stage.desk, ASKED, bench.agents["a"].id)
    bench.limited("a")
    bench.give("b")
    asked = Asked(JOAN, "once", "print")
    held.try_now(stage.desk, asked, bench.agents["b"].id)
    assert len(bench.start()) == 1, "one goes first, it is a trial"
    held.try_now(stage.desk, asked, bench.agents["b"].id)
    assert stage.ground.kinds().count("account.freed") == 1
    assert stage.wakeup(bench.tasks["a"]).retry_count == 1


@pytest.mark.proves("C-37", "K-34")
@pytest.mark.parametrize("text", [UNTIL_FIVE, "HTTP 429: rate limit exceeded"])
def test_trials_that_a_person_asks_for_use_up_no_retry(stage: Stage, text: str) -> None:
    bench = Bench(stage, a=ONE)
    bench.give("a")
    assert bench.start() == ["a"]
    bench.limited("a", text)
    for number in range(6):
        stage.clock.forward(seconds=5)
        held.try_now(stage.desk, Asked(JOAN, f"try {number}", ""), bench.agents["a"].id)
        assert bench.start() == ["a"]
        bench.limited("a", text)
        waiting = stage.wakeup(bench.tasks["a"])
        assert (waiting.status, waiting.retry_count) == (WakeupStatus.QUEUED, 1)
        assert [one.tries for one in bench.holds()] == [0]
    assert waiting.scheduled_retry_at is not None
    bench.at(waiting.scheduled_retry_at + timedelta(seconds=1))
    assert bench.start() == ["a"], "its own time has come, and it is tried as before"
    bench.limited("a", text.replace("6pm", "9pm"))
    assert stage.wakeup(bench.tasks["a"]).retry_count == 2, "nobody asked for this one"


@pytest.mark.proves("C-37", "A-02")
def test_holds_and_trials_are_the_same_after_all_memory_is_gone(stage: Stage) -> None:
    bench = Bench(stage, a=ONE, b=ONE)
    bench.give("a")
    bench.start()
    bench.limited("a")
    before = json.dumps(stage.ground.rows("provider_holds"))
    stage.restart()
    assert json.dumps(stage.ground.rows("provider_holds")) == before
    assert bench.start() == []
    bench.at(FIVE)
    with stage.store.transaction() as tx:
        claims.promote_due(tx)
        claimed = claims.claim_next(tx)
    assert claimed is not None  # and the owner dies before the gates have answered
    stage.restart()
    assert bench.start() == ["a"]
    bench.give("b")
    assert bench.start() == []
    stage.restart()
    assert bench.start() == []
    bench.done("a")
    stage.clock.forward(seconds=SPACING.total_seconds() + 0.1)
    assert bench.start() == ["b"]


@pytest.mark.proves("C-37")
def test_an_account_follows_the_command_unless_somebody_chose_it(stage: Stage) -> None:
    workspace = stage.workspace()
    derived = stage.agent(workspace, name="derived", command=["/opt/bin/codex", "exec"])
    assert derived.account == "codex"
    changed = desk_agents.edit(stage.desk, ASKED, derived.id, command=["claude", "-p"])
    assert changed.account == "claude"
    chosen = desk_agents.edit(stage.desk, ASKED, derived.id, account="the company's")
    assert chosen.account == "the company's"
    kept = desk_agents.edit(stage.desk, ASKED, derived.id, command=["gemini"])
    assert kept.account == "the company's"


@pytest.mark.proves("B-069")
def test_work_that_waits_for_a_limit_is_seen_at_a_glance(stage: Stage) -> None:
    bench = Bench(stage, a=ONE)
    bench.give("a")
    bench.start()
    with stage.ground.reader.snapshot() as view:
        assert holds.work_waits_until(view, stage.clock.now()) is None
    bench.limited("a")
    with stage.ground.reader.snapshot() as view:
        assert holds.work_waits_until(view, stage.clock.now()) == FIVE
        (seen,) = held.accounts(view, stage.clock.now())
    assert ([agent.name for agent in seen.agents], seen.held_by) == (["a"], "account")
