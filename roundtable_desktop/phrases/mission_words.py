"""How missions stand: words for their codes, and sentences of what they wait for."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

MISSION_LABELS: Mapping[str, str] = {
    "paused_intake": N_("Paused"),
    "stopping": N_("Being stopped"),
    "degraded": N_("Has faults"),
    "completed": N_("Completed"),
    "completed_with_failures": N_("Completed, with failures"),
    # phases
    "IDLE": N_("Rests"),
    "LOADING_GRAPH": N_("Looks at its tasks"),
    "PLANNING_WAVE": N_("Plans a wave"),
    "DISPATCHING": N_("Sets a wave off"),
    "MONITORING": N_("Watches its runs"),
    "COLLECTING_RESULTS": N_("Collects results"),
    "MERGING": N_("Merges"),
    "REVIEWING_WAVE": N_("Has a wave reviewed"),
    "REPAIRING_OR_CONTINUING": N_("Decides how to go on"),
    "COMPLETED": N_("Completed"),
    "BLOCKED": N_("Blocked"),
    "CANCELLED": N_("Stopped"),
    # what a task is for
    "work": N_("Work"),
    "repair": N_("Repair"),
    "verify": N_("Check"),
    "debug": N_("Search for a fault"),
    # how two tasks are tied together
    "hard": N_("waits for"),
    "soft": N_("rather after"),
    "conflict": N_("not together with"),
    "serialization": N_("in turn with"),
    # who says which model
    "scheduler_forced": N_("exactly this one"),
    "agent_select": N_("its agent chooses"),
}

STATES: Mapping[str, str] = {
    "mission_is_starting": N_("It begins: its own branch is made first."),
    "mission_is_active": N_("It is worked on."),
    "mission_is_paused_intake": N_("It is paused: nothing new of it starts, what runs goes on."),
    "mission_is_draining": N_("It is being stopped: what runs goes on to its end."),
    "mission_is_stopping": N_("It is being stopped: its runs are being ended."),
    "mission_is_degraded": N_(
        "It could not be looked at several times in a row: {text} It is tried again, and nothing "
        "new of it starts meanwhile."
    ),
    "mission_is_stopped": N_("It is stopped. Reopen it to go on."),
    "mission_is_blocked": N_("It stands still until somebody sees to it. {why}"),
    "mission_is_failed": N_("It was given up. {why}"),
    "mission_is_completed": N_(
        "It is completed: its tasks and their proposals are over. That is about states, and no "
        "verdict on tests."
    ),
    "mission_is_completed_with_failures": N_(
        "It is completed, but not all of it was done: see below what failed. Completed is about "
        "states, and no verdict on tests."
    ),
}
"""The state of a mission in a sentence."""

CONVERGENCE: Mapping[str, str] = {
    "pending_agent_turn": N_("An agent has a turn, and it goes on until that is over."),
    "awaiting_initial_work": N_("It has no task yet: its coordinator, or you, make the first one."),
    "all_tasks_and_proposals_terminal": N_(
        "All its tasks and their proposals are over. That is about states, and no verdict on tests."
    ),
    "all_remaining_tasks_blocked": N_("All that is left waits for somebody's decision."),
    "work_remains": N_("Work remains."),
    "unknown_wave": N_("There is no such wave of this mission."),
}

PLANNED: Mapping[str, str] = {
    "why_planned": N_("In this wave, for {agent}."),
    "why_at_work": N_("It is at work."),
    "why_in_review": N_("Its work is done; a review, a merge or your word comes next."),
    "why_later": N_("It is due again at {until}."),
    "why_waits_for": N_("It waits for {tasks}."),
    "why_serialized": N_("It takes turns with {task}, which goes first."),
    "why_same_area": N_("{task} may write the same: {path}."),
    "why_area_unknown": N_(
        "Nobody said what it or {task} writes, so they do not work at the same time."
    ),
    "why_failure_surface": N_("{task} works where the failure is: {path}."),
    "why_unstable": N_("What it looks at is still changed by {task}."),
    "why_locked": N_("Only one at a time may use {lock}."),
    "why_no_room": N_("{most} at once is all there is room for now ({limit})."),
    "why_agent_busy": N_("{agent} has no time for it yet."),
    "why_agent_rests": N_("{agent} may not be given work before {until} ({refused})."),
    "why_agent_refused": N_("{agent} may not be given work ({refused}). Put that right first."),
    "why_no_agent": N_("No agent here can do it. Add one, or assign it to somebody."),
    "why_held": N_("It is held back ({by})."),
    "why_blocked": N_("It is blocked: its page says what is to be done."),
    "why_interrupted": N_("It was broken off. Run it again from its page."),
    "why_blocker_lost": N_("What it waits for was lost: {tasks}."),
    "why_blocker_stands": N_("What it waits for stands still: {tasks}."),
    "why_invalid": N_("The graph says two things about it: see the faults."),
    "fault_circle": N_("Each of these waits for the next: {path}."),
    "fault_dangling": N_("{path}: the second one does not exist."),
    "step_runnable": N_("These tasks were set off."),
    "step_waiting": N_("Nothing new could start just then."),
    "step_blocked": N_("Nothing can go on until somebody decides."),
    "step_terminal": N_("Nothing was left to do."),
    "step_awaiting_initial_work": N_("There was no task yet."),
    "step_invalid": N_("Nothing is begun in a graph that says two things."),
}
"""Why a task is in a wave or is not, from the codes of a stored plan."""

MISSION_SENTENCES: Mapping[str, str] = {**STATES, **CONVERGENCE, **PLANNED}

INFERRED: Mapping[str, str] = {
    "same_area": N_("they may write the same"),
    "area_unknown": N_("nobody said what one of them writes"),
    "failure_surface": N_("one searches for a fault where the other works"),
    "unstable": N_("one looks at what the other changes"),
    "locked": N_("both use what only one may"),
}
"""Why the planner keeps two tasks apart."""

LIMITS: Mapping[str, str] = {
    "user": N_("your own limit"),
    "cores": N_("the processor's cores"),
    "cpu": N_("the processor is busy"),
    "commands": N_("checks that run"),
    "memory": N_("memory"),
    "disk": N_("room on the disk"),
    "battery": N_("the battery"),
    "hold": N_("it was told to wait"),
    "requirement": N_("what is asked was changed"),
}
"""What sets a limit, or holds a task back."""

MODELS: Mapping[str, str] = {
    "asked_for": N_("it was asked for"),
    "cross_model": N_("another than the author's"),
    "same_model": N_("the author's too: there is no other"),
    "model_unknown": N_("its agent's own; which that is nobody knows"),
    "other_model": N_("another than those that failed"),
    "no_other_model": N_("it failed before, and there is no other"),
    "heavy": N_("the task is a heavy one"),
    "light": N_("the task is a light one"),
    "agents_own": N_("its agent's own"),
}
"""Why a task is done with its model."""
