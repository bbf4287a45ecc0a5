"""What settings are called on their page, what their choices mean, and what is said of a field."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

NAMES: Mapping[str, str] = {
    # of the whole home
    "port": N_("Port"),
    "browser_host": N_("Name for browsers"),
    "stop_agents_with_app": N_("End agents together with Roundtable"),
    "coalescing_window_sec": N_("Window for wakes alike (seconds)"),
    "backup_hours": N_("Time between backups (hours)"),
    "notifications": N_("Notifications"),
    "quiet_hours": N_("Quiet hours"),
    "quiet_critical_passes": N_("Critical news in quiet hours"),
    # of a workspace
    "default_model": N_("Default model"),
    "workspace_strategy": N_("Where agents work"),
    "mission_max_parallel": N_("Tasks of a mission at once"),
    "keep_copies_days": N_("Keep working copies (days)"),
    "mission_review": N_("Reviews of missions"),
    "projects": N_("Models of projects"),
    "prices": N_("Prices of models"),
    # of its row
    "name": N_("Name"),
    "timezone": N_("Time zone"),
    "delivery": N_("Delivery of tasks to come"),
    "recovery_lookback_hours": N_("Recovery lookback window"),
}

ROW: Mapping[str, str] = {
    "name": N_("What it is called on every page."),
    "timezone": N_("For its routines, such as Europe/Berlin."),
    "delivery": N_("Whether work enters your branch after your approval, or by itself."),
    "recovery_lookback_hours": N_(
        "Hours: how old a task may be whose lost wakeup is made again by the sweep."
    ),
}
"""The sentence of each field that the workspace's own row has."""

CHOICES: Mapping[str, str] = {
    "on": N_("On"),
    "off": N_("Off"),
    "browser_host.name": N_("Its own name, rt-….localhost (name)"),
    "browser_host.address": N_("The address 127.0.0.1 (address)"),
    "notifications.all": N_("All of them (all)"),
    "notifications.needed": N_("Only when I am needed (needed)"),
    "workspace_strategy.isolated_copy": N_("In a clone of their own (isolated_copy)"),
    "workspace_strategy.worktree": N_("In a linked working tree (worktree)"),
    "mission_review.off": N_("Only by the gates of its tasks (off)"),
    "mission_review.risky": N_("When there is a risk (risky)"),
    "mission_review.always": N_("After each wave (always)"),
    "delivery.approval": N_("After my approval"),
    "delivery.auto": N_("By itself"),
}

FIELD: Mapping[str, str] = {
    "field_no_number": N_("“{given}” is no whole number."),
    "field_out_of_range": N_("It goes from {least} to {most}."),
    "field_no_choice": N_("“{given}” is none of its choices."),
    "field_no_value": N_("“{given}” cannot be taken."),
    "field_empty": N_("It cannot be empty."),
    "field_no_line": N_("Line {line} is none: write a project, a space, and its model."),
    "field_changed": N_("It was changed meanwhile, and is {now} now."),
}

PAGE: Mapping[str, str] = {
    "settings_changed_meanwhile": N_(
        "This was changed meanwhile, by another window or a program. Nothing of yours was saved: "
        "look at what is marked, then save again."
    ),
    "settings_others": N_(
        "The default holds again. What you typed elsewhere is still here, and not saved yet."
    ),
    "settings_faulty": N_("Nothing was saved yet: something is marked that cannot be taken."),
}
