"""The steps of the pipeline, each a gate or a part of the launch decision (K-38)."""

from dataclasses import replace

from roundtable_desktop.engine import gates as gates_flow
from roundtable_desktop.engine import graph, reviewing
from roundtable_desktop.engine.budgets import budget
from roundtable_desktop.engine.mission_control import mission_standing
from roundtable_desktop.engine.mission_gates import mission_plan
from roundtable_desktop.engine.pipeline import Case, Step
from roundtable_desktop.engine.routine_gates import idle_skip, probe, routine_standing
from roundtable_desktop.engine.summaries import remembered
from roundtable_desktop.engine.talk import all_said, known_in, unheard
from roundtable_desktop.engine.told_missions import told_mission
from roundtable_desktop.engine.told_routines import told_routine, told_task
from roundtable_desktop.model.payloads import Malformed, read_payload
from roundtable_desktop.model.records import PERSON, Run, Task, Wakeup
from roundtable_desktop.model.states import Level, RunOutcome, Source, TaskStatus, WakeupOutcome
from roundtable_desktop.model.times import micros
from roundtable_desktop.model.verdicts import Answer, Fail, Go, Hold, Launched
from roundtable_desktop.rules import admission, fitting
from roundtable_desktop.rules.executor import Chosen, model_of
from roundtable_desktop.rules.models import cross_model
from roundtable_desktop.rules.news import Attempt
from roundtable_desktop.rules.prompt import Told, prompt, resumed
from roundtable_desktop.rules.redact import clip
from roundtable_desktop.store import (
    comments,
    dependencies,
    missions,
    retries,
    runs,
    settings,
    tasks,
    verdicts,
    wakeups,
)
from roundtable_desktop.store.db import Tx, View

NEXT_BYTES = 2000
"""Of what an earlier attempt said comes next."""


def intake(tx: Tx, case: Case) -> Answer:
    """Asked again here: a force-stop may have come between the claim and this judgement."""
    return Go() if settings.of_home(tx).intake == "open" else Hold("intake", tx.now)


def payload(tx: Tx, case: Case) -> Answer:
    """K-03: what cannot be read is settled as malformed, not tried again and no crash."""
    try:
        read_payload(case.wakeup.source, dict(case.wakeup.payload))
    except Malformed as error:
        return Fail(WakeupOutcome.MALFORMED, {"fields": error.fields})
    return Go()


def agent_status(tx: Tx, case: Case) -> Answer:
    return admission.agent_status(case.agent)


def staleness(tx: Tx, case: Case) -> Answer:
    by_person = case.wakeup.source is Source.USER
    if case.task is not None and asks_for_more(tx, case.wakeup, case.task):
        graph.move(tx, case.ids, case.task, TaskStatus.TODO, actor=PERSON)
        tasks.fresh_budget(tx, case.task)
        case.task = tasks.get(tx, case.task.id)
    answer = admission.staleness(case.agent.id, case.wakeup.task_id, case.task, by_person=by_person)
    return admission.of_retry(answer) if case.wakeup.retry_count else answer


def asks_for_more(view: View, wakeup: Wakeup, task: Task) -> bool:
    """A person's word that came while the last attempt failed, or their answer: it is what was
    missing. An agent that has the task no more opens nothing."""
    if task.status is not TaskStatus.FAILED or task.assignee_agent_id != wakeup.agent_id:
        return False
    if wakeup.source is not Source.COMMENT:
        return wakeup.source is Source.APPROVAL_RESOLVED
    payloads = [cause["payload"] for cause in wakeup.causes()]
    said = [comments.get(view, str(one["comment_id"])) for one in payloads if isinstance(one, dict)]
    return any(one is not None and one.author_type == "person" for one in said)


def review_stage(tx: Tx, case: Case) -> Answer:
    """C-51: a reviewer's wake follows the stage of the work."""
    if reviewing.gate_of(case.wakeup) is None:
        return Go({"form": "none"})
    case.review = reviewing.of_wakeup(tx, case.wakeup)
    return reviewing.stage(case.review, case.wakeup)


def blockers(tx: Tx, case: Case) -> Answer:
    """K-53; what must come first is asked again here, whoever woke the agent."""
    if case.task is None:
        return Go()
    waiting_for = dependencies.waiting_for(tx, case.task.id)
    return admission.blockers(dependencies.numbers(waiting_for), tx.now)


def task_lease(tx: Tx, case: Case) -> Answer:
    """Takes the task for the run to come; given back when a later step says no."""
    if case.task is None:
        return Go()
    answer = admission.task_lease(runs.lease_holder(tx, case.task.id), tx.now)
    if isinstance(answer, Go):
        task_id = case.task.id
        taken = runs.check_out(tx, task_id=task_id, agent_id=case.agent.id, run_id=case.run_id)
        assert taken, "the holder was looked up in this transaction"
        case.undo.callback(runs.give_back, tx, task_id, case.run_id)
    return answer


