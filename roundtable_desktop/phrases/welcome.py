"""What is said where a step of setting up cannot be done."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

WELCOME: Mapping[str, str] = {
    "program_gone": N_("{program} is not found any more. Look again."),
    "no_start_at_login": N_("Starting at login cannot be turned on here yet."),
}
