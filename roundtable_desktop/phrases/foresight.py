"""What is said of the days to come."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

FORESIGHT: Mapping[str, str] = {
    "foreseen_queued": N_("{agent} is to be woken for {task} ({reason})."),
    "foreseen_merges": N_("A wake of {agent} for {task} joins one that waits ({reason})."),
    "foreseen_waits": N_("{agent} waits with {task} until {until} ({why})."),
    "foreseen_not_run": N_("{agent} does not run {task}: {outcome}."),
    "foreseen_stale": N_("The wake of {agent} for {task} is no longer needed: {reason}."),
    "foreseen_fires_received": N_("Routine {routine} fires and wakes {agent}."),
    "foreseen_fires_task_created": N_("Routine {routine} fires and makes a task for {agent}."),
    "foreseen_fires_coalesced": N_("Routine {routine} is due while it is at work, and joins that."),
    "foreseen_fires_skipped": N_("Routine {routine} is due and skipped ({reason})."),
    "foreseen_fires_failed": N_("Routine {routine} is due and cannot fire ({reason})."),
    "foreseen_starts": N_("{agent} starts {task} “{title}”, attempt {attempt}."),
    "foreseen_ends": N_("{agent} has ended {task}: {outcome}."),
    "foresight_runs": N_("Another look ahead is under way. Ask again when it is over."),
    "foresight_too_long": N_("It was not through after {seconds} s. Ask for fewer days."),
    "foresight_failed": N_("It could not be simulated: {text}"),
}
