"""Sentences about pausing, stopping and taking up a mission, and about `roundtable run`."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

MISSION_CONTROL: Mapping[str, str] = {
    "waits_mission_paused": N_(
        "Its mission is paused: nothing of it is started until somebody lets the mission go on."
    ),
    "mission_standing_none": N_("It belongs to no mission."),
    "mission_standing_passed": N_("Its mission is {state}."),
    "mission_standing_waiting": N_("Its mission was paused or stopped ({state})."),
    "wakeup_mission_stopped": N_("It did not run: its mission was stopped."),
    "run_actions_possible": N_("Possible now: {actions}."),
    "run_actions_none": N_("It ends by itself; wait for that."),
    "run_over": N_("It is over. “roundtable run --resume” opens it again."),
    "mission_reopens": N_("It is over. “roundtable mission reopen {mission}” opens it again."),
    "run_completed": N_("It is over, with nothing left to do. Set another goal."),
    "not_the_newest_run": N_(
        "This is not the newest mission of the workspace. Leave run_id away, or name {newest}."
    ),
    "no_newest_run": N_("The workspace has no mission yet. Leave run_id away to start one."),
    "goal_needed": N_("Say what is to be reached, as “goal”: there is no mission to take it from."),
    "invalid_run_action": N_("“{action}” is no action. There are {actions}."),
    "mission_not_reopened": N_("A mission that is {state} is not opened again. {why}"),
    "mission_going_on": N_("It is not over."),
    "run_is_starting": N_("It is about to begin."),
    "run_is_active": N_("It is being worked on."),
    "run_is_awaiting": N_(
        "It waits for work: add tasks to it, or have an agent with the role coordinator plan it."
    ),
    "run_is_paused_intake": N_("It is paused: what runs ends, and nothing new of it is started."),
    "run_is_draining": N_("It is stopping: what runs ends by itself, and nothing new is started."),
    "run_is_stopping": N_("It is being stopped: what is at work for it is ended."),
    "run_is_degraded": N_("It could not be looked at several times, and is tried again."),
    "run_is_stopped": N_("It was stopped."),
    "run_is_completed": N_(
        "It is completed: no task of it and no proposal of a task is open. That says nothing about "
        "tests."
    ),
    "run_is_completed_with_failures": N_(
        "It is completed, with failures: no task is open, but not every one of them was done."
    ),
    "run_is_blocked": N_("It stands still: what is left needs somebody."),
    "run_is_failed": N_("It has failed."),
    "goal_of_another": N_("Name a goal for a new mission, or take one up: not both at once."),
    "run_is_over": N_("This mission is {state}. {why}"),
    "unknown_sitting": N_("Nobody sits there: start “roundtable run” again."),
    "unknown_mission": N_("There is no such mission."),
}
