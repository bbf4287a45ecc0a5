"""What is told of missions, for people."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_
from roundtable_desktop.phrases.merging import MERGING

OF_MISSIONS: Mapping[str, str] = {
    "mission.created": N_("{who} set a mission: {mission}."),
    "mission.moved": N_("The mission {mission} went from “{before}” to “{after}”."),
    "mission.killed": N_("{who} ended all that was at work for the mission {mission}."),
    "mission.opened": N_("The mission {mission} has its branch; its work may start."),
    "mission.offered": N_("What the mission {mission} did was offered to its base branch."),
    "check.asked": N_("{who} asked for a check of the mission {mission}."),
    "check.ended": N_("A check of the mission {mission} ended: {after}."),
    "mission.unchanged": N_("The mission {mission} changed nothing: there is nothing to deliver."),
    "mission.wave": N_("A wave of the mission {mission} was planned."),
    "mission.review": N_("What was merged for {mission} was looked at: {after}."),
    "requirement.changed": N_("{who} changed what is asked of the mission {mission}."),
    "architecture.impact.completed": N_("What the change means for {mission} is known."),
    "orchestrator.retry": N_("The mission {mission} could not be looked at, and is tried again."),
    "orchestrator.failed": N_("The mission {mission} was given up: it could not be looked at."),
    "orchestrator.completed": N_("The mission {mission} is over: nothing is left to do."),
    "orchestrator.blocked": N_("The mission {mission} stands still: it needs somebody."),
}

STEPS_OF_MISSIONS: Mapping[str, str] = {
    "mission.phase": N_("The mission {mission} went from “{before}” to “{after}”."),
}
"""What only an exact look asks for."""

MISSIONS: Mapping[str, str] = {
    **MERGING,
    "mission_plan_none": N_("It is of no mission."),
    "mission_plan_passed": N_("Its mission has planned it."),
    "mission_plan_waiting": N_("Its mission has not planned it, or has no branch yet."),
    "task_planned": N_(
        "Its mission begins it with a wave, and assigns it if nobody is. The mission shows what it "
        "waits for."
    ),
    "task_mission_paused": N_(
        "Its mission is paused: nothing of it is begun before somebody resumes that."
    ),
    "task_mission_over": N_(
        "Its mission is over or being stopped, and begins nothing. Reopen that for this task to go "
        "on."
    ),
    "waits_mission": N_("It waits for the branch of its mission."),
    "inbox_mission_blocked": N_(
        "The mission “{goal}” stands still. {why} See to it, and reopen the mission."
    ),
    "mission_all_remaining_tasks_blocked": N_("All that is left of it is blocked."),
    "mission_look_failed": N_("It could not be looked at, again and again ({error})."),
    "mission_coordinator_paused": N_(
        "All its work is done, but its coordinator {agent} may not work and has not heard of it. "
        "Resume {agent}: then it goes on by itself."
    ),
    "mission_no_work_planned": N_("Its coordinator is done and has planned no work."),
    "mission_invalid": N_("Its tasks wait for each other in a circle, or for one that is gone."),
    "mission_branch_taken": N_("There is a branch “{branch}” already that is not its own."),
    "mission_branch_not_made": N_("Its branch “{branch}” cannot be made ({text})."),
    "task_blocked_mission_blocked": N_(
        "Its mission stands still. The inbox says why; reopen the mission when that is seen to."
    ),
    "unknown_mission": N_("There is no such mission."),
    "mission_over": N_(
        "The mission is {state}: nothing is added to it. Reopen it, or set another one."
    ),
    "parent_of_another_mission": N_("T-{number} is not of that mission. Choose a parent in it."),
    "mission_has_its_branch": N_(
        "The tasks of a mission start from its own branch, “{branch}”. Leave the branch out."
    ),
    "base_of_a_mission": N_(
        "“{branch}” is the branch of a mission, which moves it by itself. Deliver that mission "
        "first, or make a branch of your own from it: git branch NAME {branch}"
    ),
    "mission_not_opened": N_(
        "T-{number} is of a mission whose branch is not there yet. Try again in a moment."
    ),
}
