"""The short words for codes on pages, and the tone in which each is shown."""

from collections.abc import Mapping

from roundtable_desktop.model.records import Run
from roundtable_desktop.model.states import LIVE_RUNS, RunOutcome
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.config import DID
from roundtable_desktop.phrases.failures import CAUSES
from roundtable_desktop.phrases.foresight import WORDS
from roundtable_desktop.phrases.gates import gate_word
from roundtable_desktop.phrases.marking import N_
from roundtable_desktop.phrases.mission_words import MISSION_LABELS
from roundtable_desktop.phrases.reviewing import GATE_WORDS, VERDICT_WORDS
from roundtable_desktop.phrases.routines import REASONS

LABELS: Mapping[str, str] = {
    **MISSION_LABELS,
    **CAUSES,  # a kind of error that is an outcome too has a shorter word below
    # tasks
    "todo": N_("To do"),
    "in_progress": N_("In progress"),
    "in_review": N_("In review"),
    "blocked": N_("Blocked"),
    "interrupted": N_("Interrupted"),
    "stopped": N_("Stopped"),
    "draining": N_("Stopping"),
    "leaving": N_("Leaving"),
    "left": N_("Safe to close the lid"),
    "done": N_("Done"),
    "failed": N_("Failed"),
    "cancelled": N_("Cancelled"),
    # runs
    "starting": N_("Starting"),
    "running": N_("Running"),
    "waiting": N_("Waits for you"),
    "finished": N_("Finished"),
    "no_changes": N_("No changes"),
    "no_result": N_("No result"),
    "task_failed": N_("Could not do it"),
    "limited": N_("Refused"),
    "crashed": N_("Broke off"),
    "not_logged_in": N_("Not logged in"),
    "not_started": N_("Did not start"),
    "lost": N_("Lost"),
    "timed_out": N_("Timed out"),
    # proposals and deliveries
    "pending": N_("To look at"),
    "approved": N_("Approved"),
    "merged": N_("Merged"),
    "delivered": N_("Delivered"),
    "revision_requested": N_("Revision asked for"),
    "rejected": N_("Rejected"),
    "superseded": N_("Superseded"),
    "conflicted": N_("Conflicts"),
    "intended": N_("Under way"),
    "held": N_("Held"),
    # checks
    "asked": N_("Under way"),
    "passed": N_("Passed"),
    "missing": N_("Came to no end"),
    # where a task's runs work
    "worktree": N_(
        "A linked working tree: its agent can move your branches and change hooks; that is told"
    ),
    "main": N_("A copy to look at only: what is changed there is discarded"),
    # what a run was told
    "sent": N_("Sent"),
    "read": N_("Heard"),
    "not_delivered": N_("Not heard"),
    # inbox
    "open": N_("Open"),
    "snoozed": N_("Later"),
    "resolved": N_("Done"),
    "permission": N_("Asks for permission"),
    "agent.error": N_("Failed for good"),
    "blocker_lost": N_("Lost what it waits for"),
    "doctor": N_("Roundtable itself"),
    "delivery_blocked": N_("Was not delivered"),
    "config_changed": N_("Your repository"),
    "budget": N_("A budget"),
    "seen": N_("I have seen it"),
    "requested": N_("Waits for you"),
    "withdrawn": N_("Withdrawn"),
    "retry": N_("Try again"),
    "mark_fixed": N_("It is mended"),
    "pause_agent": N_("Pause the agent"),
    # routines and their firings
    "active": N_("Active"),
    "paused": N_("Paused"),
    "archived": N_("Archived"),
    "received": N_("Not over yet"),
    "task_created": N_("Not over yet"),
    "skipped": N_("Skipped"),
    "coalesced": N_("Merged"),
    **REASONS,
    "coalesce_if_active": N_("a further fire is merged with it"),
    "skip_if_active": N_("a further fire is skipped"),
    "always_enqueue": N_("a further fire runs as well"),
    "enqueue_missed_with_cap": N_("fires later, up to a number"),
    "skip_missed": N_("is passed over"),
    "cron": N_("by its schedule"),
    "webhook": N_("by its webhook"),
    "manual": N_("by hand"),
    "hmac_sha256": N_("signed (HMAC-SHA256)"),
    "bearer": N_("a bearer secret"),
    "none": N_("not signed: everybody may who knows the address"),
    "fired": N_("Set it off"),
    "routine_paused": N_("Was paused"),
    "routine_archived": N_("Was archived"),
    "webhook_home_copied": N_("Home is a copy"),
    "json_only": N_("Not JSON"),
    "unreadable_json": N_("Unreadable"),
    "invalid_body": N_("Not taken"),
    "webhook_no_object": N_("Not an object"),
    # agents
    "idle": N_("Idle"),
    "working": N_("Working"),
    "retired": N_("Retired"),
    "coordinator": N_("coordinator"),
    "worker": N_("worker"),
    "specialist": N_("specialist"),
    "assistant": N_("assistant"),
    "reviewer": N_("reviewer"),
    "architect": N_("architect"),
    "debugger": N_("debugger"),
    "acp": N_("speaks ACP"),
    "command": N_("a command"),
    "demo": N_("the built-in practice agent"),
    "ask": N_("you are asked"),
    "allow": N_("everything is allowed"),
    "deny": N_("everything is refused"),
    # wakeups
    "queued": N_("Waits"),
    "claimed": N_("At work"),
    "executed": N_("Ran"),
    # the board
    "still": N_("Stands still"),
    # processes
    "runner": N_("runner"),
    "agent": N_("agent"),
    "child": N_("child"),
    # ways of delivery
    "approval": N_("after your approval"),
    "auto": N_("by itself"),
    # what a gate answered
    "go": N_("passed"),
    "launched": N_("passed"),
    "finish": N_("settled"),
    "hold": N_("waits"),
    "cancel": N_("cancelled"),
    "fail": N_("failed"),
}

