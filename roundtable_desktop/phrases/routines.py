"""What is said about routines: their schedules and their variables."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

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
    "variable_too_long": N_("The value of “{name}” is too large: at most {limit} KiB."),
    "variable_missing": N_("“{name}” has no value, and the routine needs one. Give it one."),
}
