"""Every sentence that a code stands for: what happened, and what to do next.

Rows and errors keep codes and values (law 12); pages, answers and menus say these. A template
names its values in braces; a value is put in as it is and never read as a template itself.
"""

import gettext
from collections.abc import Mapping
from functools import cache

from roundtable_desktop.phrases.answering import ANSWERING
from roundtable_desktop.phrases.board import BOARD
from roundtable_desktop.phrases.budgets import BUDGETS
from roundtable_desktop.phrases.bundles import BUNDLES
from roundtable_desktop.phrases.clock import CLOCK
from roundtable_desktop.phrases.config import CONFIG
from roundtable_desktop.phrases.control import CONTROL
from roundtable_desktop.phrases.failures import CAUSES, FAILURES
from roundtable_desktop.phrases.fields import FIELDS
from roundtable_desktop.phrases.foresight import FORESIGHT, WORDS
from roundtable_desktop.phrases.holds import HOLDS
from roundtable_desktop.phrases.instants import is_exact, stamp
from roundtable_desktop.phrases.keeping import KEEPING
from roundtable_desktop.phrases.marking import N_
from roundtable_desktop.phrases.moved import MOVED
from roundtable_desktop.phrases.recovery import RECOVERY
from roundtable_desktop.phrases.repositories import GIT, HELD
from roundtable_desktop.phrases.reviewing import REVIEWING
from roundtable_desktop.phrases.routines import CRON, REASONS, ROUTINES, VARIABLES
from roundtable_desktop.phrases.running import RUNNING, RUNS
from roundtable_desktop.phrases.values import Value, Values
from roundtable_desktop.phrases.waking import WAKING
from roundtable_desktop.phrases.welcome import WELCOME


@cache
def _translation() -> gettext.NullTranslations:
    return gettext.translation("roundtable", fallback=True)


def _(text: str) -> str:
    """`text` in the user's language; English when there is no catalogue."""
    return _translation().gettext(text)


def n_(one: str, many: str, count: int) -> str:
    """The form for `count`, which stands in it as {count}."""
    return _translation().ngettext(one, many, count).format(count=count)


def one_line(text: str, most: int) -> str:
    """Text from outside as one line of at most `most` characters, without what could drive a
    terminal or turn the writing around."""
    line = "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}"
        for character in " ".join(text.split())
    )
    return line if len(line) <= most else line[: most - 1] + "…"


def sentence(
    code: str,
    values: Mapping[str, object] | None = None,
    rather: Mapping[str, str] | None = None,
) -> str:
    """The sentence for `code`. One that is not known here is named, so that it can be asked for.
    rather: templates that go before ours."""
    template = (rather or {}).get(code) or SENTENCES.get(code)
    if template is None:
        return _("This was not done. The reason is “{code}”.").format(code=code)
    shown = {name: Value(_named(name, value, rather)) for name, value in (values or {}).items()}
    return _(template).format_map(Values(shown)).rstrip()


def became(status: str, reason: str | None) -> str:
    """How it went with a firing of a routine, and why."""
    why = [_(REASONS[reason])] if reason and reason in REASONS else []
    return " ".join([sentence(f"firing_{status}"), *why])


def _named(name: str, value: object, rather: Mapping[str, str] | None) -> str:
    """Some values are codes, by their names: those are said in words."""
    given = str(value)
    if name in ("error_kind", "kind") and given in CAUSES:
        return "" if given == "crashed" else _(CAUSES[given])  # that, the sentence says itself
    if name == "reason" and given in WORDS:
        return _(WORDS[given])
    if name in ("status", "expect", "to"):
        return given.replace("_", " ")
    return _("unknown") if value is None else _shown(value, rather)


def _shown(value: object, rather: Mapping[str, str] | None) -> str:
    if isinstance(value, Mapping) and "code" in value:  # why: a reason with values of its own
        return sentence(str(value["code"]), value, rather)
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(str(one) for one in value)
    said = str(value)
    return stamp(said) if is_exact(said) else said


