"""Commands of agents, in the name of the run whose token they hold; ids come from the token."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from roundtable_desktop.engine import checkpoints, long_runs
from roundtable_desktop.engine.asking import ask_approval
from roundtable_desktop.engine.collecting import REFUSED
from roundtable_desktop.engine.desk import Desk, gating, reach, tasks, voting, waking
from roundtable_desktop.engine.desk.changing import Changing
from roundtable_desktop.engine.desk.checking import Checking
from roundtable_desktop.engine.desk.claiming import Claiming
from roundtable_desktop.engine.desk.in_name import Answer, InName, named_agent, shown
from roundtable_desktop.engine.desk.remembering import Remembering
from roundtable_desktop.engine.desk.repository import LookingIn, Patching
from roundtable_desktop.engine.desk.seeing import Seeing
from roundtable_desktop.engine.desk.turning import Turning, overdue
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Blocked
from roundtable_desktop.model.gates import UNJUDGED, Judged, Word
from roundtable_desktop.model.messages import WorkerResult
from roundtable_desktop.model.placed import ANYWHERE, Placed
from roundtable_desktop.model.records import Actor, Json, Run, Subject, Task
from roundtable_desktop.model.states import LIVE_RUNS, ProposalStatus, TaskStatus
from roundtable_desktop.model.times import rfc3339
from roundtable_desktop.rules.fitting import misfits
from roundtable_desktop.rules.redact import clip
from roundtable_desktop.store import agents, approvals, comments, missions, runs, verdicts, wakeups
from roundtable_desktop.store import tasks as rows
from roundtable_desktop.store.db import Reader, Tx

SUBTASKS = 20
"""Below one task."""
MISSION_TASKS = 200
"""Below the root of a mission: its coordinator plans all of it there."""
REFUSED_BYTES = 64 * 1024
"""Of a report that was not taken."""
LEVELS = 4
"""A task, and three below it."""


class Holders:
    """Who holds a token: the live run whose row has its hash."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def find(self, token_hash: str) -> Holder | None:
        with self._reader.snapshot() as view:
            run = runs.of_token(view, token_hash)
        if run is None:
            return None
        return Holder(
            run_id=run.id,
            agent_id=run.agent_id,
            task_id=run.task_id if run.gate_id is None else str(run.payload["task_id"]),
            workspace_id=run.workspace_id,
            gate_id=run.gate_id,
        )


