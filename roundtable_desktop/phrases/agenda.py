"""What is said of what is due: whether it runs, when, why not, and who is asleep then."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

AGENDA: Mapping[str, str] = {
    "agenda_runs": N_("{agent} runs."),
    "agenda_later": N_("{agent} runs later, at {starts}: {reason}."),
    "agenda_does_not": N_("{agent} does not run: {reason}."),
    "agenda_runs_often": N_("{agent} runs each time, until {last}."),
    "agenda_later_often": N_("{agent} runs later each time, until {last}: {reason}."),
    "agenda_does_not_often": N_("{agent} does not run, until {last}: {reason}."),
    "agenda_asleep": N_(
        "Roundtable was asleep at that hour on {count} of the last {days} days; then it comes when "
        "it wakes up."
    ),
    "agenda_asleep_missed": N_(
        "Roundtable was asleep at that hour on {count} of the last {days} days; then it is missed."
    ),
    "usually_asleep": N_(
        "Roundtable was asleep at that hour on {count} of the last {days} days, and rarely at "
        "{better}."
    ),
    "usually_asleep_any": N_(
        "Roundtable was asleep at that hour on {count} of the last {days} days, and there is no "
        "hour of that day at which it rarely was."
    ),
}

KINDS: Mapping[str, str] = {
    "fire": N_("by its schedule"),
    "wake": N_("as it was asked for"),
    "retry": N_("another try"),
    "held": N_("in its turn"),
}