HTTP: Mapping[str, str] = {
    "unreadable": N_("The request cannot be read as HTTP."),
    "unreadable_json": N_("The body is not valid JSON in UTF-8. Correct it and send it again."),
    "invalid_body": N_("Some fields cannot be taken; each is listed with the reason."),
    "invalid_query": N_("Some parameters cannot be taken; each is listed with the reason."),
    "invalid_form": N_("Some fields of the form cannot be taken; each is listed with the reason."),
    "form_only": N_("This address takes a form of our own pages. Programs use /api/v1."),
    "form_without_key": N_("This page is out of date. Load it again and repeat what you did."),
    "form_sent_already": N_(
        "This form was sent already, with other words. Load the page again and send it once more."
    ),
    "bad_cursor": N_("The cursor is not one of this list. Start again without it."),
    "bad_last_event_id": N_("Last-Event-ID is the number of an event that this feed sent."),
    "streams_taken": N_(
        "All {most} event streams are in use. Close one, or ask /api/v1/events from time to time."
    ),
    "bad_idempotency_key": N_("An Idempotency-Key has 1 to 200 visible ASCII characters."),
    "json_only": N_("Send the body as JSON, with Content-Type application/json."),
    "body_too_large": N_("The body is too large: at most {limit} KiB."),
    "headers_too_large": N_("The headers are too large."),
    "signed_out": N_(
        "You are not signed in. Programs send the token of this home as a bearer token; "
        "people use “roundtable open”."
    ),
    "code_not_valid": N_(
        "This link was used already, or is older than a minute. "
        "Get a new one with “roundtable open”."
    ),
    "too_many_codes": N_(
        "Too many wrong links in a short time. A new one from “roundtable open” works at once."
    ),
    "token_only": N_("Only programs that hold the token of this home can do this."),
    "csrf_mismatch": N_("This page is out of date. Load it again and repeat what you did."),
    "foreign_origin": N_("Another site asked for this. Only our own pages may."),
    "foreign_page": N_("Another site asked for this. Only our own pages may."),
    "unknown_host": N_(
        "This program does not answer under that name. “roundtable open” leads to the right one."
    ),
    "forbidden": N_("This is not allowed."),
    "not_found": N_("There is nothing at this address."),
    "method_not_allowed": N_("This address does not answer that method."),
    "rate_limited": N_("Too many requests in a short time. Try again in a minute."),
    "unavailable": N_("This is not possible right now. Try again in a moment."),
    "internal": N_(
        "Something went wrong inside Roundtable. The log has the details under this request's "
        "number."
    ),
    "host_not_loopback": N_(
        "Roundtable listens on this machine only: use 127.0.0.1, ::1 or localhost."
    ),
}

THINGS: Mapping[str, str] = {
    "unknown_workspace": N_("There is no such workspace. “roundtable init” registers one."),
    "unknown_agent": N_("There is no such agent."),
    "unknown_task": N_("There is no such task."),
    "unknown_wakeup": N_("There is no such wakeup."),
    "unknown_run": N_("There is no such run."),
    "unknown_proposal": N_("There is no such proposal."),
    "unknown_timezone": N_(
        "“{timezone}” is not the name of a time zone. Use one such as {suggestion}."
    ),
    "ambiguous_id": N_("“{given}” fits more than one. Give more of the id's last characters."),
    "name_taken": N_("The name “{name}” is taken. Choose another one."),
    "path_registered": N_("{path} is a workspace already."),
    "path_missing": N_("There is no such folder. Name one that is there."),
    "command_empty": N_("The command is empty. Say what starts this agent."),
    "detached_head": N_(
        "In {path} no branch is checked out. Say which one to start from (base_branch)."
    ),
    "agent_works": N_(
        "{agent} is working with the variables it has. Change them when its run is over."
    ),
    "too_many_names": N_("At most {most} names have room in this setting."),
    "too_many_variables": N_("An agent has at most {most} variables."),
    "agent_retired": N_("{agent} is retired. Choose another agent."),
    "task_not_assigned": N_("Nobody is assigned to this task. Assign an agent first."),
    "proposal_not_open": N_("This proposal is {status}: it can no longer be decided."),
    "illegal_move": N_("A {machine} that is {expect} cannot become {to}."),
    "changed_meanwhile": N_(
        "This was changed meanwhile; it is at revision {revision} now. Load it again and repeat "
        "your change."
    ),
    "key_reused": N_(
        "This Idempotency-Key was used for another request. Use a new key for a new request."
    ),
    "idempotency_key_required": N_("Send an Idempotency-Key with this request."),
}

GATES: Mapping[str, str] = {
    "payload_passed": N_("What it says can be read."),
    "payload_waiting": N_("What it says cannot be read: {fields}."),
    "context_passed": N_("The prompt was put together."),
    "context_waiting": N_("The prompt is not put together yet."),
    "agent_status_passed": N_("The agent is active."),
    "agent_status_waiting": N_("The agent is {status}: nothing runs for it."),
    "capacity_passed": N_("The agent has room for one more run ({live} of {most} now)."),
    "capacity_waiting": N_(
        "The agent has all the runs it may have at once ({live} of {most}). It starts after one."
    ),
    "cooldown_passed": N_("The agent has rested long enough since its last run."),
    "cooldown_waiting": N_("The agent rests after its last run, until {until}."),
    "scheduled_retry_passed": N_("No later time is set for it."),
    "scheduled_retry_waiting": N_("It waits until {until}."),
    "staleness_passed": N_("What it was asked for still holds."),
    "staleness_waiting": N_("What it was asked for no longer holds: {reason}."),
    "task_lease_passed": N_("Nobody else works on the task."),
    "task_lease_waiting": N_("Run {run_id} works on the task. This one starts after it."),
    "executor_passed": N_("It is told to use the model {model}, named by the {from}."),
    "executor_waiting": N_("Its model is not known yet."),
    "launch_passed": N_("The agent was started."),
    "launch_waiting": N_("The agent is being started."),
}

