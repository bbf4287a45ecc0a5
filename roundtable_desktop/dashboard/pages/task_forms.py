"""The forms that add a task and change what it says."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any

from flask import Flask, render_template
from pydantic import Field

from roundtable_desktop.dashboard.api import tasks as api
from roundtable_desktop.dashboard.api.gates_shown import wanted
from roundtable_desktop.dashboard.api.shapes import Say, Text
from roundtable_desktop.dashboard.api.tasks_shown import edges
from roundtable_desktop.dashboard.forms import fault_of_form, filled, read_choice, seen_of
from roundtable_desktop.dashboard.pages import task_gates
from roundtable_desktop.dashboard.pages.board import Chosen, asked_by, board_page
from roundtable_desktop.dashboard.pages.frame import from_form, page_query, tried
from roundtable_desktop.dashboard.pages.tasks import page_of, shown_words
from roundtable_desktop.dashboard.reading import Asked, Words
from roundtable_desktop.engine.desk import Desk, tasks
from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.model.errors import Conflict
from roundtable_desktop.model.records import Task, Workspace
from roundtable_desktop.model.states import AgentStatus
from roundtable_desktop.phrases import _

Short = Annotated[str, Field(max_length=2000)]
"""As it was typed; the API's own fields judge it."""
_BETWEEN = re.compile(r"[,;\s]+")
_NUMBER = re.compile(r"(?:[Tt]-)?([1-9]\d{0,8})", re.ASCII)


class NewAsked(Asked):
    workspace: Chosen = ""
    mission: Chosen = ""


class Written(Words):
    """place: a workspace, or one and an agent of it, as `workspace:agent`. parent, waits_for:
    numbers of tasks. back: the board that it was written on."""

    place: Annotated[str, Field(pattern=r"^[0-9a-z]{6,64}(:[0-9a-z]{6,64})?$")]
    title: Short = ""
    description: Text = ""
    base_branch: Short = ""
    delivery: Short = ""
    retry_budget: Short = ""
    project: Short = ""
    model: Short = ""
    parent: Short = ""
    waits_for: Short = ""
    requires_approval: Short = ""
    workspace_strategy: Short = ""
    needed: Short = ""
    acceptance: Text = ""
    expected_files: Text = ""
    mission: Short = ""
    write_area: Text = ""
    priority: Short = ""
    optional: Short = ""
    back: Short = ""


class Rewritten(Words):
    """seen: what the person saw of it when they began."""

    title: Short = ""
    description: Text = ""
    project: Short = ""
    model: Short = ""
    waits_for: Short = ""
    requires_approval: Short = ""
    needed: Short = ""
    acceptance: Text = ""
    expected_files: Text = ""
    write_area: Text | None = None
    priority: Short | None = None
    optional: Short | None = None
    seen: Short


AS_THEY_ARE = (
    "title",
    "description",
    "base_branch",
    "delivery",
    "retry_budget",
    "project",
    "model",
    "workspace_strategy",
)


def pages(desk: Desk, look: Look, say: Say) -> Callable[[Flask], None]:
    def page(chosen: str, refused: str = "", given: Mapping[str, str] | None = None) -> str:
        """chosen: the workspace; the only one there is, if nothing is said."""
        workspaces = look.workspaces(None, 200)
        first = workspaces[0].id if workspaces else ""
        workspace = look.workspace(chosen or first) if chosen or first else None
        return render_template(
            "task_new.html",
            workspaces=workspaces,
            workspace=workspace,
            missions=_missions(look, workspace),
            agents=(found := _agents(look, workspace)),
            reviewers=task_gates.reviewers(found),
            given=given or {},
            refused=refused,
        )

    def add(app: Flask) -> None:
        @app.get("/tasks/new")
        def show_new_task() -> str:
            query = page_query(NewAsked)
            mission = look.missions.mission(query.mission) if query.mission else None
            if mission is None:
                return page(query.workspace)
            return page(mission.workspace_id, given={"mission": mission.id})

        @app.post("/tasks/new")
        def add_task() -> Any:
            (written, who), asked = read_choice(Written, task_gates.REVIEWER), from_form()
            given = {**written.model_dump(), "reviewers": task_gates.ticked(who)}
            workspace = look.workspace(written.place.partition(":")[0])

            board = asked_by(written.back) if written.back else None

            def again(why: str) -> str:
                if board:
                    return board_page(look, say, board, why, draft=written.title)
                return page(workspace.id, why, given)

            return tried(
                lambda: api.add(desk, asked, _new_task(look, workspace, written, given)),
                board.address() if board else (lambda made: f"/tasks/{made.id}"),
                again,
                page=board.address() if board else f"/tasks/new?workspace={workspace.id}",
                told=lambda made: "task_added_wakes" if made.assignee_agent_id else "task_added",
            )

        _add_edit(app, desk, look, say)

    return add


