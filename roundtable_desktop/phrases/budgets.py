"""What is said of budgets and of what was used."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

BUDGETS: Mapping[str, str] = {
    "budget_passed": N_("No budget keeps it from running."),
    "budget_none": N_("No budget is set for it."),
    "budget_waiting": N_("A budget is used up: {percent} % of it."),
    "budget_unreadable_waiting": N_(
        "A budget cannot be read ({fault}), so nothing starts under it."
    ),
    "waits_budget_unreadable": N_(
        "It waits: a budget cannot be read, so nothing starts under it. Look at the page Usage, "
        "and save or remove that budget; it is tried again {until}."
    ),
    "wakeup_budget_blocked": N_(
        "It did not run: a budget is used up. {budget} It runs when there is room: raise the "
        "budget (“roundtable budget edit”), or wait for its time to begin anew."
    ),
    "budget_full": N_("{percent} % of it is used."),
    "run_over_budget": N_(
        "It was broken off, because a budget was used up. It goes on where it is when there is "
        "room."
    ),
    "inbox_budget_near": N_(
        "{percent} % of the budget of {named} is used ({meter}, {period}). Nothing is stopped yet."
    ),
    "inbox_budget_reached": N_(
        "The budget of {named} is used up: {percent} % ({meter}, {period}). What it holds back "
        "runs when there is room."
    ),
    "unknown_budget": N_("There is no such budget."),
    "too_many_budgets": N_("A workspace has at most {most} budgets. Change one that is there."),
    "budget_of_whom": N_("Say whose it is: the {scope} of this budget."),
    "budget_window_of_quota": N_(
        "A provider's window is counted by the meter “quota” alone. Choose day, month, rolling or "
        "total."
    ),
    "budget_needs_hours": N_("Say of how many hours: “rolling” is always the last ones."),
}
