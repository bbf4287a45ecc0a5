"""Whose a run, a proposal or a task is, in the words that people type: T-3 and the agent's name."""

from collections.abc import Iterable

from roundtable_desktop.cli.client import Answer, Client


def names_of(client: Client, workspace_id: str) -> dict[str, str]:
    """Of its agents, by their ids."""
    return {one["id"]: one["name"] for one in client.every("/agents", workspace_id=workspace_id)}


def of_agents(client: Client, workspace_id: str, rows: Iterable[Answer]) -> list[Answer]:
    """With `agent`; of a task it is who has it."""
    agents = names_of(client, workspace_id)
    return [
        {**row, "agent": agents.get(row.get("agent_id") or row.get("assignee_agent_id") or "")}
        for row in rows
    ]


def of_tasks(client: Client, workspace_id: str, rows: Iterable[Answer]) -> list[Answer]:
    """With `task`, `title` and `assignee_agent_id` of the task that each is about, if any; a review
    is about the task whose work it judges."""
    found = client.every("/tasks", workspace_id=workspace_id, hidden=True)
    tasks = {one["id"]: one for one in found}
    return [{**row, **_named(tasks.get(_about(row)))} for row in rows]


def _about(row: Answer) -> str:
    judged = row.get("judged_task_id") or (row.get("payload") or {}).get("task_id")
    return str(row.get("task_id") or judged or "")


def _named(task: Answer | None) -> Answer:
    if task is None:
        return {"task": None, "title": None}
    return {
        "task": f"T-{task['number']}",
        "title": task["title"],
        "assignee_agent_id": task["assignee_agent_id"],
    }
