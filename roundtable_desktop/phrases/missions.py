"""What is told of missions, for people."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

OF_MISSIONS: Mapping[str, str] = {
    "mission.created": N_("{who} set a mission: {mission}."),
    "mission.moved": N_("The mission {mission} went from “{before}” to “{after}”."),
    "mission.opened": N_("The mission {mission} has its branch; its work may start."),
    "mission.wave": N_("A wave of the mission {mission} was planned."),
    "requirement.changed": N_("{who} changed what is asked of the mission {mission}."),
    "architecture.impact.completed": N_("What the change means for {mission} is known."),
    "orchestrator.retry": N_("The mission {mission} could not be looked at, and is tried again."),
    "orchestrator.failed": N_("The mission {mission} was given up: it could not be looked at."),
    "orchestrator.completed": N_("The mission {mission} is over: nothing is left to do."),
    "orchestrator.blocked": N_("The mission {mission} stands still: it needs somebody."),
}

STEPS_OF_MISSIONS: Mapping[str, str] = {
    "mission.phase": N_("The mission {mission} went from “{before}” to “{after}”."),
}
"""What only an exact look asks for."""

MISSIONS: Mapping[str, str] = {
    "unknown_mission": N_("There is no such mission."),
    "mission_over": N_(
        "The mission is {state}: nothing is added to it. Reopen it, or set another one."
    ),
    "parent_of_another_mission": N_("T-{number} is not of that mission. Choose a parent in it."),
    "mission_has_its_branch": N_(
        "The tasks of a mission start from its own branch, “{branch}”. Leave the branch out."
    ),
    "mission_not_opened": N_(
        "T-{number} is of a mission whose branch is not there yet. Try again in a moment."
    ),
}
