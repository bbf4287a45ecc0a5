"""Which tasks are in a wave, and why the others are not: a picture for each rule."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from wave_world import CALM, LATER, NOW, SOON, agents, edge, hard, seen, task, typed, why

from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.resources import Resources
from roundtable_desktop.model.states import DependencySource, DependencyType, TaskStatus
from roundtable_desktop.model.waves import (
    Fault,
    PlanAgent,
    PlanTask,
    Seen,
    Step,
    Work,
    as_json,
)
from roundtable_desktop.rules.waves import plan

D, S = DependencyType, DependencySource


def made(*tasks: PlanTask, **more: Any) -> dict[str, str]:
    return why(plan(seen(*tasks, **more), "w"))


# --- dependencies --------------------------------------------------------------------------------


@pytest.mark.proves("A-13", "A-05")
@pytest.mark.parametrize(
    ("status", "code"),
    [
        (TaskStatus.TODO, "waits_for"),
        (TaskStatus.IN_PROGRESS, "waits_for"),
        (TaskStatus.IN_REVIEW, "waits_for"),
        (TaskStatus.DONE, "planned"),
        (TaskStatus.FAILED, "blocker_lost"),
        (TaskStatus.CANCELLED, "blocker_lost"),
        (TaskStatus.BLOCKED, "blocker_stands"),
        (TaskStatus.INTERRUPTED, "blocker_stands"),
    ],
)
def test_a_hard_dependency_is_done_first(status: TaskStatus, code: str) -> None:
    assert made(task("a", status=status), task("b"), edges=hard("b>a"))["b"] == code
    elsewhere = plan(seen(task("b"), edges=hard("b>a"), outside={"a": status}), "w")
    expected = "waits_for" if code == "blocker_stands" else code  # it may go on by itself there
    assert why(elsewhere)["b"] == expected


@pytest.mark.proves("A-13")
def test_a_soft_dependency_only_sorts() -> None:
    edges = (typed("a>b", D.SOFT, S.ARCHITECTURE),)
    wave = plan(seen(task("a"), task("b"), edges=edges), "w")
    assert wave.runnable_task_ids == ("b", "a")
    gone = (typed("a>gone", D.SOFT, S.USER),)
    assert plan(seen(task("a"), edges=gone), "w").faults == (
        Fault(code="dangling", path=("a", "gone")),
    )


@pytest.mark.proves("A-13")
def test_who_goes_first() -> None:
    """Never begun, then priority, then the critical path, then the number."""
    tasks = [
        task("a"),
        task("b", attempts=1, priority=9),
        task("c", priority=5),
        task("d"),
        task("e"),
    ]
    wave = plan(seen(*tasks, edges=hard("e>d")), "w")
    assert wave.runnable_task_ids == ("c", "d", "a", "b")


@pytest.mark.proves("A-41")
def test_a_planned_serialization_goes_one_after_the_other_while_the_first_can() -> None:
    edges = (typed("b>a", D.SERIALIZATION, S.ARCHITECTURE),)
    for status in (TaskStatus.TODO, TaskStatus.IN_PROGRESS, TaskStatus.IN_REVIEW):
        assert made(task("a", status=status), task("b"), edges=edges)["b"] == "serialized"
    for status in (TaskStatus.BLOCKED, TaskStatus.DONE, TaskStatus.FAILED):
        assert made(task("a", status=status), task("b"), edges=edges)["b"] == "planned"


@pytest.mark.proves("A-11", "A-12")
def test_a_graph_that_says_two_things_is_named_with_its_path() -> None:
    tasks = [task(name) for name in "abcde"]
    wave = plan(seen(*tasks, edges=hard("a>b", "b>c", "c>a", "e>d", "d>x")), "w")
    assert wave.faults == (
        Fault(code="dangling", path=("d", "x")),
        Fault(code="circle", path=("a", "b", "c", "a")),
    )
    assert (wave.step, wave.reason.code) == (Step.BLOCKED, "invalid")
    assert wave.blocked_task_ids == ("a", "b", "c", "d", "e")
    assert not wave.runnable_task_ids
    own = plan(seen(task("a"), edges=hard("a>a")), "w")
    assert own.faults == (Fault(code="circle", path=("a", "a")),)
    mixed = (*hard("a>b"), typed("b>a", D.SERIALIZATION, S.USER))
    assert plan(seen(task("a"), task("b"), edges=mixed), "w").step is Step.BLOCKED


@pytest.mark.proves("A-12", "C-82")
def test_what_runs_in_an_invalid_graph_goes_on() -> None:
    at_work = task("c", status=TaskStatus.IN_PROGRESS, live=True)
    wave = plan(seen(task("a"), at_work, edges=hard("a>a")), "w")
    assert (wave.step, wave.reason.code) == (Step.WAITING, "invalid")
    assert why(wave) == {"a": "invalid", "c": "at_work"}
    assert wave.blocked_task_ids == ("a",)
    busy = plan(seen(task("a"), edges=hard("a>a"), busy=True), "w")
    assert busy.step is Step.WAITING


@pytest.mark.proves("A-12")
def test_what_waits_for_a_task_that_nobody_takes_is_blocked_too() -> None:
    edges = (*hard("b>a", "c>b"), typed("d>a", D.SERIALIZATION, S.USER))
    tasks = [task("a", assignee_agent_id="gone"), *(task(name) for name in "bcd")]
    wave = plan(seen(*tasks, edges=edges), "w")
    assert why(wave) == {
        "a": "agent_refused",
        "b": "blocker_stands",
        "c": "blocker_stands",
        "d": "planned",
    }
    assert wave.blocked_task_ids == ("a", "b", "c")
    wave = plan(seen(*tasks[:3], edges=edges[:2]), "w")
    assert wave.step is Step.BLOCKED


@pytest.mark.proves("A-11")
def test_what_is_over_or_was_inferred_makes_no_graph_invalid() -> None:
    done = [task("a", status=TaskStatus.DONE), task("b", status=TaskStatus.DONE), task("c")]
    assert plan(seen(*done, edges=hard("a>b", "b>a", "a>x")), "w").step is Step.RUNNABLE
    inferred = tuple(typed(text, D.CONFLICT, S.SCHEDULER) for text in ("c>x", "c>a", "c>c"))
    assert plan(seen(*done, edges=inferred), "w").runnable_task_ids == ("c",)
    softly = tuple(typed(text, D.SOFT, S.USER) for text in ("c>d", "d>c"))
    assert len(plan(seen(task("c"), task("d"), edges=softly), "w").runnable_task_ids) == 2


@pytest.mark.proves("A-11")
def test_a_task_in_progress_that_nobody_works_on_is_dispatched_again() -> None:
    lost = task("a", status=TaskStatus.IN_PROGRESS, attempts=1)
    wave = plan(seen(lost, task("b", status=TaskStatus.IN_PROGRESS, live=True)), "w")
    assert wave.orphaned_task_ids == ("a",)
    assert wave.runnable_task_ids == ("a",)


# --- what comes next -----------------------------------------------------------------------------


@pytest.mark.proves("A-12", "A-18", "A-05")
@pytest.mark.parametrize(
    ("tasks", "busy", "step", "blocked"),
    [
        ([], False, Step.WAITING, ()),
        ([{"status": "done"}, {"status": "failed"}], False, Step.TERMINAL, ()),
        ([{"status": "done"}, {}], False, Step.RUNNABLE, ()),
        ([{"status": "blocked"}, {}], False, Step.RUNNABLE, ("a",)),
        ([{"status": "blocked"}], False, Step.BLOCKED, ("a",)),
        ([{"status": "blocked"}], True, Step.WAITING, ("a",)),
        ([{"status": "interrupted"}], False, Step.BLOCKED, ("a",)),
        ([{"status": "interrupted", "live": True}], False, Step.WAITING, ()),
        ([{"status": "blocked"}, {"status": "in_review"}], False, Step.WAITING, ("a",)),
        ([{"status": "in_progress", "live": True}], False, Step.WAITING, ()),
        ([{"held_by": "requirement"}], False, Step.BLOCKED, ("a",)),
        ([{"assignee_agent_id": "nobody"}], False, Step.BLOCKED, ("a",)),
    ],
)
def test_the_next_step_is_one_of_four(
    tasks: list[dict[str, Any]], busy: bool, step: Step, blocked: tuple[str, ...]
) -> None:
    seen_tasks = [
        task(name, **{**values, "status": TaskStatus(values.get("status", "todo"))})
        for name, values in zip("ab", tasks, strict=False)
    ]
    wave = plan(seen(*seen_tasks, busy=busy), "w")
    assert (wave.step, wave.blocked_task_ids) == (step, blocked)
    assert (wave.reason.code == "awaiting_initial_work") is (not tasks)


@pytest.mark.proves("C-82")
@pytest.mark.parametrize(
    "waits",
    [
        {"due_at": LATER},
        {"due_at": LATER, "status": TaskStatus.IN_PROGRESS, "live": True},
        {"due_at": LATER, "status": TaskStatus.INTERRUPTED},
        {"due_at": LATER, "held_by": "hold"},
    ],
)
def test_what_has_a_time_is_waited_for_until_then(waits: dict[str, Any]) -> None:
    wave = plan(seen(task("a", status=TaskStatus.BLOCKED), task("b", **waits)), "w")
    assert (wave.step, wave.until) == (Step.WAITING, LATER)
    sooner = plan(seen(task("a", due_at=SOON), task("b", **waits)), "w")
    assert sooner.until == SOON
    assert plan(seen(task("a", due_at=NOW)), "w").step is Step.RUNNABLE


# --- room and agents -----------------------------------------------------------------------------


@pytest.mark.proves("A-33")
def test_less_room_begins_less_and_ends_nothing() -> None:
    tasks = [task(name) for name in "abcd"]
    wave = plan(seen(*tasks, resources=Resources(gauge=CALM, most=2)), "w")
    assert wave.runnable_task_ids == ("a", "b")
    assert wave.tasks["c"].values == {"most": 2, "limit": "user"}
    others = Resources(gauge=CALM, most=3, other_runs=2)
    assert plan(seen(*tasks, resources=others), "w").runnable_task_ids == ("a",)
    tasks[:2] = [replace(one, live=True, status=TaskStatus.IN_PROGRESS) for one in tasks[:2]]
    full = Resources(gauge=replace(CALM, memory=0.97), most=4)
    wave = plan(seen(*tasks, resources=full), "w")
    assert why(wave) == {"a": "at_work", "b": "at_work", "c": "no_room", "d": "no_room"}
    assert wave.step is Step.WAITING


@pytest.mark.proves("W-15")
@pytest.mark.parametrize(
    ("agent", "code", "step"),
    [
        ({}, "planned", Step.RUNNABLE),
        ({"active": 1}, "agent_busy", Step.WAITING),
        ({"queued": 1}, "agent_busy", Step.WAITING),
        ({"active": 1, "queued": 1, "capacity": 3}, "planned", Step.RUNNABLE),
        ({"refused": "paused"}, "agent_refused", Step.BLOCKED),
        ({"refused": "cooldown", "until": SOON}, "agent_rests", Step.WAITING),
        ({"refused": "cooldown", "until": NOW}, "planned", Step.RUNNABLE),
        ({"account": "held"}, "agent_rests", Step.WAITING),
        ({"account": "signed_out"}, "agent_refused", Step.BLOCKED),
    ],
)
@pytest.mark.parametrize("assignee", [None, "worker-1"])
def test_an_agent_is_given_work_when_it_may_have_it(
    agent: dict[str, Any], code: str, step: Step, assignee: str | None
) -> None:
    resources = Resources(gauge=CALM, holds={"held": SOON, "signed_out": None})
    one = task("a", assignee_agent_id=assignee)
    wave = plan(seen(one, agents=agents(1, **agent), resources=resources), "w")
    assert (wave.tasks["a"].code, wave.step) == (code, step)
    assert wave.until == (SOON if code == "agent_rests" else None)


@pytest.mark.proves("W-02")
def test_who_has_least_to_do_gets_it_and_then_who_had_nothing_longest() -> None:
    crew = (
        PlanAgent(id="a1", role="worker", capacity=9, active=1, last_assigned_seq=1),
        PlanAgent(id="a2", role="worker", capacity=9, queued=1, last_assigned_seq=2),
        PlanAgent(id="a3", role="worker", capacity=9, last_assigned_seq=9),
    )
    wave = plan(seen(*(task(name) for name in "abcd"), agents=crew), "w")
    assert [wave.agent_assignments[name] for name in "abcd"] == ["a3", "a1", "a2", "a3"]


@pytest.mark.proves("W-02")
@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_equal_agents_get_equally_much_over_many_plans(count: int) -> None:
    crew = list(agents(count))
    got: Counter[str] = Counter({one.id: 0 for one in crew})
    for number in range(40):
        wave = plan(seen(task("a", number=number), agents=tuple(crew)), "w")
        chosen = wave.agent_assignments["a"]
        got[chosen] += 1
        place = next(n for n, one in enumerate(crew) if one.id == chosen)
        crew[place] = replace(crew[place], last_assigned_seq=number + 1)
        assert max(got.values()) - min(got.values()) <= 1


@pytest.mark.proves("W-15")
def test_the_role_that_is_wanted_and_who_takes_its_place() -> None:
    crew = (*agents(1), *agents(1, "debugger"))
    bug = task("d", work=Work.DEBUG)
    assert plan(seen(bug, agents=crew), "w").agent_assignments == {"d": "debugger-1"}
    paused = (*agents(1), *agents(1, "debugger", refused="paused"))
    assert plan(seen(bug, agents=paused), "w").agent_assignments == {"d": "worker-1"}
    assert plan(seen(bug, agents=agents(1)), "w").agent_assignments == {"d": "worker-1"}
    assert made(task("r", work=Work.REVIEW), agents=agents(1))["r"] == "no_agent"
    busy = (*agents(1), *agents(1, "debugger", active=1))
    assert made(bug, agents=busy)["d"] == "agent_busy"  # it is waited for
    barred = replace(bug, barred_agents=frozenset({"debugger-1", "worker-1"}))
    assert made(barred, agents=crew)["d"] == "no_agent"
    own = replace(bug, assignee_agent_id="worker-1", barred_agents=frozenset({"worker-1"}))
    assert made(own, agents=crew)["d"] == "agent_refused"
    avoids = replace(bug, avoided_agents=frozenset({"worker-1"}))
    assert plan(seen(avoids, agents=agents(2)), "w").agent_assignments == {"d": "worker-2"}
    assert plan(seen(avoids, agents=agents(1)), "w").agent_assignments == {"d": "worker-1"}


@pytest.mark.proves("A-18", "A-17")
def test_a_plan_can_be_stored_and_tells_all() -> None:
    tasks = [
        task("a"),
        task("b", write_area=("a/x",), due_at=NOW),
        task("c", due_at=LATER, workspace_strategy=WorkspaceStrategy.WORKTREE),
        task("w", workspace_strategy=WorkspaceStrategy.WORKTREE),
    ]
    stored = as_json(plan(seen(*tasks, agents=agents(3, models=("big", "small"))), "wave-7"))
    assert isinstance(stored, dict)
    micros = int(LATER.timestamp()) * 1_000_000
    assert stored["wave_id"] == "wave-7"
    assert stored["runnable_task_ids"] == ["a", "w"]
    assert stored["serialized_task_ids"] == ["b"]
    assert stored["until"] == micros
    assert stored["tasks"]["c"] == {"code": "later", "values": {"until": micros}}
    assert stored["workspace_assignments"]["w"] == {
        "strategy": "worktree",
        "read_only": False,
        "base": None,
    }
    assert stored["model_assignments"]["a"] == {
        "policy": "agent_select",
        "model": "big",
        "allowed": ["big", "small"],
        "reason": {"code": "agents_own", "values": {}},
    }
    assert stored["reason"] == {
        "code": "runnable",
        "values": {
            "tasks": {"planned": 2, "same_area": 1, "later": 1},
            "live": 0,
            "most": 8,
            "limit": "cores",
        },
    }
    assert stored["edges"][0]["source"] == "scheduler"


def test_the_order_in_which_things_are_handed_in_is_no_matter() -> None:
    tasks = [task(name, write_area=("x",) if name in "bd" else (name,)) for name in "abcd"]
    edges = (*hard("a>b"), edge("c>d", dependency_type=D.SOFT))
    one = plan(seen(*tasks, edges=edges), "w")
    shuffled = Seen(
        now=NOW,
        tasks=tuple(reversed(tasks)),
        edges=tuple(reversed(edges)),
        agents=tuple(reversed(agents(9))),
        resources=Resources(gauge=CALM),
    )
    other = plan(shuffled, "w")
    assert other.runnable_task_ids == one.runnable_task_ids
    assert other.agent_assignments == one.agent_assignments
    assert other.tasks == one.tasks
    assert other.edges == one.edges
