"""The page of a task: why it stands as it does, its attempts, and what was said about it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from flask import Flask, render_template

from roundtable_desktop.dashboard.api.explanations import explained
from roundtable_desktop.dashboard.api.shapes import Ref, Say
from roundtable_desktop.dashboard.api.tasks import NewComment, RunNow
from roundtable_desktop.dashboard.forms import read_form, seen_of
from roundtable_desktop.dashboard.pages import task_gates
from roundtable_desktop.dashboard.pages.frame import from_form, page_query, tried
from roundtable_desktop.dashboard.pages.proposals import shown
from roundtable_desktop.dashboard.reading import Asked, Words
from roundtable_desktop.engine.desk import Desk, tasks
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_board import most_attempts
from roundtable_desktop.model.records import Run, Subject, Task
from roundtable_desktop.model.states import AgentStatus


class Assignment(Words):
    agent: Ref


def pages(desk: Desk, look: Look, say: Say) -> Callable[[Flask], None]:
    page = partial(page_of, look, say)

    def add(app: Flask) -> None:
        @app.get("/tasks/<ref>")
        def show_task(ref: str) -> str:
            page_query(Asked)
            return page(look.task(ref))

        @app.post("/tasks/<ref>/comments")
        def comment_on_task(ref: str) -> Any:
            said, asked, task = read_form(NewComment), from_form(), look.task(ref)
            return tried(
                lambda: tasks.comment(desk, asked, task.id, said.text),
                f"/tasks/{task.id}",
                lambda why: page(look.task(task.id), why, said.text),
            )

        @app.post("/tasks/<ref>/run")
        def run_task(ref: str) -> Any:
            wanted, asked, task = read_form(RunNow), from_form(), look.task(ref)
            return tried(
                lambda: tasks.run(desk, asked, task.id, wanted.text),
                f"/tasks/{task.id}",
                lambda why: page(look.task(task.id), why),
            )

        @app.post("/tasks/<ref>/assign")
        def assign_task(ref: str) -> Any:
            chosen, asked, task = read_form(Assignment), from_form(), look.task(ref)
            agent = look.agent(chosen.agent)
            return tried(
                lambda: tasks.assign(desk, asked, task.id, agent.id),
                f"/tasks/{task.id}",
                lambda why: page(look.task(task.id), why),
            )

    return add


def page_of(
    look: Look,
    say: Say,
    task: Task,
    refused: str = "",
    draft: str = "",
    given: Mapping[str, str] | None = None,
) -> str:
    """The whole page; a refused form says why above it, and what was written is still there.
    given: of the form that changes its words."""
    shown = shown_words(look, task)
    return render_template(
        "task.html",
        task=task,
        refused=refused,
        draft=draft,
        given=given or shown,
        rewriting=given is not None,
        seen=seen_of(shown),
        **_around(look, task, say),
    )


def shown_words(look: Look, task: Task) -> dict[str, str]:
    """What the form that changes it begins with."""
    stages, blockers = look.gates.of_tasks([task])[task.id], look.blockers(task)
    return {
        "title": task.title,
        "description": task.description,
        "project": task.project or "",
        "model": task.model or "",
        "waits_for": ", ".join(f"T-{one.number}" for one in blockers),
        "write_area": "\n".join(task.write_area),
        "priority": str(task.priority),
        "optional": "true" if task.optional else "",
        **task_gates.words_of(task, stages),
    }


def _last_words(attempts: Sequence[Run]) -> str:
    """Of the newest attempt that is over: what its agent said, or what went wrong with it."""
    over = [run for run in attempts if run.ended_at is not None]
    return (over[-1].output_summary or over[-1].error_text or "") if over else ""


def _around(look: Look, task: Task, say: Say) -> dict[str, object]:
    why = look.explain_task(task)
    agents = look.agents(None, 200, workspace_id=task.workspace_id)
    attempts = look.placed(look.attempts(task))
    offered = look.proposals(None, 50, task_id=task.id)
    assignee = look.agent(task.assignee_agent_id) if task.assignee_agent_id else None
    waits = look.held([assignee])[assignee.id] if assignee else None
    return {
        "workspace": look.workspace(task.workspace_id),
        "agent": assignee,
        "can_try": waits is not None and waits.held_by in ("account", "model"),
        "parent": look.task(task.parent_id) if task.parent_id else None,
        "agents": [one for one in agents if one.status is not AgentStatus.RETIRED],
        "names": {one.id: one.name for one in agents},
        "depends_on": look.blockers(task),
        "ties": look.ties(task),
        "mission": look.missions.mission(task.mission_id) if task.mission_id else None,
        "about": look.task(task.about_task_id) if task.about_task_id else None,
        "below": look.below(task),
        "moves": look.moves(task),
        "stages": (stages := look.gates.of_tasks([task])[task.id]),
        "plain_gates": task_gates.is_plain(stages),
        "reviewers": task_gates.reviewers(agents, stages),
        "approvals": look.approvals(None, 20, task_id=task.id, status="requested"),
        "attempts": attempts[::-1],
        "most": most_attempts(task, attempts[-1].run if attempts else None),
        "last_words": _last_words([one.run for one in attempts]),
        "can": look.doable(task),
        "why": explained(why, say),
        "nearest": explained(why.nearest, say),
        "proposals": [shown(one, say) for one in offered],
        "comments": look.comments(task),
        "events": look.events_of(Subject("task", task.id))[::-1],
    }
