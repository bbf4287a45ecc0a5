"""The steps of the pipeline, each a gate or a part of the launch decision (K-38)."""

from roundtable_desktop.engine.pipeline import Case, Step
from roundtable_desktop.model.payloads import Malformed, read_payload
from roundtable_desktop.model.records import Run
from roundtable_desktop.model.states import Source, WakeupOutcome
from roundtable_desktop.model.verdicts import Answer, Fail, Go, Launched
from roundtable_desktop.rules import admission
from roundtable_desktop.rules.prompt import Attempt, Told, prompt, resumed
from roundtable_desktop.store import comments, runs, tasks, wakeups
from roundtable_desktop.store.db import Tx


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
    return admission.staleness(case.agent.id, case.wakeup.task_id, case.task, by_person=by_person)


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
    earlier: list[Run] = []
    if case.task is not None:
        case.attempt = runs.next_attempt(tx, case.task.id)
        earlier = runs.of_task(tx, case.task.id)
    told = [
        Attempt(run.attempt_index or 0, str(run.outcome), run.error_text or "")
        for run in earlier[-1:]
        if run.outcome is not None
    ]
    said = _comments(tx, case)
    news = Told(case.wakeup, case.workspace, case.agent, case.task, told, said)
    case.prompt, case.resume_prompt = prompt(news), resumed(news)
    return Go({"characters": len(case.prompt)})


def _comments(tx: Tx, case: Case) -> list[tuple[str, str]]:
    """What others have said since an agent last listened; it knows its own words."""
    if case.task is None:
        return []
    listener = runs.last_to_listen(tx, case.task.id)
    since = listener.created_at if listener else None
    return [
        ("The developer" if said.author_type == "person" else "Another agent", said.text)
        for said in comments.of_task(tx, case.task.id)
        if said.author_id != case.agent.id and (since is None or said.created_at > since)
    ]


def launch(tx: Tx, case: Case) -> Answer:
    """The run is born with the launch decision, in the transaction of the last gate (C-48)."""
    wakeup, task = case.wakeup, case.task
    runs.create(
        tx,
        data={"attempt": case.attempt},
        id=case.run_id,
        workspace_id=case.workspace.id,
        wakeup_id=wakeup.id,
        agent_id=case.agent.id,
        task_id=task.id if task else None,
        attempt_index=case.attempt,
        idempotency_key=f"{wakeup.id}:{len(runs.of_wakeup(tx, wakeup.id)) + 1}",
        fence=case.ids.secret(),
        payload={**wakeup.payload, "task_id": task.id if task else ""},
        context_snapshot=wakeup.context_snapshot,
        assembled_prompt=case.prompt,
        resume_prompt=case.resume_prompt,
    )
    wakeups.bind_run(tx, wakeup.id, case.run_id)
    if task is not None:
        tasks.start(tx, task, run_id=case.run_id, attempt=case.attempt or 1)
    case.undo.pop_all()
    return Launched(case.run_id)


PIPELINE: tuple[Step, ...] = (payload, agent_status, staleness, task_lease, context, launch)
