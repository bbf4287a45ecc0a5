"""Which tasks stay apart in a wave: areas, reviews, debuggers and tools; and the edges of it."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from wave_world import CALM, agents, seen, task, why

from roundtable_desktop.model.copies import WorkspaceStrategy
from roundtable_desktop.model.resources import Resources
from roundtable_desktop.model.states import DependencySource, DependencyType, TaskStatus
from roundtable_desktop.model.waves import PlanEdge, PlanTask, Step, Work, WorkspacePlan
from roundtable_desktop.rules.waves import plan

D, S = DependencyType, DependencySource


def made(*tasks: PlanTask, **more: Any) -> dict[str, str]:
    return why(plan(seen(*tasks, **more), "w"))


@pytest.mark.proves("A-14", "A-41")
@pytest.mark.parametrize(
    ("one", "other", "code", "inferred"),
    [
        (("a.py",), ("b.py",), "planned", None),
        (("a.py",), ("a.py",), "same_area", D.CONFLICT),
        (("a.py#1-9",), ("a.py#20-30",), "planned", None),
        (("src/",), ("src/b.py",), "same_area", D.CONFLICT),
        ((), ("b.py",), "area_unknown", D.SERIALIZATION),
        (("a.py",), (), "area_unknown", D.SERIALIZATION),
        ((), (), "area_unknown", D.SERIALIZATION),
    ],
)
def test_what_may_write_the_same_is_done_one_after_the_other(
    one: tuple[str, ...], other: tuple[str, ...], code: str, inferred: D | None
) -> None:
    first = task("a", write_area=one)
    for before in (first, replace(first, live=True), replace(first, status=TaskStatus.IN_REVIEW)):
        wave = plan(seen(before, task("b", write_area=other)), "w")
        assert wave.tasks["b"].code == code
        expected = ()
        if inferred is not None:
            expected = (
                PlanEdge(
                    task_id="b",
                    depends_on_task_id="a",
                    dependency_type=inferred,
                    source=S.SCHEDULER,
                    reason=code,
                ),
            )
        assert wave.edges == expected
        assert wave.serialized_task_ids == (("b",) if inferred else ())
    for over in (TaskStatus.DONE, TaskStatus.FAILED, TaskStatus.BLOCKED):
        wave = plan(seen(replace(first, status=over), task("b", write_area=other)), "w")
        assert wave.tasks["b"].code == "planned"


@pytest.mark.proves("A-14")
def test_expected_files_and_what_earlier_attempts_changed_are_part_of_the_area() -> None:
    for field in ("expected_files", "learned"):
        other = task("b", write_area=(), **{field: ("a/x.py",)})
        wave = plan(seen(task("a"), other), "w")
        assert wave.tasks["b"].values == {"task": "a", "path": "a/x.py", "other": "a/"}


@pytest.mark.proves("A-14", "A-41")
def test_an_inferred_edge_is_made_once_and_holds_in_both_directions() -> None:
    tasks = [task("a", write_area=("x",)), task("b", write_area=("x",))]
    edges = plan(seen(*tasks), "w").edges
    again = plan(seen(*tasks, edges=edges), "w")
    assert why(again) == {"a": "planned", "b": "serialized"}
    assert again.edges == ()
    assert again.serialized_task_ids == ("b",)
    other = [replace(tasks[0], attempts=1), tasks[1]]  # the other one is first by now
    assert why(plan(seen(*other, edges=edges), "w")) == {"b": "planned", "a": "serialized"}
    apart = [task("a"), task("b")]  # it stands, though nobody could infer it from these
    assert why(plan(seen(*apart, edges=edges), "w"))["b"] == "serialized"


@pytest.mark.proves("A-14")
def test_an_edge_for_an_unknown_area_binds_until_the_area_is_known() -> None:
    unknown = [task("a", write_area=()), task("b")]
    edges = plan(seen(*unknown), "w").edges
    assert why(plan(seen(*unknown, edges=edges), "w"))["b"] == "serialized"
    known = [task("a", write_area=(), learned=("a/x.py",)), task("b")]
    assert why(plan(seen(*known, edges=edges), "w"))["b"] == "planned"


@pytest.mark.proves("A-14")
def test_many_tasks_of_one_file_get_few_edges_each() -> None:
    tasks = [task(f"t{n:02}", number=n, write_area=("one.py",)) for n in range(30)]
    edges: tuple[PlanEdge, ...] = ()
    for index in range(30):
        wave = plan(seen(*tasks, edges=edges), "w")
        assert wave.runnable_task_ids == (f"t{index:02}",)
        edges += wave.edges
        tasks[index] = replace(tasks[index], status=TaskStatus.DONE)
    assert max(Counter(one.task_id for one in edges).values()) == 8


@pytest.mark.proves("A-30")
def test_a_retry_that_was_told_to_be_alone_is_alone() -> None:
    wave = plan(seen(task("a", serial=True), task("b")), "w")
    assert why(wave) == {"a": "planned", "b": "area_unknown"}


@pytest.mark.proves("A-15")
def test_reviews_are_beside_each_other_and_only_on_a_snapshot_beside_work() -> None:
    reviewers = (*agents(3), *agents(3, "reviewer"))
    one = task("r", work=Work.REVIEW, write_area=("a/",))
    other = task("s", work=Work.REVIEW, write_area=("a/",))
    assert set(made(one, other, agents=reviewers).values()) == {"planned"}
    at_work = task("a", live=True, status=TaskStatus.IN_PROGRESS)
    wave = plan(seen(at_work, one, agents=reviewers), "w")
    assert wave.tasks["r"].code == "unstable"
    assert [edge.dependency_type for edge in wave.edges] == [D.SERIALIZATION]
    assert made(replace(at_work, status=TaskStatus.IN_REVIEW), one, agents=reviewers)["r"] == (
        "unstable"
    )
    elsewhere = task("b", live=True, status=TaskStatus.IN_PROGRESS)
    assert made(elsewhere, one, agents=reviewers)["r"] == "planned"
    looked_at = replace(one, live=True, status=TaskStatus.IN_PROGRESS)
    assert made(looked_at, task("a"), agents=reviewers)["a"] == "unstable"
    on_snapshot = replace(one, snapshot="c0ffee")
    wave = plan(seen(at_work, on_snapshot, agents=reviewers), "w")
    assert wave.workspace_assignments["r"] == WorkspacePlan(
        strategy=WorkspaceStrategy.MAIN, read_only=True, base="c0ffee"
    )
    assert wave.agent_assignments["r"].startswith("reviewer")


@pytest.mark.proves("A-16")
def test_a_debugger_keeps_apart_from_what_touches_where_it_failed() -> None:
    bug = task("d", work=Work.DEBUG, write_area=("fix/",), failure_surface=("src/core/",))
    at_work = {"live": True, "status": TaskStatus.IN_PROGRESS}
    touches = task("a", write_area=("src/core/x.py",), **at_work)
    wave = plan(seen(touches, bug), "w")
    assert wave.tasks["d"].code == "failure_surface"
    assert wave.edges[0].dependency_type is D.SERIALIZATION
    assert made(task("a", **at_work), bug)["d"] == "planned"
    debugging = replace(bug, live=True, status=TaskStatus.IN_PROGRESS)
    assert made(debugging, replace(touches, live=False, status=TaskStatus.TODO))["a"] == (
        "failure_surface"
    )
    silent = task("d", work=Work.DEBUG, write_area=(), failure_surface=("src/core/",))
    assert made(silent, task("e"))["e"] == "planned"  # it works where the failure is


@pytest.mark.proves("A-33")
def test_a_tool_that_is_used_alone_serializes_too() -> None:
    one, other = task("a", locks=("gradle",)), task("b", locks=("npm", "gradle"))
    wave = plan(seen(one, other), "w")
    assert wave.tasks["b"].values == {"lock": "gradle", "task": "a"}
    assert [one.reason for one in wave.edges] == ["locked"]
    outside = Resources(gauge=CALM, locks=frozenset({"gradle"}))
    wave = plan(seen(one, resources=outside), "w")
    assert (why(wave), wave.step, wave.edges) == ({"a": "locked"}, Step.WAITING, ())
