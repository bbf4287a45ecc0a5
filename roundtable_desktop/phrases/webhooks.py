"""What is said of webhooks: to their senders, and to the person whose they are."""

from collections.abc import Mapping

from roundtable_desktop.phrases.marking import N_

WEBHOOKS: Mapping[str, str] = {
    "webhook_refused": N_(
        "Nothing was set off. Either there is no such webhook, or it is switched off, or this call "
        "is not signed as it must be. Look at its routine."
    ),
    "webhook_from_browser": N_("A browser sets no webhook off. Send it from a program."),
    "webhook_too_often": N_(
        "This webhook takes 60 calls a minute. Try again after the time in Retry-After."
    ),
    "webhook_no_object": N_("A webhook takes a JSON object: names with values."),
    "webhook_not_taken": N_(
        "Nothing was started: some variables have no value, or one that cannot be taken; each is "
        "listed. The history of the routine tells of it (firing {firing})."
    ),
    "bad_delivery_id": N_("The id of a delivery has 1 to 200 visible ASCII characters."),
    "webhook_home_copied": N_(
        "This home is a copy of one that may still run: nothing fires here before its person "
        "resumes it."
    ),
    "webhook_has_no_schedule": N_("A webhook has no schedule. Leave the expression out."),
    "only_webhooks_sign": N_(
        "A trigger of the kind {kind} has no secret and is not signed. Leave that out."
    ),
    "trigger_twice": N_("Trigger {id} stands there twice. Name it once."),
    "webhook_unsigned": N_(
        "Without a signature everybody may set it off who knows the address. If you want that, say "
        "so with accept_unsigned; else choose hmac_sha256 or bearer."
    ),
    "webhook_has_no_secret": N_("A webhook without a signature has no secret. Leave it out."),
    "webhook_secret_empty": N_(
        "An empty secret would keep nobody out. Write one, or leave the field out: then one is "
        "made."
    ),
    "webhook_secret_length": N_("A secret has {least} to {most} characters."),
    "webhook_secret_characters": N_(
        "A secret has no control characters; one that is sent as a bearer has visible ASCII "
        "characters only."
    ),
    "delivery_fired": N_("It set the routine off."),
    "delivery_coalesced": N_("It was merged with the last one, which was not over yet."),
    "delivery_skipped": N_("Nothing was started: the last one was not over yet."),
    "delivery_variables_missing": N_("Nothing was started: a variable that is needed was missing."),
    "delivery_variables_not_taken": N_("Nothing was started: a value could not be taken."),
    "delivery_routine_text_too_long": N_(
        "Nothing was started: with these values a text would have been too long."
    ),
    "delivery_routine_paused": N_("Nothing was started: the routine was paused."),
    "delivery_routine_archived": N_("Nothing was started: the routine was archived."),
    "delivery_webhook_home_copied": N_(
        "Nothing was started: this home is a copy, and waits for you to resume it."
    ),
    "delivery_json_only": N_("Nothing was started: it was no JSON (its Content-Type)."),
    "delivery_unreadable_json": N_("Nothing was started: its JSON could not be read."),
    "delivery_invalid_body": N_("Nothing was started: it held text or numbers that nobody keeps."),
    "delivery_webhook_no_object": N_("Nothing was started: it was no object of names and values."),
    "routine_by_webhook": N_("It has no schedule: it fires when its webhook is called."),
    "routine_by_webhook_off": N_(
        "It has no schedule, and its webhook is switched off: it fires when you tell it to."
    ),
    "routine_by_webhook_bare": N_(
        "It has no schedule, and its webhook refuses every call: its secret is gone. Give it a new "
        "one."
    ),
}
