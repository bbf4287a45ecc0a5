"""Sentences about who waits for an account at its limit, or for an agent that may not run."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

HOLDS: Mapping[str, str] = {
    "account_passed": N_("No limit of the provider keeps it waiting."),
    "account_waiting": N_("The limit of {account} keeps it waiting, until {until} at the latest."),
    "waits_account": N_("It waits for the limit of {account}; next try {until}."),
    "waits_model": N_("It waits for the limit of the model of {agent}; next try {until}."),
    "waits_trial": N_(
        "It waits: another run tries whether the limit of {account} is over. It follows at {until} "
        "at the latest."
    ),
    "waits_spread": N_("The limit of {account} is over; starts are spread, this one from {until}."),
    "waits_order": N_("It waits its turn: another wakeup of {agent} comes first."),
    "waits_agent_paused": N_(
        "It waits: {agent} is paused. It goes on after “roundtable agent resume”."
    ),
    "waits_agent_stopped": N_("It will not run: {agent} is stopped."),
    "waits_agent_retired": N_("It will not run: {agent} is retired."),
    "held_account": N_(
        "The account {account} is at its limit; next try {until}. Waiting: {agents}."
    ),
    "held_account_nobody": N_(
        "The account {account} is at its limit until {until}. Nobody waits for it."
    ),
    "held_model": N_("The model of {agents} is at its limit; next try {until}."),
    "held_model_nobody": N_(
        "A model of the account {account} is at its limit until {until}. Nobody waits for it."
    ),
    "held_trial": N_("The account {account} was at its limit; one run tries whether that is over."),
    "held_spread": N_("The limit of {account} is over; starts are spread over a few seconds."),
    "account_not_held": N_("{agent} waits for no limit: nothing keeps {account} from starting."),
}
