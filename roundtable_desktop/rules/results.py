"""What a run that ended amounts to: its outcome, what becomes of the task and who tries again."""

from dataclasses import dataclass, replace

from roundtable_desktop.model.attempts import Cause
from roundtable_desktop.model.messages import End, WorkerResult
from roundtable_desktop.model.states import ErrorKind, RunOutcome, RunStatus, TaskStatus
from roundtable_desktop.rules.dressed import asks_leave, is_error
from roundtable_desktop.rules.finals import final_of
from roundtable_desktop.rules.limits import Verdict
from roundtable_desktop.rules.retry import Layer

INCURABLE = (
    ErrorKind.AUTH_REQUIRED,
    ErrorKind.BILLING,
    ErrorKind.MODEL_UNAVAILABLE,
    ErrorKind.CONTEXT_FULL,
    ErrorKind.CLI_MISSING,
    ErrorKind.CLI_OUTDATED,
    ErrorKind.PERMISSION_DENIED,
    ErrorKind.SPECIAL_FILE,
)
"""What waiting cannot cure: not tried again (C-38, B-074)."""


SUMMARY = 1000
"""Characters of what a program printed last that stand for a summary it did not give."""

PROCESS_LIMIT = "process limit: it started more processes at once than one run may have"
"""Trying the same again cures it no more than any other failure of the work (F-36)."""

MEMORY_LIMIT = "memory limit: its processes used {used} MB at once, and one run may use {most} MB"
NO_MEMORY = "memory limit: the machine had none left, so the system ended it; it used {used} MB"
"""So too (F-37); the next attempt reads it, and can do with less."""

