"""The counters of fires count: each kind of fault, made by hand, is found."""

import json
from pathlib import Path
from typing import Any

import pytest
from kills.fires import MINUTE, Fires, Told, judge
from kills.ledgers import Acked, Launches, read_launches

BEGAN = 1_000 * MINUTE
TRIGGER = {"id": "clock", "created_at": BEGAN + 1}
DUE = [BEGAN + number * MINUTE for number in (1, 2, 3)]
ENDED = (BEGAN + 3 * MINUTE) / 1e6 + 10


def firing(name: str, at: int, **more: Any) -> dict[str, Any]:
    plain = {"id": name, "trigger_id": "clock", "source": "cron", "status": "done"}
    rest = {"reason": "done", "missed": None, "scheduled_at": at, "linked_task_id": None}
    plain |= {"routine_id": "routine", "started_at": at}
    return {**plain, **rest, **more}


def run(name: str, *carried: str, outcome: str = "no_changes") -> dict[str, Any]:
    wakes = [{"payload": {"firing_id": one}} for one in carried]
    return {"id": name, "outcome": outcome, "context_snapshot": json.dumps({"wakes": wakes})}


BY_CLOCK = [firing(f"f{number}", at) for number, at in enumerate(DUE)]
RUNS = [run(f"r{number}", f"f{number}") for number in range(3)]
BY_HAND = firing("hand", 7, trigger_id="person", source="manual")


def judged(
    firings: list[dict[str, Any]],
    runs: list[dict[str, Any]],
    acks: list[Acked] | None = None,
    launches: Launches | None = None,
) -> Fires:
    told = Told(firings, [TRIGGER], runs, {}, {"task": "done"})  # type: ignore[arg-type]
    return judge(told, acks or [], launches or Launches(), ENDED)


@pytest.mark.proves("F-08")
def test_what_fired_once_and_was_served_once_is_no_fault() -> None:
    found = judged(BY_CLOCK, RUNS)
    assert (found.lost, found.extra) == ([], [])


@pytest.mark.proves("F-08")
def test_an_instant_without_a_firing_is_lost_unless_a_row_counts_it() -> None:
    assert len(judged(BY_CLOCK[:2], RUNS[:2]).lost) == 1
    told = firing("f1", DUE[1], missed=json.dumps({"left_out": {"count": 1}}))
    assert judged([BY_CLOCK[0], told], RUNS[:2]).lost == []


@pytest.mark.proves("F-08")
@pytest.mark.parametrize("at", [DUE[0] + 1, BEGAN, DUE[0]])
def test_a_firing_at_no_due_instant_or_at_one_that_has_one_is_extra(at: int) -> None:
    assert judged([*BY_CLOCK, firing("f9", at)], [*RUNS, run("r9", "f9")]).extra


@pytest.mark.proves("F-08")
def test_a_firing_that_never_ended_or_that_nobody_served_is_lost() -> None:
    assert judged(BY_CLOCK, RUNS[:2]).lost
    assert judged(BY_CLOCK, [*RUNS[:2], run("r2", "f2", outcome="crashed")]).lost
    heavy = firing("f2", DUE[2], status="task_created", linked_task_id="task")
    assert judged([*BY_CLOCK[:2], heavy], RUNS).lost


@pytest.mark.proves("F-08")
def test_a_time_that_was_set_aside_is_made_up_for_by_a_later_good_one_alone() -> None:
    aside = {"status": "failed", "reason": "quarantined"}
    first, last = firing("f0", DUE[0], **aside), firing("f2", DUE[2], **aside)
    assert judged([first, *BY_CLOCK[1:]], RUNS[1:]).lost == []
    assert judged([*BY_CLOCK[:2], last], RUNS[:2]).lost
    by_hand = {**BY_HAND, **aside}
    acks = [Acked("key", "fire", "hand")]
    assert "nobody served" in judged([*BY_CLOCK, by_hand], RUNS, acks).lost[0]


@pytest.mark.proves("F-08")
def test_two_good_runs_of_one_firing_are_extra() -> None:
    assert judged(BY_CLOCK, [*RUNS, run("r3", "f2")]).extra


@pytest.mark.proves("F-08")
def test_acknowledged_fires_and_firings_by_hand_are_the_same() -> None:
    runs = [*RUNS, run("hand-run", "hand")]
    assert judged([*BY_CLOCK, BY_HAND], runs).extra
    assert judged(BY_CLOCK, RUNS, [Acked("key", "fire", "hand")]).lost


@pytest.mark.proves("F-08")
def test_the_agents_own_word_counts(tmp_path: Path) -> None:
    runs, acks = [*RUNS, run("hand-run", "hand"), run("other")], [Acked("key", "fire", "hand")]
    assert judged([*BY_CLOCK, BY_HAND], runs, acks).lost  # no agent did it
    ledger = tmp_path / "ledger"
    lines = ["FIRED hand-run 0 1 1 1.0 key", "FIRED other 0 1 1 2.0 key"]
    ledger.write_text("\n".join(lines[:1]))
    found = judged([*BY_CLOCK, BY_HAND], runs, acks, read_launches(ledger))
    assert (found.lost, found.extra) == ([], [])
    ledger.write_text("\n".join(lines))
    assert judged([*BY_CLOCK, BY_HAND], runs, acks, read_launches(ledger)).extra
