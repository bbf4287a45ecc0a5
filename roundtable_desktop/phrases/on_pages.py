"""Sentences as pages say them: where a command would be named, a page has a button or a link."""

from collections.abc import Mapping

from roundtable_desktop.phrases.board import BOARD_ON_PAGES
from roundtable_desktop.phrases.control import CONTROL_ON_PAGES
from roundtable_desktop.phrases.marking import N_
from roundtable_desktop.phrases.repositories import ON_PAGES as REPOSITORIES_ON_PAGES

ON_PAGES: Mapping[str, str] = {
    **BOARD_ON_PAGES,
    **REPOSITORIES_ON_PAGES,
    **CONTROL_ON_PAGES,
    "foreseen_intake_paused": N_("All is paused: nothing is started before it goes on."),
    "foreseen_intake_paused_until": N_("All is paused until {until}: nothing starts before."),
    "foreseen_intake_leaving": N_("You are leaving: nothing is started before it goes on."),
    "foreseen_intake_stopped": N_("All is stopped: nothing is started before it goes on."),
    "routine_not_intake": N_(
        "It fires next on {local} ({zone}), but nothing is started while all is paused or stopped."
    ),
    "routine_not_idle_skip": N_(
        "It fires next on {local} ({zone}), and will be skipped: {agent} has no task to do. If it "
        "is to run all the same, set “A schedule alone wakes it” of {agent} to “always” there."
    ),
    "task_unassigned": N_("Nobody is assigned yet. Give it to an agent."),
    "task_blocked_fix_agent": N_(
        "{kind} Put that right and run it again, or give the task to another agent."
    ),
    "task_blocked_log_in": N_(
        "The agent is not logged in. Start its program in a terminal and log in there; then run "
        "the task again."
    ),
    "task_blocked_clear_way": N_(
        "Something that is no file is in git's way. The inbox says where it is and what clears the "
        "way; then run the task again. Nothing of its work is lost."
    ),
    "task_blocked_look_at_copy": N_(
        "What its agent left cannot be collected; see the run. It is all still in the agent's copy."
    ),
    "task_blocked_quarantine": N_(
        "Its wakeup was set aside after three failures in a row. See the log, then run it again."
    ),
    "wakeup_quarantined": N_(
        "It was set aside after three failures in a row. Nothing more is tried by itself."
    ),
    "run_no_model": N_(
        "The agent has not got the model that it needs. Name another one, or none; then run the "
        "task again."
    ),
    "run_not_logged_in": N_("Start the agent's program in a terminal and log in there."),
    "task_interrupted": N_(
        "It was broken off and is not tried again by itself. Run it again when you like."
    ),
    "task_failed": N_("Every attempt failed. Say what was missing, or run it again."),
    "run_limited": N_("The provider refused it for now."),
    "run_crashed": N_("The agent broke off."),
    "run_not_started": N_("The agent could not be started."),
    "run_task_failed": N_("The agent could not do it."),
    "waits_for_person": N_("It waits for your answer."),
    "proposal_held": N_(
        "This proposal is held for a look. Say that you looked at it and why it may go, then "
        "deliver it."
    ),
}

DONE: Mapping[str, str] = {
    "task_added": N_("The task is added. Nobody is assigned yet, so nothing starts."),
    "task_added_wakes": N_("The task is added, and its agent is told."),
    "task_changed": N_("It is changed. What you wrote holds from its next run on."),
    "agent_added": N_("The agent is added. Give it a task, or wake it."),
    "agent_changed": N_("It is changed. That holds from its next run on."),
    "agent_tested": N_("It is started once, with a tiny prompt. How it went is said below."),
    "agent_variable_set": N_("The variable is set. It holds from its next run on."),
    "agent_variable_gone": N_("The variable is taken away, from its next run on."),
    "run_stopping": N_("It is told to end. It is over within a few seconds."),
    "run_told": N_("It is told. It hears it when its present turn ends."),
    "inbox_snoozed": N_("It is put off, and asked again then: see “Later” in the inbox."),
    "inbox_seen": N_("Noted. It still waits for you."),
    "inbox_closed": N_("It is closed. Nothing else was done."),
    "agent_paused": N_("It is paused: nothing new is started for it."),
    "agent_stopped": N_("It is stopped: nothing new is started for it."),
    "agent_resumed": N_("It may work again."),
    "firing_received": N_("It was set off. Its run begins, or waits for its turn."),
    "firing_task_created": N_("It was set off, and has a task of its own."),
    "firing_skipped": N_("Nothing was started: the last one is not over yet."),
    "firing_coalesced": N_("It was merged with the last one, which is not over yet."),
    "firing_values_unused": N_(
        "It was merged with the last one, which is not over yet and goes on as it began: your "
        "values are not used."
    ),
    "routine_made": N_("It is made, and fires from now on."),
    "routine_changed": N_("It is changed. Nothing that lay before is fired by that."),
    "webhook_changed": N_("It is changed."),
    "webhook_gone": N_("The webhook is gone: its address is nobody's any more."),
    "routine_archived": N_("It is archived: it fires no more, and its history stays here."),
    "routine_removed": N_("It is gone, and fires no more."),
    "woken_now": N_("The agent is told. It begins as soon as it may."),
    "woken_later": N_("The agent will be woken at that time."),
    "wakeup_taken_back": N_("It was taken back: the agent is not woken by it."),
    "remarks_sent": N_("Changes are asked for. Its author reads what you said of each line."),
    "requirement_changed": N_("It is asked so from now on. Its coordinator is told."),
    "requirement_assessed": N_("Noted: what waited for that goes on."),
    "mission_set": N_("The mission is set. Its coordinator, or you, make tasks of it."),
    "settings_saved": N_("It is saved, and holds from now on."),
    "settings_reset": N_("The default holds again."),
    "backup_made": N_("The backup is made, and was looked through: it is whole."),
    "runs_stopping": N_("They are told to end. They are over within a few seconds."),
    "runs_again": N_("They are tried again: each begins as soon as its agent may."),
    "welcome_registered": N_("It is registered. Nothing was written into it."),
    "welcome_agent_added": N_("The agent is added."),
    "welcome_looked": N_("Looked again; what was found is below."),
    "welcome_routine_active": N_("The routine is there. When it comes next is said below."),
    "welcome_routine_paused": N_("The routine is there, paused: resume it on its page."),
    "welcome_login_on": N_("Roundtable starts at login from now on."),
    "welcome_login_off": N_("Roundtable does not start at login any more."),
    "doctor_fixed": N_("What could be mended is mended; what is left is below."),
    "account_tries_now": N_("One run may try now. The others follow when the provider answers."),
}
"""What a page says of what was done on the one before."""
