"""What agents are told when one of their tools cannot do what they asked."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

AT_WORK: Mapping[str, str] = {
    "no_resource": N_(
        "A resource is a path of the repository or a name of that form, such as src/app: no empty "
        "part, no “..”, at most 512 bytes."
    ),
    "claimed_by_another": N_(
        "{agent} keeps {resource} for itself. Work on something else, or end your turn with "
        "wake_self and try again later; claim_list shows who has what."
    ),
    "too_many_claims": N_("A run keeps at most {most} things for itself. Let go of some first."),
    "name_a_task": N_("Your turn is about no task. Name the one that is blocked."),
    "nothing_to_change": N_("Name at least one thing that is to change."),
    "not_below_yours": N_(
        "T-{number} is not below your task, so it is not yours to change. Say what you want with "
        "task_comment instead."
    ),
}
