"""What is said about routines: their schedules and their variables."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_
from roundtable_desktop.phrases.webhooks import WEBHOOKS

CRON: Mapping[str, str] = {
    "cron_too_long": N_("A schedule has at most {most} characters."),
    "cron_no_alias": N_("“{given}” is not a schedule. After an @ these are known: {known}."),
    "cron_fields": N_(
        "A schedule has five fields (minute, hour, day, month, weekday); this one has {count}."
    ),
    "cron_bad_minute": N_("“{given}” is not a minute. Minutes go from 0 to 59."),
    "cron_bad_hour": N_("“{given}” is not an hour. Hours go from 0 to 23."),
    "cron_bad_day": N_("“{given}” is not a day of the month. They go from 1 to 31, L is the last."),
    "cron_bad_month": N_("“{given}” is not a month. Use 1 to 12, or JAN to DEC."),
    "cron_bad_weekday": N_("“{given}” is not a weekday. Use 0 (Sunday) to 7, or SUN to SAT."),
    "cron_never": N_("“{given}” never fires: no year has such a day. Change the day or the month."),
    "cron_ended": N_("“{given}” does not fire any more after that time. Name an earlier one."),
    "cron_either_day": N_("It fires on a day that fits the day of the month or the weekday."),
    "cron_uneven_minute": N_(
        "It is not every {step} minutes: each hour begins anew at minute 0. Look at the next fires."
    ),
    "cron_uneven_hour": N_(
        "It is not every {step} hours: each day begins anew at hour 0. Look at the next fires."
    ),
    "cron_uneven_day": N_(
        "It is not every {step} days: each month begins anew at day 1. Look at the next fires."
    ),
    "cron_moved": N_("{wall} does not exist on {date}: it fires at {at} instead."),
    "cron_left_out": N_("{wall} does not exist on {date}: nothing fires in its place."),
    "cron_first_only": N_("{wall} comes twice on {date}: it fires the first time only."),
    "cron_twice": N_("{wall} comes twice on {date}: it fires both times."),
}

VARIABLES: Mapping[str, str] = {
    "variable_bad_name": N_(
        "“{name}” cannot be the name of a variable. Use letters, digits and _, no digit first."
    ),
    "variable_twice": N_("“{name}” is declared twice. Keep one of them."),
    "variable_options": N_("“{name}”: a select has options, and nothing else has."),
    "variable_no_text": N_("“{name}” is a text. Give it one."),
    "variable_no_number": N_("“{name}” is a number. Give it one such as 3 or 2.5."),
    "variable_no_boolean": N_("“{name}” is true or false. Give it one of the two."),
    "variable_no_select": N_("“{name}” is chosen from its options. Give it one of them."),
    "variable_no_option": N_("“{name}” does not have this option. Give it one that it has."),
    "inbox_variables_missing": N_(
        "The routine “{routine}” was set off and did not fire: it needs a value for {names}. Give "
        "that a default, or change the routine."
    ),
    "inbox_variables_not_taken": N_(
        "The routine “{routine}” was set off and did not fire: the value of {names} cannot be "
        "taken. Change its default, or what its webhook is sent."
    ),
    "inbox_routine_text_too_long": N_(
        "The routine “{routine}” was set off and did not fire: with its values a text would be too "
        "long. Shorten a default or the text."
    ),
    "inbox_routine_stumbles": N_(
        "The routine “{routine}” is due and cannot be fired ({error}). It is tried again each "
        "minute, and nothing that was due is lost. The log has the details; saving its schedule "
        "anew may help."
    ),
    "routine_text_too_long": N_(
        "With these values a text of the routine would be too long: at most {limit} characters. "
        "Shorten a value or the text."
    ),
    "variable_too_long": N_("The value of “{name}” is too large: at most {limit} KiB."),
    "variable_undeclared": N_(
        "“{name}” is none of the routine's variables. Leave it out, or write it as the routine "
        "does."
    ),
    "variable_missing": N_("“{name}” has no value, and the routine needs one. Give it one."),
}

ROUTINES: Mapping[str, str] = {
    "unknown_routine": N_("There is no such routine."),
    "unknown_trigger": N_("This routine has no trigger {id}. Leave the id out to add one."),
    "too_many_triggers": N_("A routine has at most {most} triggers."),
    "routine_too_many_variables": N_("A routine has at most {most} variables."),
    "schedule_wanted": N_("A schedule needs an expression such as “0 9 * * 1-5”."),
    "manual_has_no_schedule": N_("A trigger by hand has no schedule. Leave the expression out."),
    "trigger_keeps_kind": N_("This trigger is a {kind}. Take it away and add another one."),
    "variables_wanted": N_(
        "Some variables have no value, or one that cannot be taken, or are not its own: {names}. "
        "Each is listed."
    ),
    "heartbeat_there": N_("{agent} has a routine called “{name}” already."),
    "routine_paused": N_("“{name}” is paused: it fires again when it is resumed."),
    "routine_archived": N_("“{name}” is archived: it does not fire any more, and stays so."),
    "routine_not_by_hand": N_(
        "“{name}” is not run by hand: its manual trigger is switched off. Switch it on first."
    ),
    "routine_by_hand_only": N_("It has no schedule: it fires when you tell it to."),
    "routine_next_start": N_("It fires next on {local} ({zone})."),
    "routine_next_merge": N_(
        "It fires next on {local} ({zone}); while the last one is not over, it is merged with that."
    ),
    "routine_next_skip": N_(
        "It fires next on {local} ({zone}); while the last one is not over, nothing new is started."
    ),
    "routine_not_intake": N_(
        "It fires next on {local} ({zone}), but nothing is started before you say “roundtable "
        "resume”."
    ),
    "routine_not_account": N_(
        "It fires next on {local} ({zone}); what it wakes waits for the limit of {account}, until "
        "{until} at the latest."
    ),
    "routine_not_agent_status": N_(
        "It fires next on {local} ({zone}), but nothing will run: {agent} is {status}."
    ),
    "routine_not_idle_skip": N_(
        "It fires next on {local} ({zone}), and will be skipped: {agent} has no task to do. If it "
        "is to run all the same: “roundtable agent edit {agent:word} --no-skip-idle”."
    ),
    "routine_not_probe": N_(
        "It fires next on {local} ({zone}), and will be skipped unless something happens in the "
        "workspace until then."
    ),
    "routine_standing_passed": N_("Its routine is active, or it has none."),
    "routine_standing_waiting": N_("Its routine does not fire any more: {reason}."),
    "idle_skip_passed": N_("There is something to do, or it is not a matter of that."),
    "idle_skip_waiting": N_("Its agent has no task to do, so a scheduled wake is not worth a run."),
    "probe_passed": N_("It does not depend on what happened, or something did."),
    "probe_waiting": N_("Nothing happened in the workspace since its last run."),
    "waits_catch_up": N_("It was due while nobody looked; so that not all start at once: {until}."),
    "wakeup_idle_skipped": N_("It did not run: the agent had no task to do."),
    "wakeup_probe_false": N_("It did not run: nothing had happened since its last run."),
    "firing_received": N_("It is on its way: it runs, or waits for its turn."),
    "firing_task_created": N_("Its task is there, and not over yet."),
    "firing_done": N_("It ended well."),
    "firing_skipped": N_("Nothing was started."),
    "firing_coalesced": N_("It was merged with the last one."),
    "firing_failed": N_("It failed."),
    "firing_cancelled": N_("It was cancelled."),
    **WEBHOOKS,
}

REASONS: Mapping[str, str] = {
    "still_at_work": N_("The last one was not over yet."),
    "missed": N_("Nobody looked when it was due."),
    "variables_missing": N_("A variable that it needs has no value."),
    "routine_text_too_long": N_("Its text would be too long with these values."),
    "variables_not_taken": N_("A value of a variable cannot be taken."),
    "idle_skipped": N_("Its agent had no task to do."),
    "probe_false": N_("Nothing had happened since its last run."),
    "agent_paused": N_("Its agent was paused."),
    "agent_stopped": N_("Its agent was stopped."),
    "stale": N_("The routine was paused or taken away."),
    "exhausted": N_("It failed five times."),
    "incurable": N_("It failed for a reason that trying again does not cure."),
}
"""Why a firing came to nothing, or to nothing of its own."""
