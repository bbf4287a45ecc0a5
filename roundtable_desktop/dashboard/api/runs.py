"""The API's routes about runs."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from roundtable_desktop.dashboard.api.events import EventRow
from roundtable_desktop.dashboard.api.explanations import Explained, explained
from roundtable_desktop.dashboard.api.other_names import OfAgent
from roundtable_desktop.dashboard.api.shapes import (
    Instant,
    Moment,
    Object,
    Ref,
    Shown,
    Stored,
    Words16,
    asked,
    said,
)
from roundtable_desktop.dashboard.reading import Asked, Listed, Once, Paging, Words, listed
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.dashboard.signin import Caller
from roundtable_desktop.engine.desk import Desk, run_control
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model import records
from roundtable_desktop.model.errors import Busy
from roundtable_desktop.model.records import Subject
from roundtable_desktop.model.states import RunOutcome
from roundtable_desktop.phrases.misfits import unfit
from roundtable_desktop.phrases.moved import code_of

Outcome = Literal[
    "done",
    "no_changes",
    "no_result",
    "blocked",
    "task_failed",
    "limited",
    "crashed",
    "lost",
    "timed_out",
    "interrupted",
    "cancelled",
]


class RunsAsked(Paging, OfAgent):
    """since, until: when it was decided to start it; the second is not included. q: stands in its
    task's title, in what it said at its end, or in its error."""

    workspace_id: Ref | None = None
    status: Literal["starting", "running", "finished", "failed", "cancelled"] | None = None
    outcome: Outcome | None = None
    agent_id: Ref | None = None
    task_id: Ref | None = None
    routine_id: Ref | None = None
    wakeup_id: Ref | None = None
    since: Instant | None = None
    until: Instant | None = None
    q: Annotated[str, Field(max_length=200)] = ""


class RunRow(Shown):
    """gate_id, judged_task_id: of a run that judges the work on a task, and is none of its
    attempts."""

    id: str
    workspace_id: str
    status: str
    outcome: str | None
    wakeup_id: str
    agent_id: str
    task_id: str | None
    gate_id: str | None
    judged_task_id: str | None
    attempt_index: int | None
    created_at: Moment
    started_at: Moment | None
    ended_at: Moment | None
    exit_code: int | None
    output_summary: str


class RunError(Shown):
    kind: str
    text: str | None
    signature: str | None


class ProcessRow(Shown):
    pid: int
    name: str | None
    role: str
    started_at: Moment | None
    alive: bool
    cpu: float | None
    rss: int | None


class MovedRow(Shown):
    """Something of the user's repository that is not as it was before the run. by: agent, or
    unknown: it changed during the run. command: what would put it back."""

    what: str
    name: str
    old: str | None
    new: str | None
    by: str
    keys: list[str]
    command: str
    sentence: str


class MisfitRow(Words):
    """What of its report does not fit; pointer: into what it sent, "" for all of it."""

    pointer: str
    sentence: str


class MessageRow(Shown):
    """What a person told its agent. state: `read` when the turn that began with it has ended;
    comment_id: of the comment on its task that one became which the agent did not come to hear."""

    id: str
    text: str
    at: Moment
    state: Literal["sent", "read", "not_delivered"]
    comment_id: str | None


class RunDetail(RunRow):
    """Seed 001's RunDetail, as far as this version knows it. left_commit: what a run without a
    task left in copy_folder; where that could not be, the copy is kept as it is. session_anew: the
    code for why an earlier conversation was not gone on with, session_note the agent's own words.
    swept: processes that it left running and that were ended. memory: bytes that all its processes
    had in use at once, and most_memory that they might. discarded: what it changed in a copy
    that was to be looked at only. repository_moved: of a run in a linked working tree. stopping: a
    person asked for its end, and it has not come yet. report_unfit: the report that was not taken,
    as it was sent but for secrets, and report_misfits: why; null where there is none."""

    base_commit: str | None
    left_commit: str | None
    copy_folder: str | None
    copy_kept: bool
    discarded: list[str]
    repository_moved: list[MovedRow]
    model: str | None
    model_from: str | None
    last_pulse_at: Moment | None
    session_id: str | None
    session_loaded: bool | None
    session_anew: str | None
    session_note: str
    swept: int
    memory: int | None
    most_memory: int | None
    waiting_since: Moment | None
    stopping: bool
    usage: Object | None
    error: RunError | None
    result_json: Object
    report_unfit: str | None
    report_misfits: list[MisfitRow]
    assembled_prompt: str
    summary_injected: str
    context_snapshot: Stored
    processes: list[ProcessRow]
    messages: list[MessageRow]


