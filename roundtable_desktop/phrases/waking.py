"""What is said of wakes: who is woken, when, and why one is taken back or refused."""

from collections.abc import Mapping

from roundtable_desktop.phrases.at_work import AT_WORK
from roundtable_desktop.phrases.marking import N_
from roundtable_desktop.phrases.mission_words import MISSION_SENTENCES

WAKING: Mapping[str, str] = {
    **AT_WORK,
    **MISSION_SENTENCES,
    "waits_not_before": N_("It waits until {until}, as it was asked."),
    "wakeup_not_waiting": N_(
        "This wakeup is {status}: it waits no more, so it cannot be cancelled."
    ),
    "task_is_over": N_("T-{number} is {status}. Run it again first, or wake the agent without it."),
    "too_far_ahead": N_("That is too far ahead: a wake can be at most {days} days away."),
    "too_many_wakes": N_(
        "You woke yourself {most} times within an hour. Do the work in this turn, or end it: a "
        "wake is taken again later."
    ),
    "one_reason": N_("Say once, as the reason, what you want to be woken for."),
    "at_or_in": N_("Give one of the two: a time (at) or a span (in)."),
    "no_moment": N_("“{given}” is no time with a zone; write it as 2026-03-08T06:30:00Z."),
    "no_span": N_("“{given}” is no span; write it as 90m, 2h or 1d."),
    "run_left": N_(
        "It ended well. What it left enters no branch; it is kept, and shown by: git show {left}"
    ),
}