HOME: Mapping[str, str] = {
    "home_is_owned": N_(
        "Another owner is running in {path} (process {pid}). Use it, or stop it first: Ctrl-C "
        "where it runs, “Quit” in its tray menu, or end that process."
    ),
    "home_is_link": N_("{path} is a symbolic link. Name the real folder instead."),
    "home_file_is_link": N_("{path} is a symbolic link. Remove it; nothing was written."),
    "home_on_network": N_(
        "{path} lies on a network drive ({kind}), where no lock keeps two owners apart. Name a "
        "folder of this machine with --home."
    ),
    "home_path_too_long": N_(
        "The path {path} is too long for the sockets of runners. Name a shorter home with --home, "
        "or set XDG_RUNTIME_DIR."
    ),
    "home_not_made": N_("{path} cannot be made: {text}. Name another home with --home."),
    "home_is_no_folder": N_("{path} is not a folder. Name another home with --home."),
    "home_of_another_user": N_("{path} belongs to another user. Name another home with --home."),
    "home_writable_by_others": N_(
        "Others can write in {path}. Take that away (chmod 700), or name another home."
    ),
    "no_owner": N_("No owner is running in {home}. Start one: “roundtable start”."),
    "port_taken": N_("Port {port} cannot be had: {text}. Choose another one with --port."),
    "no_free_port": N_("No port from {port} on is free. Choose one with --port."),
    "path_not_text": N_("This path has bytes that are no text. Rename the folder."),
}

WAITS: Mapping[str, str] = {
    "waits_turn": N_("It is next in the queue of {agent}."),
    "waits_capacity": N_("It waits for {agent}, who works on something else."),
    "waits_cooldown": N_("It waits until {until}: {agent} rests {cooldown_sec} s between runs."),
    "waits_window": N_("It waits until {until} for others like it, so that they are one run."),
    "waits_limit": N_("It waits for the provider's limit; next try {until}."),
    "waits_retry": N_("It is tried again at {until} (retry {retries} of 4)."),
    "waits_checkout_contended": N_("It waits until {until}: another run has the task."),
    "waits_stumbled": N_("Something went wrong here; it is tried again at {until}. See the log."),
    "waits_interrupted": N_("It was broken off and goes on at {until}."),
}

WAKEUPS: Mapping[str, str] = {
    "wakeup_claimed": N_("It is at work now."),
    "wakeup_executed": N_("It ran."),
    "wakeup_merged": N_("It was merged into wakeup {into}, which waited already."),
    "wakeup_agent_paused": N_("It did not run: the agent was paused."),
    "wakeup_agent_stopped": N_("It did not run: the agent was stopped."),
    "wakeup_stale": N_("It did not run: what it was for no longer held ({reason})."),
    "wakeup_user_cancelled": N_("It was cancelled by you."),
    "wakeup_malformed": N_("It did not run: what it says cannot be read."),
    "wakeup_incurable": N_("It failed for a reason that trying again does not cure."),
    "wakeup_exhausted": N_("It failed five times and is not tried again by itself."),
}

TASKS: Mapping[str, str] = {
    "task_unassigned": N_("Nobody is assigned. “roundtable task assign” gives it to an agent."),
    "task_todo": N_("It is to be done."),
    "task_in_progress": N_("It is being worked on."),
    "task_in_progress_waits": N_("It was begun, and nobody works on it just now."),
    "task_in_review": N_("It waits for you: deliver the proposal, or say what is missing."),
    "task_delivery_held": N_("Its delivery is held. See the proposal for the reason."),
    "task_blocked_fix_agent": N_(
        "It is blocked: its agent cannot work. {kind} See the run and put that right, or give the "
        "task to another agent (“roundtable task assign”); “roundtable task run” tries anew."
    ),
    "task_blocked_log_in": N_(
        "It is blocked: {agent} is not logged in. Start its program in a terminal and log in "
        "there; then “roundtable task run” tries anew."
    ),
    "task_blocked_clear_way": N_(
        "It is blocked: something that is no file is in git's way. The inbox says where it is and "
        "what clears the way; then “roundtable task run” tries anew. Nothing of its work is lost."
    ),
    "task_blocked_look_at_copy": N_(
        "It is blocked: what its agent left cannot be collected; see the run. It is all still in "
        "the agent's copy."
    ),
    "task_blocked_by_question": N_("It waits for you: {action}"),
    "task_blocked": N_("It waits for {owner}: {action}"),
    "task_interrupted": N_(
        "It was broken off and is not tried again by itself. “roundtable task run” runs it."
    ),
    "task_failed": N_("Every attempt failed. “roundtable task run” tries anew."),
    "task_cancelled": N_("It was cancelled."),
    "task_done": N_("It is done."),
    "task_is_running": N_("T-{number} is being worked on. Wait for that run to end."),
}