class RunEventsAsked(Asked):
    """after: the id of the last event that the caller has."""

    after: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=200)] = 200


class RunDiff(Shown):
    """diff: as text, at most 256 KB of it; diff_complete tells whether that is all. head_commit is
    null while there is nothing to compare: it works, or left nothing."""

    base_commit: str | None
    head_commit: str | None
    diff: str
    diff_complete: bool


class Told(Words):
    text: Annotated[Words16, Field(min_length=1)]


def moved_row(told: Mapping[str, Any]) -> MovedRow:
    return MovedRow(sentence=said(code_of(told), dict(told)), **told)


def detail(run: records.Run, look: Look) -> RunDetail:
    error = None
    if run.error_kind:
        error = RunError(kind=run.error_kind, text=run.error_text, signature=run.error_signature)
    processes = [ProcessRow.of(one) for one in look.processes(run)]
    (placed,) = look.placed([run])
    beside = look.beside(run)
    return RunDetail.of(
        run,
        error=error,
        processes=processes,
        copy_folder=placed.copy,
        session_loaded=beside.loaded,
        session_anew=beside.anew,
        session_note=beside.note,
        swept=beside.swept,
        memory=beside.memory,
        most_memory=beside.most_memory,
        messages=[MessageRow.of(one) for one in beside.said],
        report_unfit=beside.unfit,
        report_misfits=[
            MisfitRow(pointer=one.pointer, sentence=unfit(one.code, one.values))
            for one in beside.misfits
        ],
        discarded=look.copies.discarded(run),
        repository_moved=[moved_row(one) for one in look.copies.moved(run)],
    )


def declare(api: Api, desk: Desk, look: Look) -> None:
    _declare_reads(api, look)

    @api.route("POST", "/api/v1/runs/<ref>/cancel", errors=(404, 409))
    def cancel_run(caller: Caller, ref: str, once: Once | None) -> RunDetail:
        """Ends its turn and every process of it; it is over within 15 s. Its task stands still
        until somebody says how it goes on, and its conversation is kept for then."""
        run = run_control.cancel(desk, asked(caller, once), look.run(ref).id)
        return detail(run, look)

    @api.route("POST", "/api/v1/runs/<ref>/message", errors=(404, 409))
    def tell_run(caller: Caller, ref: str, body: Told, once: Once | None) -> RunDetail:
        """Tells its agent something; it hears it when its present turn ends, in the same
        conversation. `messages` says what became of it: if the run is over first, it is a comment
        on its task. 409 `agent_cannot_hear` for programs that get one prompt and no more."""
        who = asked(caller, once)
        return detail(run_control.message(desk, who, look.run(ref).id, body.text), look)


def _declare_reads(api: Api, look: Look) -> None:
    @api.route("GET", "/api/v1/runs")
    def list_runs(query: RunsAsked) -> Listed[RunRow]:
        """Runs, newest first."""
        return listed(Listed[RunRow], query, look.lists.runs, RunRow.of)

    @api.route("GET", "/api/v1/runs/<ref>")
    def show_run(ref: str) -> RunDetail:
        """One run with its prompt, its result and its processes."""
        return detail(look.run(ref), look)

    @api.route("GET", "/api/v1/runs/<ref>/events")
    def show_run_events(ref: str, query: RunEventsAsked) -> Listed[EventRow]:
        """What happened to it, oldest first; go on with `after`, which is the cursor."""
        about = Subject("run", look.run(ref).id)
        found = look.events_on(about, query.after, query.limit + 1)
        kept = found[: query.limit]
        more = str(kept[-1].id) if len(found) > len(kept) else None
        return Listed[EventRow](items=[EventRow.of(one) for one in kept], next_cursor=more)

    @api.route("GET", "/api/v1/runs/<ref>/diff", errors=(503,))
    def show_run_diff(ref: str) -> RunDiff:
        """What it proposed, or what it left without a task."""
        seen = look.diffs.of_run(look.run(ref))
        if seen.failed is not None:
            raise Busy("git_failed", text=seen.failed)
        return RunDiff(
            base_commit=seen.base,
            head_commit=seen.head,
            diff=seen.text,
            diff_complete=seen.complete,
        )

    @api.route("GET", "/api/v1/runs/<ref>/explain")
    def explain_run(ref: str) -> Explained:
        """Why it ran, and why it ended as it did."""
        return explained(look.explain_run(look.run(ref)))


assert set(RunOutcome) == set(get_args(Outcome))