def context(tx: Tx, case: Case) -> Answer:
    """What the agent is told (K-68); kept as `assembled_prompt`."""
    if case.review is not None:
        about = (case.wakeup, case.agent, case.workspace)
        case.prompt = reviewing.prompt_of(tx, case.review, *about)
        return Go({"characters": len(case.prompt)})
    earlier: list[Run] = []
    if case.task is None:
        earlier += filter(None, [runs.broken_off(tx, case.wakeup.id)])
    else:
        case.attempt = runs.next_attempt(tx, case.task.id)
        earlier = runs.of_task(tx, case.task.id)
    before = [_attempt(run) for run in earlier[-1:] if run.outcome is not None]
    known = known_in(tx, case.wakeup)
    words = Told(case.wakeup, case.workspace, case.agent, case.task, before, known=known)
    if case.task is None:
        words = replace(words, remembered=remembered(tx, case.wakeup))
    if case.wakeup.source is Source.ROUTINE:
        words = replace(words, routine=told_routine(tx, case.wakeup.payload))
    if case.task is not None:
        task, sent = told_task(tx, case.task)
        done = dependencies.done_before(tx, case.task.id)
        blockers = [f"T-{one.number}: {told_task(tx, one)[0].title}" for one in done]
        words = replace(words, task=task, sent=sent, before=blockers)
        words = replace(words, mission=told_mission(tx, case.task))
        fresh = unheard(tx, case.agent.id, case.task.id)
        case.resume_prompt = resumed(replace(words, news=[*before, *fresh]))
        words = replace(words, news=[*before, *all_said(tx, case.agent.id, case.task.id)])
    case.summary = words.remembered.content if words.remembered else ""
    case.prompt = prompt(words)
    return Go({"characters": len(case.prompt)})


def _attempt(run: Run) -> Attempt:
    """One that was broken off is told where it was (N-10)."""
    interrupted = run.outcome is RunOutcome.INTERRUPTED
    text = run.output_summary if interrupted else run.error_text or ""
    unfit = fitting.told(fitting.kept(run.result_json))
    step = clip(str(run.result_json.get("next") or ""), NEXT_BYTES, keep="start")
    return Attempt(run.attempt_index or 0, str(run.outcome), text, unfit, step)


def executor(tx: Tx, case: Case) -> Answer:
    """The model that the agent is told to use, and who says so (K-45)."""
    case.chosen = chosen = _fallen_back(tx, case)
    if chosen.model is not None:
        return Go({"form": "fallback", "model": chosen.model, "from": chosen.by})
    chosen = model_of(case.task, case.agent, settings.of_workspace(tx, case.workspace.id))
    planned = missions.planned_model(tx, case.task) if case.task else None
    chosen = Chosen(planned, Level.TASK) if planned else chosen
    other = _by_another(tx, case, chosen)
    if other is not None:
        case.chosen = Chosen(other, Level.TASK)
        return Go({"form": "cross_model", "model": other, "author": chosen.model})
    case.chosen = chosen
    if chosen.model is None:
        return Go({"form": "default"})
    return Go({"model": chosen.model, "from": chosen.by})


def _by_another(tx: Tx, case: Case, chosen: Chosen) -> str | None:
    """A review is made with another model than the work, if its agent has one (A-32)."""
    if case.review is None or chosen.model is None:
        return None
    authors, mine = (
        reviewing.models_of(tx, case.review),
        (case.agent.model, *case.agent.fallback_models),
    )
    return cross_model(chosen.model, authors, [one for one in mine if one])


def _fallen_back(tx: Tx, case: Case) -> Chosen:
    """What was decided on when its task failed with another model, if its agent has that (A-32)."""
    of_mission = case.task is not None and case.task.mission_id is not None
    model = retries.model_of(tx, case.task.id) if case.task and of_mission else None
    known = (case.agent.model, *case.agent.fallback_models)
    return Chosen(model, Level.TASK) if model in known and model else Chosen()


def launch(tx: Tx, case: Case) -> Answer:
    """The run is born with the launch decision, in the transaction of the last gate (C-48).
    Without a task it gets a copy of its agent's: capacity saw to it that there is one."""
    wakeup, task, review = case.wakeup, case.task, case.review
    payload = {**wakeup.payload, "task_id": task.id if task else ""}
    if review is not None:
        payload = reviewing.payload_of(review, wakeup)
    runs.create(
        tx,
        data={"attempt": case.attempt},
        id=case.run_id,
        workspace_id=case.workspace.id,
        wakeup_id=wakeup.id,
        agent_id=case.agent.id,
        task_id=task.id if task else None,
        attempt_index=case.attempt,
        # Of the claim: whoever judged it twice would be refused here (K-12).
        idempotency_key=f"{wakeup.id}:{micros(wakeup.claimed_at or tx.now)}",
        fence=case.ids.secret(),
        payload=payload,
        context_snapshot=wakeup.context_snapshot,
        assembled_prompt=case.prompt,
        resume_prompt=case.resume_prompt,
        summary_injected=case.summary,
        copy_number=None if task else runs.take_copy(tx, case.agent.id, case.run_id),
        model=case.chosen.model,
        model_from=case.chosen.by,
    )
    wakeups.bind_run(tx, wakeup.id, case.run_id)
    if review is not None:
        run_id, wakeup_id = case.run_id, wakeup.id
        verdicts.take_up(tx, review.verdict, run_id=run_id, wakeup_id=wakeup_id)
        gates_flow.weigh(tx, case.ids, review.gate)
    if task is not None:
        tasks.start(tx, task, run_id=case.run_id, attempt=case.attempt or 1)
    case.undo.pop_all()
    return Launched(case.run_id)


PIPELINE: tuple[Step, ...] = (
    intake,
    payload,
    agent_status,
    staleness,
    review_stage,
    mission_standing,
    mission_plan,
    routine_standing,
    idle_skip,
    probe,
    blockers,
    task_lease,
    budget,
    context,
    executor,
    launch,
)