PROPOSALS: Mapping[str, str] = {
    "proposal_pending": N_("It waits for you: look at it, then deliver it."),
    "proposal_in_review": N_("It is being reviewed."),
    "proposal_approved": N_("It is being delivered."),
    "proposal_merged": N_("It is on {branch}, and is delivered with its mission."),
    "proposal_delivered": N_("It is on {branch} as {commit}."),
    "nothing_left": N_(
        "Nothing was left to bring: its branch has this change already, at {commit}."
    ),
    "proposal_revision_requested": N_("A revision was asked for."),
    "proposal_rejected": N_("It was rejected."),
    "proposal_superseded": N_("A newer proposal of the same task took its place."),
    "proposal_conflicted": N_("It went back to be brought onto its branch as that is now."),
    "proposal_held": N_(
        "This proposal is held for a look; “roundtable proposal show” says why. Deliver it all the "
        "same with --override and --note, which says why it may go."
    ),
    "held_for_a_look": N_("It is held for a look. {why}"),
    "delivery_held": N_("It could not be delivered. {why} Nothing of yours was touched."),
    "by_hand": N_("When nothing is in the way, it is done by hand with: {command} ."),
}

INBOX: Mapping[str, str] = {
    "inbox_permission": N_("An agent asks for permission: {text}"),
    "inbox_agent.error": N_("An agent failed for good. Nothing more is tried by itself."),
    "agent_not_active": N_("{agent} is {status}. That cannot be done with it now."),
    "unknown_inbox_item": N_("There is no such item in the inbox."),
    "already_resolved": N_("This was answered already."),
    "no_note_taken": N_("Nobody would read a note with “{action}”. Answer without one."),
    "run_is_over": N_("The run that asked is over. Nothing is left to answer."),
    "too_many_subtasks": N_("A task has at most {most} subtasks, ended ones too. Make no more."),
    "too_many_tasks": N_("You made {most} tasks within an hour. Make no more for now."),
    "no_own_task": N_("This turn is about no task. Name one; “task_list” shows which there are."),
    "too_deep_subtasks": N_("Subtasks go {most} levels deep at most."),
    "unknown_action": N_("“{action}” is not one of its answers: {offered}."),
    "waits_for_person": N_("It waits for your answer: see “roundtable inbox list”."),
}

AGENTS: Mapping[str, str] = {
    "run_access_over": N_("This token opens nothing: its run is over, or it never was one."),
    "one_message": N_("Send one JSON-RPC message a request; lists of them are not taken."),
    "unclean_text": N_("The text has a NUL character or half of a surrogate pair. Take it out."),
    "bad_arguments": N_("Some arguments cannot be taken; each is listed with the reason."),
    "text_too_large": N_("This is too large: at most {limit} KiB."),
    "blocked_on_nobody": N_(
        "A blocked result says who has to do what: give “blocked” with its owner and action."
    ),
    "tool_failed": N_("Something went wrong inside Roundtable; its log has the details."),
}

OWNER: Mapping[str, str] = {
    "scheduler_ok": N_("The scheduler is running."),
    "scheduler_degraded": N_(
        "The scheduler is running, but something fails: a full disk, perhaps. See the log."
    ),
    "scheduler_dead_since": N_(
        "Scheduler stopped since {until}: nothing is started. Start Roundtable again; see the log."
    ),
    "scheduler_dead": N_("The scheduler has stopped. Start Roundtable again; see the log."),
}

SENTENCES: Mapping[str, str] = {
    **HTTP,
    **THINGS,
    **GIT,
    **HELD,
    **MOVED,
    **GATES,
    **HOME,
    **HOLDS,
    **WAITS,
    **WAKEUPS,
    **RUNS,
    **RUNNING,
    **TASKS,
    **PROPOSALS,
    **INBOX,
    **BOARD,
    **ANSWERING,
    **REVIEWING,
    **BUDGETS,
    **WELCOME,
    **AGENTS,
    **OWNER,
    **CONTROL,
    **CLOCK,
    **CONFIG,
    **FAILURES,
    **FIELDS,
    **FORESIGHT,
    **CRON,
    **VARIABLES,
    **WAKING,
    **RECOVERY,
    **KEEPING,
    **BUNDLES,
    **ROUTINES,
}
