"""What an agent is told of the mission that its task belongs to."""

from roundtable_desktop.model.records import Task
from roundtable_desktop.rules.mission_prompt import MissionTold
from roundtable_desktop.store import missions
from roundtable_desktop.store.db import View


def told_mission(view: View, task: Task) -> MissionTold | None:
    mission = missions.get(view, task.mission_id) if task.mission_id else None
    if mission is None:
        return None
    leads = mission.root_task_id == task.id
    every = missions.tasks_of(view, mission.id) if leads else []
    return MissionTold(
        goal=mission.goal,
        goes_to=mission.base_branch,
        delivery=mission.delivery,
        leads=leads,
        tasks=[one for one in every if one.id != task.id],
    )