def _add_edit(app: Flask, desk: Desk, look: Look, say: Say) -> None:
    @app.post("/tasks/<ref>/edit")
    def edit_task(ref: str) -> Any:
        (form, who), asked = read_choice(Rewritten, task_gates.REVIEWER), from_form()
        task = look.task(ref)
        given = {**form.model_dump(exclude_none=True), "reviewers": task_gates.ticked(who)}

        def act() -> Task:
            seen = shown_words(look, task)
            if form.seen != seen_of(seen):
                raise Conflict("words_changed_meanwhile")
            body = _change(look, task, seen, given)
            return tasks.change(
                desk,
                replace(asked, revision=task.revision),
                task.id,
                api.values_of(body, task),
                depends_on=None if body.blocked_by is None else edges([], body.blocked_by),
                gates=None if body.gates is None else wanted(body.gates),
            )

        return tried(
            act,
            f"/tasks/{task.id}",
            lambda why: page_of(look, say, look.task(task.id), why, given=given),
            told=lambda changed: "task_changed",
        )


def _agents(look: Look, workspace: Workspace | None) -> list[Any]:
    found = look.agents(None, 200, workspace_id=workspace.id) if workspace else []
    return [one for one in found if one.status is not AgentStatus.RETIRED]


def _missions(look: Look, workspace: Workspace | None) -> list[Any]:
    return [one.mission for one in look.missions.alive(workspace.id)] if workspace else []


def _planning(given: Mapping[str, str | None]) -> dict[str, Any]:
    """As the API takes it; a form that does not ask says nothing."""
    area, priority, optional = (given.get(name) for name in ("write_area", "priority", "optional"))
    lines = [line.strip() for line in (area or "").splitlines()]
    return {
        **({} if area is None else {"write_area": [line for line in lines if line]}),
        **({"priority": priority} if priority else {}),
        **({} if area is None else {"optional": optional == "true"}),
    }


def _new_task(
    look: Look, workspace: Workspace, written: Written, words: Mapping[str, str]
) -> api.NewTask:
    agent = written.place.partition(":")[2]
    parents = _numbered(look, workspace.id, written.parent, "parent")
    if len(parents) > 1:
        raise fault_of_form("parent", _("a task is a part of one other at most"))
    given = {name: getattr(written, name) for name in AS_THEY_ARE}
    return filled(
        api.NewTask,
        {
            **given,
            **task_gates.body_of(words),
            **_planning(words),
            "mission_id": written.mission,
            "workspace_id": workspace.id,
            "assignee_agent_id": look.agent(agent).id if agent else None,
            "parent_id": parents[0] if parents else None,
            "blocked_by": _numbered(look, workspace.id, written.waits_for, "waits_for"),
        },
    )


def _change(
    look: Look, task: Task, seen: Mapping[str, str], given: Mapping[str, str]
) -> api.TaskChange:
    """What differs from what the person saw; an empty project or model is taken away."""
    new = {name: value for name, value in given.items() if seen.get(name) != value}
    body: dict[str, Any] = {
        name: new[name] for name in ("title", "project", "model") if new.get(name)
    }
    if "title" in new and not new["title"].strip():
        raise fault_of_form("title", _("a task has one"))
    judged = task_gates.body_of(given)
    if new.keys() & {"reviewers", "needed", "requires_approval"}:
        if not task_gates.is_plain(look.gates.of_tasks([task])[task.id]):
            raise fault_of_form("reviewers", _("its gates are set by a program"))
        body["gates"] = judged["gates"]
    body |= {name: judged[name] for name in ("expected_files",) if name in new}
    if new.keys() & {"write_area", "priority", "optional"} and "write_area" in given:
        body |= _planning(given)
    if "waits_for" in new:
        body["blocked_by"] = _numbered(look, task.workspace_id, new["waits_for"], "waits_for")
    made = filled(api.TaskChange, body)
    taken: dict[str, str | None] = {
        name: None for name in ("project", "model") if new.get(name) == ""
    }
    for name in ("description", "acceptance"):
        if name in new:
            taken[name] = new[name]
    return made.model_copy(update=taken)


def _numbered(look: Look, workspace_id: str, text: str, field: str) -> list[str]:
    """The ids of tasks named by their numbers: `T-3, T-4`."""
    return [_one(look, workspace_id, word, field) for word in _BETWEEN.split(text) if word]


def _one(look: Look, workspace_id: str, word: str, field: str) -> str:
    number = _NUMBER.fullmatch(word)
    wanted = int(number[1]) if number else 0
    found = look.tasks(None, 1, workspace_id=workspace_id, number=wanted) if wanted else []
    if not found:
        raise fault_of_form(field, _("there is no task {given} here").format(given=word[:20]))
    return found[0].id
