"""Words of what waits for the person: who asks, of which task, and what can be done at once."""

from collections.abc import Callable, Mapping
from typing import Any

from roundtable_desktop.engine.desk.look import Look
from roundtable_desktop.engine.desk.look_tray import ToLookAt
from roundtable_desktop.model.errors import Absent
from roundtable_desktop.model.records import InboxItem, Task
from roundtable_desktop.model.states import InboxKind, Severity
from roundtable_desktop.phrases import _, n_, one_line, sentence
from roundtable_desktop.phrases.marking import N_
from roundtable_desktop.tray.shown import Waiting

RETRY = "retry"
TRIED_BY_PRESS = (InboxKind.AGENT_ERROR, InboxKind.BLOCKED)
"""Kinds that a press answers: an agent tries again. What an agent may do, and what goes onto a
branch of the person's, is answered where it is seen."""

_QUESTION, _TITLE = 140, 60

_TITLES: Mapping[InboxKind, str] = {
    InboxKind.PERMISSION: N_("{agent} asks for permission"),
    InboxKind.APPROVAL: N_("{agent} needs your approval"),
    InboxKind.AGENT_ERROR: N_("{agent} failed, and is not tried again"),
    InboxKind.BLOCKED: N_("{agent} cannot go on"),
    InboxKind.BLOCKER_LOST: N_("A task waits for one that does not come"),
    InboxKind.DELIVERY_BLOCKED: N_("A delivery is held"),
    InboxKind.CONFIG_CHANGED: N_("Your repository changed"),
    InboxKind.BUDGET: N_("A budget is nearly used up"),
}
_BY_CODE: Mapping[str, str] = {
    "inbox_budget_reached": N_("A budget is used up"),
    "inbox_mission_blocked": N_("A mission stands still"),
}
_NOBODY = N_("Roundtable needs you")


def of_item(look: Look, item: InboxItem) -> Waiting:
    data: Mapping[str, Any] = item.data
    agent, task = _agent(look, data), _task(look, item)
    title = _(_BY_CODE.get(item.code) or _TITLES.get(item.kind, _NOBODY))
    if "{agent}" in title:
        title = title.format(agent=agent) if agent else _(_NOBODY)
    said = data.get("text") if item.kind is InboxKind.PERMISSION else None
    question = one_line(str(said) if said else sentence(item.code, data), _QUESTION)
    about = f"{_named(task)}: " if task is not None else ""
    offered = [one.get("kind") for one in data.get("options") or () if isinstance(one, dict)]
    again = item.kind in TRIED_BY_PRESS and RETRY in offered
    return Waiting(
        item.id,
        item.severity,
        title,
        about + question,
        f"{agent}: {question}" if agent else about + question,
        page_of(item),
        ((RETRY, _("Try again")),) if again else (),
    )


def of_proposal(found: ToLookAt) -> Waiting:
    """What is in it is seen on its page, and nowhere else is it delivered."""
    name, files = _named(found.task), len(found.proposal.files)
    if found.proposal.held:
        title = _("{agent} proposes something that wants a look")
    else:
        title = _("{agent} has finished something for you")
    title = title.format(agent=one_line(found.agent, _TITLE) or _("A mission"))
    changed = n_("{count} file is changed.", "{count} files are changed.", files)
    path = f"/proposals/{found.proposal.id}"
    key = f"proposal:{found.proposal.id}"
    return Waiting(key, Severity.ATTENTION, title, f"{name}: {changed}", name, path)


def page_of(item: InboxItem) -> str:
    """Where the person sees the item and answers it: its place in the inbox."""
    return f"/inbox#item-{item.id}"


def _named(task: Task) -> str:
    return f"T-{task.number} {one_line(task.title, _TITLE)}"


def _agent(look: Look, data: Mapping[str, Any]) -> str:
    """Its name, where the item is about an agent."""
    if isinstance(name := data.get("agent"), str):
        return one_line(name, _TITLE)
    agent_id = data.get("agent_id")
    if agent_id is None and (run_id := data.get("run_id")):
        agent_id = _there(lambda: look.run(str(run_id)).agent_id)
    found = _there(lambda: look.agent(str(agent_id)).name) if agent_id else None
    return one_line(found, _TITLE) if found else ""


def _task(look: Look, item: InboxItem) -> Task | None:
    task_id = item.subject_id if item.subject_type == "task" else item.data.get("task_id")
    if task_id is None and (run_id := item.data.get("run_id")):
        task_id = _there(lambda: look.run(str(run_id)).task_id)
    return _there(lambda: look.task(str(task_id))) if task_id else None


def _there(look: Callable[[], Any]) -> Any:
    try:
        return look()
    except Absent:
        return None
