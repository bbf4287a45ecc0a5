"""How the API shows missions: how each stands, its graph, its waves with their reasons."""

from collections.abc import Mapping, Sequence
from typing import Any

from roundtable_desktop.dashboard.api.control import Ended
from roundtable_desktop.dashboard.api.shapes import Moment, Object, Say, Shown, Stored, said
from roundtable_desktop.dashboard.api.tasks_shown import EdgeShown
from roundtable_desktop.dashboard.plan_words import Telling
from roundtable_desktop.dashboard.reading import Words
from roundtable_desktop.engine.desk.ending import Stopped
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_missions import Detail, Node, Told
from roundtable_desktop.model.convergence import Converged
from roundtable_desktop.model.missions import Mission, MissionOutcome, MissionState, Wave
from roundtable_desktop.phrases import SENTENCES
from roundtable_desktop.phrases.mission_words import CONVERGENCE

WAVES = 20
"""The last of them, in the detail; all have a list of their own."""


class Count(Words):
    """Of its tasks, by how they stand; the root, which is its coordinator's, is none of them."""

    todo: int = 0
    in_progress: int = 0
    in_review: int = 0
    blocked: int = 0
    interrupted: int = 0
    done: int = 0
    failed: int = 0
    cancelled: int = 0


class MissionRow(Shown):
    """outcome, reason: of one that is over. sentence: how it stands. root_task_id: the task of its
    coordinator, whose description is the goal. error: of the looks at it that failed."""

    id: str
    workspace_id: str
    seq: int
    slug: str
    goal: str
    base_branch: str
    base_commit: str
    integration_branch: str
    root_task_id: str
    coordinator_agent_id: str | None
    delivery: str
    state: str
    phase: str
    outcome: str | None
    reason: str | None
    sentence: str
    counts: Count
    error: Stored | None
    consecutive_errors: int
    last_exit: Stored | None
    started_at: Moment
    opened_at: Moment | None
    ended_at: Moment | None
    created_at: Moment
    updated_at: Moment
    revision: int


class MissionTask(Shown):
    """A task of the graph; all of it is at /tasks/{id}. wave: the number of the newest wave that
    set it off. depth: how many tasks must be done before it, one after the other. why: of the
    newest plan, with its sentence; null when the task is over."""

    id: str
    number: int
    title: str
    status: str
    purpose: str
    optional: bool
    priority: int
    assignee_agent_id: str | None
    write_area: list[str]
    wave: int | None
    depth: int
    depends_on: list[EdgeShown]
    live_run_id: str | None
    why: Stored | None
    sentence: str


class TaskReason(Words):
    """Why a task was in the wave, or was not."""

    task_id: str
    code: str
    values: Stored
    sentence: str


class WaveRow(Shown):
    """plan: as it was stored: `wave_id, step, reason, runnable_task_ids, serialized_task_ids,
    agent_assignments, workspace_assignments, model_assignments, edges, tasks, …`. reasons: those of
    its tasks in sentences."""

    id: str
    mission_id: str
    number: int
    created_at: Moment
    ended_at: Moment | None
    plan: Stored
    sentence: str
    reasons: list[TaskReason]


class ConvergenceShown(Words):
    """How the mission stands by the states of its rows: active, completed or blocked. It is never a
    verdict on tests: `basis` is always "state", and `is_test_verdict` false (R-29). failed,
    skipped, cancelled, blocked: ids of tasks; those skipped are optional and failed. gates_not_run:
    those that a policy skipped. held_task_ids: they wait until somebody says what a change of
    requirements means for them."""

    state: str
    reason: str
    outcome: str | None
    sentence: str
    basis: str
    is_test_verdict: bool
    failed: list[str]
    skipped: list[str]
    cancelled: list[str]
    blocked: list[str]
    gates_not_run: list[str]
    held_task_ids: list[str]


class SnapshotShown(Shown):
    """How it stood when a `roundtable run` came (`initial`) or went (`final`)."""

    kind: str
    state: str
    phase: str
    counts: Object
    at: Moment


class MissionEnded(MissionRow):
    """killed, survivors: the processes that were ended, and those that could not be."""

    killed: list[Ended]
    survivors: list[Ended]


