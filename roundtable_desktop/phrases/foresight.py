"""What is said of the days to come."""

from collections.abc import Mapping

from roundtable_desktop.phrases.agenda import AGENDA
from roundtable_desktop.phrases.marking import N_

FORESIGHT: Mapping[str, str] = {
    **AGENDA,
    "foreseen_queued": N_("{agent} is to be woken for {task} ({reason})."),
    "foreseen_merges": N_("A wake of {agent} for {task} joins one that waits ({reason})."),
    "foreseen_waits": N_("{agent} waits with {task} until {until} ({why})."),
    "foreseen_not_run": N_("{agent} does not run {task}: {outcome}."),
    "foreseen_stale": N_("The wake of {agent} for {task} is no longer needed: {reason}."),
    "foreseen_starts": N_("{agent} starts {task} “{title}”, attempt {attempt}."),
    "foreseen_ends": N_("{agent} has ended {task}: {outcome}."),
    "foreseen_queued_taskless": N_("{agent} is to be woken ({cause}, {reason})."),
    "foreseen_merges_taskless": N_("A wake of {agent} joins one that waits ({cause}, {reason})."),
    "foreseen_waits_taskless": N_("{agent} waits until {until} ({cause}, {why})."),
    "foreseen_not_run_taskless": N_("{agent} does not run ({cause}): {outcome}."),
    "foreseen_stale_taskless": N_("A wake of {agent} is no longer needed ({cause}): {reason}."),
    "foreseen_starts_taskless": N_("{agent} starts ({cause})."),
    "foreseen_ends_taskless": N_("{agent} has ended ({cause}): {outcome}."),
    "foreseen_not_fired": N_("“{cause}” does not wake {agent}: {reason}."),
    "foreseen_held": N_("The account {account} is at its limit until {until}."),
    "foreseen_freed": N_("The limit of {account} is over."),
    "foreseen_agent_off": N_("{agent} is {status}: nothing is started for it until it is resumed."),
    "foreseen_intake_paused": N_(
        "All is paused: nothing is started before you say “roundtable resume”."
    ),
    "foreseen_intake_paused_until": N_(
        "All is paused until {until}: nothing is started before, unless you say “roundtable "
        "resume”."
    ),
    "foreseen_intake_leaving": N_(
        "You are leaving: nothing is started before you say “roundtable resume”."
    ),
    "foreseen_intake_stopped": N_(
        "All is stopped: nothing is started before you say “roundtable resume”."
    ),
    "foresight_runs": N_("Another look ahead is under way. Ask again when it is over."),
    "foresight_too_long": N_("It was not through after {seconds} s. Ask for fewer days."),
    "foresight_failed": N_("It could not be simulated: {text}"),
}

CODED = ("reason", "cause", "why", "outcome")
"""Values of those sentences that are codes, or names where WORDS has none."""

WORDS: Mapping[str, str] = {
    # what wakes an agent
    "user": N_("a person"),
    "self": N_("the agent itself"),
    "routine": N_("a routine"),
    "budget_alert": N_("a budget"),
    "task_assigned": N_("a task"),
    "task_blockers_resolved": N_("what came first"),
    "task_children_completed": N_("its subtasks"),
    "assigned": N_("it was assigned"),
    "attempt_retry": N_("another attempt"),
    "review_requested": N_("a review is asked for"),
    "review_returned": N_("its work came back from review"),
    "comment": N_("a comment"),
    "mission_reopened": N_("its mission was opened again"),
    "user_run": N_("you asked for it"),
    "wake": N_("you woke it"),
    "agent_test": N_("you tested it"),
    "wake_self": N_("as it asked for itself"),
    "scheduled": N_("by its schedule"),
    "fired_by_hand": N_("set off by hand"),
    "fired_by_webhook": N_("set off by a webhook"),
    "followup": N_("for what came while it worked"),
    "agent_resumed": N_("it was resumed"),
    "budget_freed": N_("its budget has room again"),
    "recovery_sweep": N_("its wake was lost, and is made again"),
    "agent_error": N_("an agent failed for good"),
    "blocked_on": N_("another agent waits for it"),
    "escalated": N_("something is brought to it that others could not settle"),
    "approval_resolved": N_("an answer came"),
    "unblocked": N_("it waits for nothing any more"),
    "moved": N_("it was moved on the board"),
    "blockers_resolved": N_("what came first is done"),
    "children_completed": N_("its subtasks are over"),
    # what it waits for
    "retry": N_("it failed, and is tried again"),
    "limit": N_("for its provider's limit"),
    "window": N_("for others like it"),
    "checkout_contended": N_("another run has the task"),
    "not_planned": N_("its mission has not planned it"),
    "mission_goal": N_("a mission was set"),
    "wave": N_("its wave was planned"),
    "mission_paused": N_("its mission is paused"),
    "blockers": N_("something else comes first"),
    "catch_up": N_("so that not all start at once"),
    "not_before": N_("as it was asked"),
    "stumbled": N_("something went wrong here"),
    "intake": N_("all is paused or stopped"),
    "account": N_("its provider's limit was reached"),
    "model": N_("the limit of its model was reached"),
    "trial": N_("another one tries whether the limit is over"),
    "spread": N_("others of its account start before it"),
    "capacity": N_("its agent is at work until then"),
    # how it ends
    "done": N_("done"),
    "executed": N_("it ran"),
    "cancelled": N_("it was cancelled"),
    "no_changes": N_("done, nothing to change"),
    "no_result": N_("it has no result"),
    "blocked": N_("it needs somebody's help"),
    "task_failed": N_("it could not do it"),
    "limited": N_("its provider refused"),
    "crashed": N_("it broke off"),
    "lost": N_("it vanished"),
    "timed_out": N_("it took too long"),
    "interrupted": N_("it was broken off"),
    "user_cancelled": N_("you cancelled it"),
    # why nothing comes of it
    "merged": N_("it joined another one"),
    "agent_paused": N_("it is paused"),
    "mission_stopped": N_("its mission was stopped"),
    "agent_stopped": N_("it is stopped"),
    "budget_blocked": N_("a budget is used up"),
    "idle_skipped": N_("it has no task to do"),
    "probe_false": N_("nothing happened since its last run"),
    "stale": N_("it is not wanted any more"),
    "malformed": N_("what it says cannot be read"),
    "quarantined": N_("it was set aside"),
    "incurable": N_("trying again does not cure it"),
    "exhausted": N_("it failed five times"),
    "task_terminal": N_("the task is over"),
    "task_not_found": N_("the task is gone"),
    "run_stopped": N_("you stopped the run that it waited for"),
    "assignee_changed": N_("another agent has the task"),
    "review_participant_changed": N_("nobody waits for its verdict any more"),
    "retry_stale_assignee": N_("another agent has the task"),
    "retry_task_cancelled": N_("the task was cancelled"),
    "routine_removed": N_("the routine is gone"),
    "routine_paused": N_("the routine is paused"),
    "routine_archived": N_("the routine is archived"),
    "still_at_work": N_("the last one is not over yet"),
    "missed": N_("nobody looked when it was due"),
    "variables_missing": N_("a variable that it needs has no value"),
    "variables_not_taken": N_("a value of a variable cannot be taken"),
    "routine_text_too_long": N_("its text would be too long"),
}
