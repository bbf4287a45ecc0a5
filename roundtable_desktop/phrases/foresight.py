"""What is said of the days to come."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

FORESIGHT: Mapping[str, str] = {
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
    "foreseen_intake_stopped": N_(
        "All is stopped: nothing is started before you say “roundtable resume”."
    ),
    "foresight_runs": N_("Another look ahead is under way. Ask again when it is over."),
    "foresight_too_long": N_("It was not through after {seconds} s. Ask for fewer days."),
    "foresight_failed": N_("It could not be simulated: {text}"),
}