class MissionDetail(MissionRow):
    """waves: the last 20, newest first; /waves has all. report: what a person is told at its end,
    or while it is blocked."""

    tasks: list[MissionTask]
    waves: list[WaveRow]
    waves_count: int
    convergence: ConvergenceShown
    report: Stored | None
    snapshots: list[SnapshotShown]


def sentence_of(mission: Mission, say: Say = said) -> str:
    """How it stands, in words."""
    why = reason_of(mission, say)
    code = str(mission.state)
    if mission.outcome is MissionOutcome.WITH_FAILURES:
        code = str(mission.outcome)
    text = (mission.error or {}).get("text", "")
    return say(f"mission_is_{code}", {"why": why, "text": text})


def reason_of(mission: Mission, say: Say = said) -> str:
    """Why it stands still or was given up; "" where nobody has said it."""
    if mission.reason is None:
        return ""
    why: Any = (mission.report or {}).get("why") or {}
    error: Any = (mission.report or {}).get("error") or {}
    code = f"mission_{why.get('code', mission.reason)}"
    if code not in SENTENCES:
        return _converged(mission, say)
    return say(code, {"error": error.get("text", ""), **why})


def _converged(mission: Mission, say: Say) -> str:
    code = mission.reason or ""
    return say(code, {}) if code in CONVERGENCE else ""


def convergence_of(seen: Detail, say: Say = said) -> ConvergenceShown:
    """Of one that is over it is what was decided then."""
    found, mission = seen.converged, seen.told.mission
    decided = {
        MissionState.COMPLETED: Converged.COMPLETED,
        MissionState.BLOCKED: Converged.BLOCKED,
    }
    reason = str(found.reason)
    if mission.state in decided and mission.reason:
        reason = mission.reason
    return ConvergenceShown(
        state=str(decided.get(mission.state, found.state)),
        reason=reason,
        outcome=str(mission.outcome) if mission.outcome else None,
        sentence=say(reason, {}) if reason in CONVERGENCE else reason_of(mission, say),
        basis=found.basis,
        is_test_verdict=False,
        failed=list(found.failed),
        skipped=list(found.skipped),
        cancelled=list(found.cancelled),
        blocked=list(found.blocked),
        gates_not_run=list(found.gates_not_run),
        held_task_ids=sorted(seen.held),
    )


def row(told: Told) -> MissionRow:
    return MissionRow.of(told.mission, **_more(told))


def ended_row(told: Told, ended: Stopped) -> MissionEnded:
    return MissionEnded.of(
        told.mission,
        killed=[Ended.of(one) for one in ended.killed],
        survivors=[Ended.of(one) for one in ended.survivors],
        **_more(told),
    )


def _more(told: Told) -> Mapping[str, object]:
    return {"sentence": sentence_of(told.mission), "counts": Count(**told.counts)}


def detail(look: Look, mission: Mission) -> MissionDetail:
    seen = look.missions.detail(mission)
    words = Telling(said, seen.numbers, seen.names)
    return MissionDetail.of(
        mission,
        **_more(seen.told),
        tasks=[_task(one, words) for one in seen.nodes],
        waves=[_wave(one, words) for one in look.missions.waves(mission, None, WAVES)],
        waves_count=len(seen.waves),
        convergence=convergence_of(seen),
        snapshots=[SnapshotShown.of(one) for one in seen.snapshots],
        report=mission.report,
    )


def _task(node: Node, words: Telling) -> MissionTask:
    return MissionTask.of(
        node.task,
        write_area=list(node.task.write_area),
        wave=node.wave,
        depth=node.depth,
        depends_on=[EdgeShown.of(one) for one in node.edges],
        live_run_id=node.live.id if node.live else None,
        why=node.why,
        sentence=words.why(node.why),
    )


def waves_shown(look: Look, mission: Mission, found: Sequence[Wave]) -> list[WaveRow]:
    numbers, names = look.missions.named(mission)
    words = Telling(said, numbers, names)
    return [_wave(one, words) for one in found]


def _wave(wave: Wave, words: Telling) -> WaveRow:
    coded: Any = wave.plan.get("tasks") or {}
    reasons = [
        TaskReason(
            task_id=task,
            code=str(one["code"]),
            values=one.get("values") or {},
            sentence=words.why(one),
        )
        for task, one in coded.items()
    ]
    return WaveRow.of(wave, plan=wave.plan, sentence=words.step(wave.plan), reasons=reasons)