LIMITS = ("silence", "hard", "memory")
"""Ended by a limit; a report that came before it counts all the same (C-103)."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """task: where its status goes, None to leave it. text: of the error, as it was said.

    limit: what the provider said, where it was that which refused. alike: the same again ends the
    same way, so that it costs as a failure that came twice. cause: as its worker said (A-30).
    """

    status: RunStatus
    outcome: RunOutcome
    layer: Layer = Layer.NONE
    task: TaskStatus | None = None
    kind: ErrorKind | None = None
    text: str = ""
    limit: Verdict | None = None
    alike: bool = False
    cause: Cause = Cause.WORK


def wants_collecting(end: End, result: WorkerResult | None) -> bool:
    """Only a run that ended by itself proposes its changes; others keep them in the copy."""
    if end.why not in ("exited", *LIMITS):
        return False
    if result is not None:
        return result.status == "completed"
    if end.why in LIMITS and not _says_well(end):
        return False
    return (_went_well(end) or end.stop_reason is not None) and not went_wrong(end)


def settlement(
    end: End, result: WorkerResult | None, *, changed: bool, speaks: bool = False
) -> Settlement:
    """First match wins (contract, How an agent reports; C-103, C-90).

    speaks: the agent was spoken to (ACP), so its exit code says little: a turn that ended, or an
    error that it named, says more.
    """
    ended_well = result is not None or _says_well(end)
    if end.why != "exited" and not (end.why in LIMITS and ended_well):
        return _broken_off(end)
    if result is not None:
        return _reported(result, changed)
    return _by_word(end, changed) if speaks else _by_sign(end, changed)


def _broken_off(end: End) -> Settlement:
    match end.why:
        case "cancelled":
            return Settlement(RunStatus.CANCELLED, RunOutcome.CANCELLED, task=TaskStatus.TODO)
        case "interrupted":
            return _interrupted()
        case "processes":
            kind = ErrorKind.TASK_FAILED
            return _failed(RunOutcome.TASK_FAILED, Layer.ATTEMPT, kind, PROCESS_LIMIT)
        case "memory":
            own = end.memory > end.most_memory
            values = {"used": end.memory >> 20, "most": end.most_memory >> 20}
            text = (MEMORY_LIMIT if own else NO_MEMORY).format(**values)
            kind = ErrorKind.TASK_FAILED
            ended = _failed(RunOutcome.TASK_FAILED, Layer.ATTEMPT, kind, text)
            return replace(ended, alike=own)
        case "silence" | "hard":
            kind = ErrorKind.TIMED_OUT
            return _failed(RunOutcome.TIMED_OUT, Layer.WAKEUP, kind, _said(end))
        case _:
            return _not_started(end)


def _not_started(end: End) -> Settlement:
    known = {str(kind): kind for kind in (*INCURABLE, ErrorKind.SPAWN_FAILED)}
    kind = known.get(end.error.kind if end.error else "", ErrorKind.SPAWN_FAILED)
    text = end.error.text if end.error else ""
    return unborn(kind, text)


def unborn(kind: ErrorKind, text: str) -> Settlement:
    """The agent never ran (A-20): permission and a missing program block, the rest is retried."""
    if kind in INCURABLE:
        return _failed(RunOutcome.CRASHED, Layer.INCURABLE, kind, text, TaskStatus.BLOCKED)
    return _failed(RunOutcome.CRASHED, Layer.WAKEUP, kind, text)


def _reported(result: WorkerResult, changed: bool) -> Settlement:
    match result.status:
        case "completed":
            return _completed(changed)
        case "failed":
            error = result.error
            kind, text = (error.kind, error.text) if error else ("", result.summary)
            cause = next((one for one in Cause if one == kind), Cause.WORK)
            outcome, known = RunOutcome.TASK_FAILED, ErrorKind.TASK_FAILED
            return replace(_failed(outcome, Layer.ATTEMPT, known, text), cause=cause)
        case "blocked":
            return Settlement(RunStatus.FINISHED, RunOutcome.BLOCKED, task=TaskStatus.BLOCKED)
        case "cancelled":
            to = TaskStatus.INTERRUPTED if result.resumable else TaskStatus.CANCELLED
            return Settlement(RunStatus.CANCELLED, RunOutcome.CANCELLED, task=to)


def _by_word(end: End, changed: bool) -> Settlement:
    """C-44: a turn without a result and with changes is looked at by a person, never done."""
    if end.error is not None:
        named = next((kind for kind in ErrorKind if kind == end.error.kind), ErrorKind.CRASHED)
        return unborn(named, _error(named, end))
    if end.stop_reason is None:
        return _failed(RunOutcome.CRASHED, Layer.WAKEUP, ErrorKind.CRASHED, _said(end))
    if went_wrong(end):
        return _dressed(end)
    if changed:
        to = TaskStatus.IN_REVIEW
        return Settlement(RunStatus.FINISHED, RunOutcome.NO_RESULT, task=to)
    return _failed(RunOutcome.NO_RESULT, Layer.ATTEMPT, ErrorKind.NO_RESULT, _said(end))


def _error(kind: ErrorKind, end: End) -> str:
    """One that died without a word to us may have said why on its error channel."""
    told = end.error.text if end.error else ""
    if kind is ErrorKind.CRASHED and end.stderr.strip():
        told = f"{told}\n{end.stderr.strip()}"
    return told.strip() or _said(end)


def _by_sign(end: End, changed: bool) -> Settlement:
    """An exit of 0 is believed, unless all that was said is why nothing was done (B-081)."""
    code = end.exit_code if end.exit_code is not None else 1
    if _went_well(end):
        if went_wrong(end):
            return _dressed(end)
        if not changed and asks_leave(answer(end)):
            return Settlement(RunStatus.FINISHED, RunOutcome.BLOCKED, task=TaskStatus.BLOCKED)
        if changed or _answered(end):
            return _completed(changed)
    if code == 0:
        kind = ErrorKind.NO_RESULT
        return _failed(RunOutcome.NO_RESULT, Layer.ATTEMPT, kind, _said(end))
    if code < 0:
        return _failed(RunOutcome.CRASHED, Layer.WAKEUP, ErrorKind.CRASHED, _said(end))
    return _failed(RunOutcome.TASK_FAILED, Layer.ATTEMPT, ErrorKind.TASK_FAILED, _said(end))


def of_check(end: End) -> Settlement | None:
    """Of a command that says by its exit code alone whether all is well; None of one that did not
    end by itself."""
    if end.why != "exited" or end.exit_code is None:
        return None
    if end.exit_code == 0:
        return Settlement(RunStatus.FINISHED, RunOutcome.DONE)
    return _failed(RunOutcome.TASK_FAILED, Layer.ATTEMPT, ErrorKind.TASK_FAILED, _said(end))


def answer(end: End) -> str:
    """What it said; of one that prints its events for programs, what it said last to people."""
    final = final_of(end.tail)
    return final.text or end.tail if final else end.tail


def _went_well(end: End) -> bool:
    """By its exit code, or by its own last line, whatever came after that (B-080)."""
    return end.exit_code == 0 or _says_well(end)


def _says_well(end: End) -> bool:
    final = final_of(end.tail)
    return final is not None and final.good


def went_wrong(end: End) -> bool:
    """It says so itself, though it ends as if all were well."""
    final = final_of(end.tail)
    return is_error(answer(end)) or (final is not None and not final.good)


def _dressed(end: End) -> Settlement:
    text = answer(end).strip()
    return _failed(RunOutcome.CRASHED, Layer.WAKEUP, ErrorKind.CRASHED, text)


def _answered(end: End) -> bool:
    """What a program writes to its error channel alone is no answer."""
    return bool(end.output_bytes) and bool(end.tail.strip() or not end.stderr.strip())


def lost() -> Settlement:
    """The runner vanished without an end: an ordinary retry (C-58)."""
    return _failed(RunOutcome.LOST, Layer.WAKEUP, ErrorKind.LOST, "")


def never_born() -> Settlement:
    """The owner died between the decision and the start: queued again at no cost (C-58)."""
    return _failed(RunOutcome.LOST, Layer.REQUEUE, ErrorKind.LOST, "")


def stopped(settlement: Settlement) -> Settlement:
    """A run that everything was stopped around has not failed by itself: whatever became of its
    runner and its agent, it costs nothing."""
    if settlement.layer in (Layer.WAKEUP, Layer.ATTEMPT):
        return _interrupted()
    return settlement


def _interrupted() -> Settlement:
    """It goes on by itself, and meanwhile its task says that nobody works on it (C-101)."""
    to = TaskStatus.INTERRUPTED
    return Settlement(RunStatus.CANCELLED, RunOutcome.INTERRUPTED, Layer.REQUEUE, task=to)


def called_off(settlement: Settlement) -> Settlement:
    """A person took the task out of its agent's hands: however the run ended, it is not tried
    again."""
    if settlement.layer is Layer.NONE:
        return settlement
    return Settlement(RunStatus.CANCELLED, RunOutcome.CANCELLED, task=TaskStatus.TODO)


def stopped_by_person(settlement: Settlement) -> Settlement:
    """A person ended this one run. What was done in time counts; else its task stands still until
    somebody says how it goes on, and it is nobody's failure (B-084, B-099)."""
    if settlement.layer is Layer.NONE and settlement.outcome is not RunOutcome.CANCELLED:
        return settlement
    to = TaskStatus.INTERRUPTED
    return Settlement(RunStatus.CANCELLED, RunOutcome.CANCELLED, task=to)


def _completed(changed: bool) -> Settlement:
    """A change waits for its delivery; without one the task is done (K-54, C-97)."""
    if changed:
        return Settlement(RunStatus.FINISHED, RunOutcome.DONE, task=TaskStatus.IN_REVIEW)
    return Settlement(RunStatus.FINISHED, RunOutcome.NO_CHANGES, task=TaskStatus.DONE)


def _failed(
    outcome: RunOutcome,
    layer: Layer,
    kind: ErrorKind,
    text: str,
    task: TaskStatus | None = None,
) -> Settlement:
    return Settlement(RunStatus.FAILED, outcome, layer, task, kind, text)


def last_words(printed: str) -> str:
    """The end of it; where something is left out before, from a whole line on if there is one."""
    text = printed.strip()
    if len(text) <= SUMMARY:
        return text
    cut, line_end, rest = text[-SUMMARY:].partition("\n")
    return f"…\n{rest}" if line_end else f"…{cut}"


def _said(end: End) -> str:
    """What the program said last, on its error channel if it used one."""
    return (end.stderr.strip() or end.tail.strip())[-4096:]
