"""With what a run is executed: the first word of task, agent, project and workspace."""

from dataclasses import dataclass

from roundtable_desktop.model.records import Agent, Task
from roundtable_desktop.model.settings import WorkspaceSettings
from roundtable_desktop.model.states import Level


@dataclass(frozen=True, slots=True)
class Chosen:
    """by: the level that named it. Both None: nobody did, and the agent's own default holds."""

    model: str | None = None
    by: Level | None = None


def model_of(task: Task | None, agent: Agent, workspace: WorkspaceSettings) -> Chosen:
    """The first level that names a model decides (K-45, C-67)."""
    label = task.project if task else None
    project = workspace.projects.get(label) if label else None
    named = (
        (Level.TASK, task.model if task else None),
        (Level.AGENT, agent.model),
        (Level.PROJECT, project.model if project else None),
        (Level.WORKSPACE, workspace.default_model),
    )
    return next((Chosen(model, level) for level, model in named if model), Chosen())
