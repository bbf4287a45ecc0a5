"""What is said where something cannot be closed, removed or tested as it was asked."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

ANSWERING: Mapping[str, str] = {
    "inbox_needs_answer": N_("Somebody waits for your decision. Answer it with one of: {offered}."),
    "workspace_has_history": N_(
        "Work was done in {name}, and its history stays. Stop its agents if nothing more is to "
        "happen there."
    ),
    "test_waiting": N_("It has not started yet. {why}"),
    "test_running": N_("It was started, and is at work on its answer."),
    "test_passed": N_("It starts and answers: {said}"),
    "test_passed_silently": N_("It starts and ends well. It said nothing."),
    "test_failed": N_("It does not work yet. {why}"),
    "test_never": N_("It was not tested yet."),
}