class Agency(InName):
    """What the tools of agents ask for, each noun in a room of its own."""

    def __init__(self, desk: Desk, reader: Reader, hidden: Sequence[str] = ()) -> None:
        super().__init__(desk, reader, hidden)
        self.claims = Claiming(desk, reader, hidden)
        self.state = Seeing(desk, reader, hidden)
        self.changes = Changing(desk, reader, hidden)
        self.turns = Turning(desk, reader, hidden)
        self.memories = Remembering(desk, reader, hidden)
        self.checks = Checking(desk, reader, hidden)
        self.repository = LookingIn(desk, reader, hidden)
        self.patches = Patching(desk, reader, hidden)

    def notice(self, holder: Holder) -> str | None:
        """That its person leaves, so that it can bring its work to a good place to stop; that its
        turn takes long; or the question how it stands."""
        with self._reader.snapshot() as view:
            run = runs.get(view, holder.run_id)
            if run is None:
                return None
            told = checkpoints.news(view, run) is not None or overdue(view, run) is not None
            if not told and not long_runs.is_due(run):
                return None
        with self._desk.store.transaction() as tx:
            run = runs.get(tx, holder.run_id)
            lives = run is not None and run.status in LIVE_RUNS
            if run is None or not lives:
                return None
            said = checkpoints.tell(tx, run) or self.turns.notice(tx, run)
            return said or long_runs.ask(tx, run)

    def get_task(self, holder: Holder, task_id: str | None) -> Answer:
        """One that the run's agent may see; others are as if they were not."""
        with self._reader.snapshot() as view:
            task = reach.named(view, holder, task_id)
            said = comments.of_task(view, task.id)
            below = [shown(one) for one in rows.below(view, task.id)]
        words = [{"author": one.author_type, "text": one.text} for one in said]
        more = {"description": task.description, "comments": words, "subtasks": below}
        return {**shown(task), **more}

    def list_tasks(
        self, holder: Holder, status: TaskStatus | None, after: str | None, limit: int
    ) -> Answer:
        with self._reader.snapshot() as view:
            found = reach.listed(view, holder, status, after, limit + 1)
            names = {one.id: one.name for one in agents.every(view, holder.workspace_id)}
        told = [
            {**shown(one), "assignee_agent": names.get(one.assignee_agent_id or "")}
            for one in found[:limit]
        ]
        return {"tasks": told, "next_cursor": found[limit - 1].id if len(found) > limit else None}

    def comment(self, holder: Holder, text: str, task_id: str | None, key: str | None) -> Answer:
        """On the run's own task, of a mission's root also on those below it; a run that is about
        none names one that its agent may see."""
        clean = self._clean(holder, text)

        def act(tx: Tx, _: Run) -> Subject:
            task = reach.spoken_of(tx, holder, task_id)
            actor = Actor("agent", holder.agent_id)
            made = tasks.add_comment(tx, self._desk, actor, task, clean, holder.run_id)
            return Subject("comment", made)

        made = self._once(holder, key, f"comment:{text}:{task_id}", act, comments.get)
        return {"comment_id": made.id}

    def progress(self, holder: Holder, text: str, percent: int | None, key: str | None) -> Answer:
        """Of the run's own task, told in the feed."""
        clean = self._clean(holder, text)

        def act(tx: Tx, task: Task) -> Subject:
            actor = Actor("agent", holder.agent_id)
            data = {"run_id": holder.run_id, "text": clean, "percent": percent}
            rows.tell_progress(tx, task, actor, data)
            if (run := runs.get(tx, holder.run_id)) is not None:
                checkpoints.note(tx, run, clean)
            return Subject("task", task.id)

        return shown(self._about_task(holder, key, f"progress:{text}:{percent}", act, rows.get))

    def result(self, holder: Holder, result: WorkerResult, key: str | None) -> Answer:
        """The last call before the turn's end counts; of two different ones with a note."""
        text = self._clean(holder, result.model_dump_json(exclude_none=True))

        def act(tx: Tx, run: Run) -> Subject:
            before = (run.ended or {}).get("mcp")
            part: dict[str, object] = {"mcp": text}
            if before is not None and before != text:
                part["mcp_changed"] = True
            runs.keep_ended(tx, run, part)
            return Subject("run", run.id)

        self._once(holder, key, f"result:{text}", act, runs.get)
        with self._reader.snapshot() as view:
            task = rows.get(view, holder.task_id) if holder.task_id else None
        return {"task": shown(task) if task else None, "accepted": True}

    def keep_refused(self, holder: Holder, text: str) -> None:
        """The last one; what fits counts, whichever came first. One that was refused for anything
        but its form is none of these."""
        clean = self._clean(holder, text)
        shown = clip(clean, REFUSED_BYTES, keep="start")
        fault = "" if shown == clean else "report_too_large"
        if not fault and not misfits(clean):
            return
        with self._desk.store.transaction() as tx:
            run = runs.get(tx, holder.run_id)
            if run is not None and run.status in LIVE_RUNS:
                runs.keep_ended(tx, run, {REFUSED: {"result": shown, "result_fault": fault}})

    def create_task(
        self,
        holder: Holder,
        title: str,
        description: str,
        assignee: str | None,
        blocked_by: Sequence[str],
        key: str | None,
        judged: Judged = UNJUDGED,
        placed: Placed = ANYWHERE,
    ) -> Answer:
        """Below the run's own task; in a run that is about none, a task of its own."""

        def act(tx: Tx, _: Run) -> Subject:
            parent = reach.own(tx, holder) if holder.task_id is not None else None
            if parent is not None:
                _check_room(tx, parent)
            agent = named_agent(tx, holder, assignee) if assignee is not None else None
            actor = Actor("agent", holder.agent_id)
            told = self._clean(holder, title), self._clean(holder, description)
            before = reach.before(tx, holder, blocked_by)
            before += [reach.checked(tx, holder, one) for one in placed.depends_on]
            acceptance = self._clean(holder, judged.acceptance)
            files = [self._clean(holder, one) for one in judged.expected_files]
            area = [self._clean(holder, one) for one in placed.write_area]
            more: dict[str, Any] = {"acceptance": acceptance, "expected_files": files}
            more |= {"write_area": area, "priority": placed.priority, "optional": placed.optional}
            if parent is not None:
                made = tasks.add_below(tx, self._desk, actor, parent, *told, agent, before, **more)
                gating.draw(tx, self._desk.ids, made, judged.gates)
                return Subject("task", made.id)
            made = reach.add_loose(tx, self._desk, holder, *told, before, **more)
            if agent is not None:
                made = tasks.assign_now(tx, self._desk, actor, made, agent)
            gating.draw(tx, self._desk.ids, made, judged.gates)
            return Subject("task", made.id)

        words = f"create_task:{title}:{description}:{assignee}:{','.join(blocked_by)}"
        words += f":{judged}" if judged != UNJUDGED else ""
        words += f":{placed}" if placed != ANYWHERE else ""
        return shown(self._once(holder, key, words, act, rows.get))

    def wake_self(
        self,
        holder: Holder,
        note: str,
        at: datetime | None,
        after: timedelta | None,
        key: str | None,
    ) -> Answer:
        """About the run's own task, if it has one: then it goes on where it was."""
        text = self._clean(holder, note)

        def act(tx: Tx, run: Run) -> Subject:
            moment = at if after is None else tx.now + after
            return waking.wake_self(tx, self._desk, run, text, moment, key)

        words = f"wake_self:{note}:{at}:{after}"
        try:
            made = self._once(holder, key, words, act, wakeups.get)
        except Blocked:
            with self._desk.store.transaction() as tx:
                waking.tell_refused(tx, holder)
            raise
        until = made.scheduled_retry_at
        return {"wakeup_id": made.id, "not_before": rfc3339(until) if until else None}

    def check_may(self, holder: Holder, tool: str) -> None:
        voting.check_may(holder, tool)

    def get_proposal(self, holder: Holder, proposal_id: str | None) -> Answer:
        submitted = self.patches.of_run(holder, proposal_id)
        if submitted is not None:
            return submitted
        with self._reader.snapshot() as view:
            return voting.proposal(view, holder, proposal_id)

    def list_proposals(
        self, holder: Holder, status: ProposalStatus | None, after: str | None, limit: int
    ) -> Answer:
        with self._reader.snapshot() as view:
            return voting.listed(view, holder, status, after, limit)

    def vote(
        self, holder: Holder, word: Word, note: str, findings: Sequence[Json], key: str | None
    ) -> Answer:
        """Of the work that its run was asked to judge (C-26)."""
        said = self._clean(holder, note)
        found = [
            {
                name: self._clean(holder, one) if isinstance(one, str) else one
                for name, one in finding.items()
            }
            for finding in findings
        ]

        def act(tx: Tx, run: Run) -> Subject:
            return voting.cast(tx, self._desk.ids, run, word, said, found)

        words = f"vote:{word}:{note}:{json.dumps([dict(one) for one in findings], sort_keys=True)}"
        made = self._once(holder, key, words, act, verdicts.get)
        return {"verdict_id": made.id, "verdict": str(made.word)}

    def request_approval(self, holder: Holder, text: str, key: str | None) -> Answer:
        """Asks the person; the answer wakes this agent again (K-67)."""
        clean = self._clean(holder, text)

        def act(tx: Tx, task: Task) -> Subject:
            run, agent = holder.run_id, holder.agent_id
            ids = self._desk.ids
            made = ask_approval(tx, ids, task, run_id=run, agent_id=agent, text=clean)
            return Subject("approval", made)

        made = self._about_task(holder, key, f"approval:{text}", act, approvals.get)
        return {"approval_id": made.id, "status": str(made.status)}


def _check_room(tx: Tx, task: Task) -> None:
    """An agent that asks for ever is stopped by name (A5)."""
    most = MISSION_TASKS if missions.of_root(tx, task) is not None else SUBTASKS
    if len(rows.below(tx, task.id)) >= most:
        raise Blocked("too_many_subtasks", most=most)
    depth, above = 1, task
    while above.parent_id is not None and depth <= LEVELS:
        found = rows.get(tx, above.parent_id)
        assert found is not None, "foreign keys hold"
        depth, above = depth + 1, found
    if depth >= LEVELS:
        raise Blocked("too_deep_subtasks", most=LEVELS)