ANSWERS: Mapping[str, str] = {
    "approve": N_("Approve"),
    "reject": N_("Reject"),
    "drop_edge": N_("Start without it"),
    "cancel": N_("Cancel the task"),
    "redo": N_("Have it done again"),
    "resume": N_("Let it go on"),
    "request_changes": N_("Have it reworked"),
    "discard": N_("Discard it"),
    "raise": N_("Raise it for now"),
    "dismiss": N_("Nothing to do"),
    "accept": N_("Accept it"),
    "keep": N_("Keep what is"),
    "ask_again": N_("Ask them again"),
    "pass_gate": N_("Let it pass"),
    "send_back": N_("Send it back once more"),
    "repair": N_("Have it mended"),
    "reopen": N_("Open it again"),
    "skip_optional": N_("Go on without what is optional"),
}
"""Answers in the inbox that have no word above, or another one."""

ITEMS: Mapping[str, str] = {"approval": N_("Asks for approval"), "blocked": N_("Cannot go on")}
"""Kinds of the inbox, likewise."""

MOVES: Mapping[str, str] = {
    "todo": N_("Put back to do"),
    "in_progress": N_("Start it"),
    "in_review": N_("Put up for review"),
    "done": N_("It is done"),
    "cancelled": N_("Cancel it"),
}
"""What a person does with a task by moving it there."""

FIELDS: Mapping[str, str] = {
    "title": N_("Title"),
    "goal": N_("Goal"),
    "text": N_("What is asked otherwise"),
    "task_ids": N_("Tasks that it touches"),
    "sure": N_("End all of it now"),
    "findings": N_("Comments on lines"),
    "note": N_("A word with them"),
    "coordinator": N_("Coordinator"),
    "mission": N_("Mission"),
    "write_area": N_("What it may write"),
    "priority": N_("Priority"),
    "optional": N_("Optional"),
    "fallback_models": N_("Models to fall back to"),
    "description": N_("Description"),
    "waits_for": N_("Waits for"),
    "parent": N_("Part of"),
    "base_branch": N_("Base branch"),
    "retry_budget": N_("Failures allowed"),
    "acceptance": N_("Accepted when"),
    "expected_files": N_("Files that it should change"),
    "needed": N_("How many reviewers must approve"),
    "project": N_("Project"),
    "model": N_("Model"),
    "name": N_("Name"),
    "command": N_("Command"),
    "account": N_("Account"),
    "max_concurrent_sessions": N_("Runs at once"),
    "cooldown_sec": N_("Rest between runs, in seconds"),
    "silence_limit_sec": N_("Ended after this silence, in seconds"),
    "soft_timeout_sec": N_("Asked how it stands after, in seconds"),
    "hard_timeout_sec": N_("Ended after, in seconds"),
    "flat_rate": N_("What its runs cost"),
    "memory_limit_mb": N_("Memory of one run, in MB (0: half of the machine's)"),
    "env": N_("Variable"),
    "secret": N_("Secret"),
    "signing_mode": N_("Who may"),
}
"""Names of fields of forms."""

TONES: Mapping[str, str] = {
    **dict.fromkeys(("done", "delivered", "merged", "go", "launched", "completed"), "good"),
    **dict.fromkeys(("failed", "task_failed", "crashed", "lost", "timed_out", "fail"), "bad"),
    **dict.fromkeys(("conflicted", "rejected", "no_result", "not_started"), "bad"),
    "not_logged_in": "wait",
    **dict.fromkeys(("completed_with_failures", "degraded"), "wait"),
    **dict.fromkeys(("waiting", "in_review", "pending", "blocked", "held", "open"), "wait"),
    **dict.fromkeys(("interrupted", "revision_requested", "hold", "limited"), "wait"),
    **dict.fromkeys(("starting", "running", "in_progress", "approved", "intended"), "live"),
    **dict.fromkeys(("received", "task_created", "active", "working", "claimed"), "live"),
}
"""good | bad | wait | live; all else is quiet."""

