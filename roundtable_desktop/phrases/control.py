"""Sentences about pausing, stopping and leaving: everything, one agent, one run."""

from collections.abc import Mapping

from roundtable_desktop.phrases.leaving import CHECKPOINTS
from roundtable_desktop.phrases.marking import N_
from roundtable_desktop.phrases.mission_control import MISSION_CONTROL

CONTROL: Mapping[str, str] = {
    "waits_intake": N_(
        "Nothing new is started: all was paused or stopped. “roundtable resume” lets it go on."
    ),
    "intake_passed": N_("Wakeups are taken up."),
    "intake_waiting": N_("Nothing new is started until you resume it."),
    "intake_paused": N_("Paused: nothing new is started. “roundtable resume” lets it go on."),
    "intake_copied": N_(
        "This home is a copy of the one that ran last in {source}, here or on another machine: "
        "nothing is started. If that one no longer runs, “roundtable resume” lets this one go on."
    ),
    "intake_paused_until": N_(
        "Paused until {until}: nothing new is started before then. “roundtable resume” lets it go "
        "on now."
    ),
    "intake_draining": N_(
        "Stopping: nothing new is started, and what runs ends by itself ({runs} left). "
        "“roundtable force-stop” ends it now."
    ),
    "intake_stopped": N_("Everything is stopped. “roundtable resume” lets it go on."),
    "intake_leaving": N_(
        "You are leaving: nothing new is started. What still runs at {until} is broken off and "
        "goes on after “roundtable resume” ({runs} left)."
    ),
    "intake_left": N_(
        "It is safe to close the lid: nothing runs. “roundtable resume” lets it go on."
    ),
    "intake_delivering": N_(
        "All runs have ended. It is not safe to close the lid yet: work of theirs is being "
        "delivered ({count} left)."
    ),
    "intake_left_over": N_(
        "All runs have ended, but processes of theirs are left: {pids}. “roundtable doctor --fix” "
        "ends them; then it is safe to close the lid."
    ),
    **CHECKPOINTS,
    **MISSION_CONTROL,
    "illegal_run_transition": N_("“{action}” is not possible while it is {state}. {why}"),
    "resume_comes_first": N_("“roundtable resume” lets it go on first."),
    "until_after_copy": N_(
        "A copy of a home does not go on by itself: leave the time away, and resume here if the "
        "other home no longer runs."
    ),
    "scheduler_in_parts": N_(
        "A part of the scheduler is gone that does not begin anew alone. Quit Roundtable and start "
        "it again; agents that are at work go on."
    ),
    "scheduler_stands_still": N_(
        "The scheduler has stopped, so nothing is taken that nobody would carry out. Quit "
        "Roundtable and start it again; its log says what happened. Agents can still be ended."
    ),
    "until_after_restore": N_(
        "After a restore nothing goes on by itself: leave the time away, and resume when you have "
        "looked at what waits."
    ),
    "until_has_passed": N_("This time has passed. Name one that is still to come."),
    "run_has_ended": N_("This run is over. A comment on its task, or a wake, starts another one."),
    "run_not_ready": N_("This run is just being started. Say it again in a moment."),
    "agent_cannot_hear": N_(
        "{agent} is a program that gets one prompt and hears no more. A comment on its task is "
        "told to its next run."
    ),
    "too_many_messages": N_("Too many messages wait for its turn to end. Say the rest later."),
    "empty_message": N_("Say something: an empty message tells nothing."),
    "task_stopped_by_you": N_(
        "You stopped it. A comment, or “roundtable task run”, lets it go on with its conversation."
    ),
    "task_interrupted_goes_on": N_("It was broken off, and goes on by itself."),
}

CONTROL_ON_PAGES: Mapping[str, str] = {
    "waits_intake": N_("Nothing new is started until you resume it: all was paused or stopped."),
    "intake_paused": N_("Paused: nothing new is started until you resume it."),
    "intake_copied": N_(
        "This home is a copy of the one that ran last in {source}, here or on another machine: "
        "nothing is started. If that one no longer runs, resume here."
    ),
    "intake_paused_until": N_("Paused until {until}: nothing new is started before then."),
    "intake_draining": N_(
        "Stopping: nothing new is started, and what runs ends by itself ({runs} left)."
    ),
    "intake_stopped": N_("Stopped: nothing is started until you resume it."),
    "intake_leaving": N_(
        "You are leaving: what still runs at {until} is broken off, and goes on when you resume "
        "({runs} left)."
    ),
    "intake_left": N_("It is safe to close the lid: nothing runs until you resume it."),
    "intake_left_over": N_(
        "All runs have ended, but processes of theirs are left: {pids}. End them, and it is safe "
        "to close the lid."
    ),
    "resume_comes_first": N_("Resume first."),
    "agent_cannot_hear": N_(
        "{agent} is a program that gets one prompt and hears no more. A comment on its task is "
        "told to its next run."
    ),
    "task_stopped_by_you": N_(
        "You stopped it. Say how it goes on, or run it again: it keeps its conversation."
    ),
}