EVENTS: Mapping[str, str] = {
    "agent.added": N_("Added"),
    "agent.changed": N_("Changed"),
    "agent.moved": N_("Moved"),
    "task.created": N_("Created"),
    "task.assigned": N_("Assigned"),
    "task.changed": N_("Changed"),
    "task.started": N_("Work began"),
    "task.progress": N_("Progress was told"),
    "task.completed": N_("Done"),
    "task.decided": N_("How it goes on was decided"),
    "task.failed": N_("Failed"),
    "task.blocked": N_("Blocked"),
    "task.cancelled": N_("Cancelled"),
    "task.interrupted": N_("Broken off"),
    "task.moved": N_("Moved"),
    "task.commented": N_("Commented"),
    "task.depends": N_("What it waits for was changed"),
    "run.starting": N_("The launch began"),
    "run.started": N_("The runner is there"),
    "run.ended": N_("Ended"),
    "run.voided": N_("Nothing was started"),
    "run.adopted": N_("Found again after a restart"),
    "run.deadline": N_("A deadline passed"),
    "run.resume_point": N_("Where it goes on was kept"),
    "run.stopping": N_("It was told to end"),
    "run.told": N_("It was told something"),
    "run.unheard": N_("It was over before it heard what it was told"),
    "run.controlled": N_("The runner was told something"),
    "run.used": N_("A turn's tokens were counted"),
    "run.wake_refused": N_("It woke itself too often"),
    "run.repository_moved": N_("Your repository changed during the run"),
    "run.changes_discarded": N_("What it changed was discarded: it was only to look"),
    "run.spool_damaged": N_("A message of the runner cannot be read"),
    "agent.started": N_("The agent was started"),
    "agent.lost": N_("The agent was lost"),
    "agent.cancelled": N_("The agent was cancelled"),
    "agent.silent": N_("The agent is silent"),
    "agent.heard": N_("The agent is heard again"),
    "agent.heartbeat": N_("Sign of life"),
    "run.claimed": N_("It keeps something for itself"),
    "run.released": N_("It let go of what it kept for itself"),
    "agent.turn_requested": N_("Asked for a turn"),
    "agent.turn_scheduled": N_("A turn was given"),
    "agent.turn_started": N_("A turn was taken"),
    "agent.turn_completed": N_("A turn is over"),
    "agent.turn_overdue": N_("A turn takes long"),
    "agent.turn_lapsed": N_("A turn went: nobody took it, or it was never ended"),
    "session.opened": N_("The conversation was opened"),
    "session.dropped": N_("The earlier conversation was given up"),
    "routine.added": N_("Made"),
    "routine.changed": N_("Changed"),
    "routine.moved": N_("Moved"),
    "routine.stumbled": N_("Could not be fired, and is tried again"),
    "routine.removed": N_("Taken away"),
    "recovery_dispatch": N_("Its lost wakeup was made again"),
}

ACTORS: Mapping[str, str] = {"person": N_("you"), "system": N_("Roundtable")}


KEPT_FROM_WORK: Mapping[str, str] = {
    "auth_required": "not_logged_in",
    "cli_missing": "not_started",
    "cli_outdated": "not_started",
}
"""Ends of which the kind of error says more than that it broke off."""


def label(code: str) -> str:
    """The word for a code; one that has none is shown as it is."""
    return _(LABELS[code]) if code in LABELS else code


def gate_state(code: str) -> str:
    """Of gates, of verdicts and of findings."""
    words = {**GATE_WORDS, **VERDICT_WORDS}
    return _(words[code]) if code in words else label(code)


def answer_label(code: str) -> str:
    return _(ANSWERS[code]) if code in ANSWERS else label(code)


def item_label(kind: str) -> str:
    return _(ITEMS[kind]) if kind in ITEMS else label(kind)


def move_label(status: str, before: str) -> str:
    """In review, starting it means that it goes back."""
    if (before, status) == ("in_review", "in_progress"):
        return _("Send it back")
    return _(MOVES[status])


def did_label(did: str) -> str:
    """What accepting a file does with an agent or a routine."""
    return _(DID[did]) if did in DID else label(did)


def field_label(name: str) -> str:
    return _(FIELDS[name]) if name in FIELDS else name


def cause_label(code: str) -> str:
    """What wakes an agent: a source, or a reason."""
    return _(WORDS[code]) if code in WORDS else code


def gate_label(gate: str) -> str:
    return gate_word(gate)


def error_label(kind: str) -> str:
    return _(CAUSES[kind]) if kind in CAUSES else label(kind)


def event_label(kind: str) -> str:
    return _(EVENTS[kind]) if kind in EVENTS else kind


def tone(code: str) -> str:
    return TONES.get(code, "quiet")


def run_state(run: Run) -> str:
    """The one code that says how it is with a run: an open question before all, then its end."""
    if run.status in LIVE_RUNS:
        return "waiting" if run.waiting_since is not None else str(run.status)
    if run.outcome is RunOutcome.CRASHED and run.error_kind:
        return KEPT_FROM_WORK.get(run.error_kind, str(run.outcome))
    return str(run.outcome or run.status)


def actor_label(kind: str, name: str) -> str:
    return _(ACTORS[kind]) if kind in ACTORS else name
