"""The continuation summary: what an agent is told of a routine's turns before, made by us and not
by it, from facts and its reports (K-49, K-50, K-51).

The same inputs make the same bytes. Whatever comes from an agent or a person is a part of one line
of ours, so that nothing in it can pass for a section.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from roundtable_desktop.model.printed import ACTIVE, printed
from roundtable_desktop.model.records import Json
from roundtable_desktop.model.states import RunOutcome

BYTES = 8 * 1024
"""Of a whole summary, in UTF-8."""
SLICE = 1500
"""Characters of it in a prompt."""
DECISIONS, BLOCKERS = 5, 12
TITLE, NAME, ACTION, DECISION, STEP = 120, 60, 200, 320, 240
"""Characters of words from outside: with one of each, all four sections fit into a prompt."""

FOCUS = "## Active focus"
OPEN = "## Open blockers"
DECIDED = "## Recent decisions"
NEXT = "## Next action"
HEADS = (FOCUS, OPEN, DECIDED, NEXT)

NO_BLOCKERS = "- None."
NO_DECISIONS = "- None yet."
NO_NEWS = "Nothing was completed, and nothing failed."
IDLE = "Nothing is under way."
MONITOR = "Continue monitoring."

_DECISION = re.compile(r"- \d{4}-\d\d-\d\d \d\d:\d\d UTC: (.*)")
_MORE = re.compile(r"- … and (\d+) more\.")
_NEWS = "Between "
_MARKS = "#`~>*+-=|_ "
"""What makes a line something else in Markdown: the next action alone stands behind no bullet."""


@dataclass(frozen=True, slots=True)
class Blocker:
    """A blocked task of an agent that is looked after. needs: who is to do what, as it was said.
    since: when that came up, None where nobody knows any more."""

    number: int
    title: str
    agent: str
    needs: str
    since: datetime | None


@dataclass(frozen=True, slots=True)
class Activity:
    """Of the workspace; for who coordinates nobody, of its own tasks.

    completed … budget: what happened between `since` and `until`: tasks that were done and that
    failed, agents that were given up, signals of budgets. working, in_review, to_do: tasks as they
    stand.
    """

    since: datetime
    until: datetime
    completed: int = 0
    failed: int = 0
    errors: int = 0
    budget: int = 0
    working: int = 0
    in_review: int = 0
    to_do: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """All that a summary is made of. at: when the run ended. outcome: how. said: its last words,
    where its report has none. previous: the summary before, "" for the first."""

    at: datetime
    outcome: RunOutcome
    result: Json
    activity: Activity
    blockers: Sequence[Blocker] = ()
    said: str = ""
    previous: str = ""


class Standing(StrEnum):
    """What in a workspace asks for something to be done, the most urgent first."""

    ERRORS = "errors"
    BUDGET = "budget"
    BLOCKED = "blocked"
    FAILED = "failed"
    IN_REVIEW = "in_review"
    TO_DO = "to_do"
    WORKING = "working"
    QUIET = "quiet"


_BY_STANDING: Mapping[Standing, str] = {
    Standing.ERRORS: "Find out why an agent was given up, and decide who does its work.",
    Standing.BUDGET: "See what uses up the budget, and put off what can wait.",
    Standing.BLOCKED: "Get out of the way what T-{blocked} waits for, or remind whoever has to.",
    Standing.FAILED: "Decide what becomes of the tasks that failed.",
    Standing.IN_REVIEW: "Follow what waits for review.",
    Standing.TO_DO: "See that what is to do is taken up.",
}
_BY_BOTH: Mapping[tuple[Standing, RunOutcome], str] = {
    (Standing.QUIET, RunOutcome.DONE): "Look at what the last turn left; it entered no branch.",
}


def summary(turn: Turn) -> str:
    """Four sections in their order, at most 8 KB."""
    shown = [_blocker(one) for one in turn.blockers[:BLOCKERS]]
    sections = [
        Section(FOCUS, _focus(turn)),
        Section(OPEN, shown or [NO_BLOCKERS], len(turn.blockers) - len(shown)),
        Section(DECIDED, _decisions(turn)),
        Section(NEXT, [next_action(turn)]),
    ]
    return cut(_fitted(sections, lambda text: len(text.encode()) <= BYTES))


def for_prompt(content: str) -> str:
    """What of it stands in a prompt: of long lists the end gives way, so that what is to be done
    next is always there."""
    if len(content) <= SLICE:
        return content
    sections = [_section(content, head) for head in HEADS]
    return _fitted(sections, lambda text: len(text) <= SLICE)[:SLICE]


def cut(content: str) -> str:
    """At most 8 KB of it, cut between two characters."""
    return content.encode()[:BYTES].decode(errors="ignore")


def tokens(content: str) -> int:
    """About: one for four bytes, as no tokenizer is the same as another."""
    return -(-len(content.encode()) // 4)


def next_action(turn: Turn) -> str:
    """What the agent itself said comes next, else by the state of the workspace and the end of
    the run."""
    own = one_line(_text(turn.result.get("next")), STEP).lstrip(_MARKS)
    if own:
        return own
    stands = standing(turn)
    told = _BY_BOTH.get((stands, turn.outcome)) or _BY_STANDING.get(stands, MONITOR)
    return told.format(blocked=turn.blockers[0].number if turn.blockers else "")


def standing(turn: Turn) -> Standing:
    seen = turn.activity
    found = {
        Standing.ERRORS: seen.errors,
        Standing.BUDGET: seen.budget,
        Standing.BLOCKED: len(turn.blockers),
        Standing.FAILED: seen.failed,
        Standing.IN_REVIEW: seen.in_review,
        Standing.TO_DO: seen.to_do,
        Standing.WORKING: seen.working,
    }
    return next((one for one, count in found.items() if count), Standing.QUIET)


def reported(result: Json) -> str:
    """What a run said of itself; `summary`, else `result`, `message` or `error`."""
    chain = (_text(result.get(name)) for name in ("summary", "result", "message", "error"))
    return next((text for text in chain if text.strip()), "")


def one_line(text: str, most: int) -> str:
    """Words from outside, where a line of ours goes on: no line ends, nothing that is not seen."""
    shown = ACTIVE.sub(" ", printed(text)).encode(errors="replace").decode()
    line = " ".join(shown.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def _text(value: object) -> str:
    """Of an error, its text."""
    given = value.get("text") if isinstance(value, Mapping) else value
    return given if isinstance(given, str) else ""


_OWNERS = {
    "user": "the developer",
    "coordinator": "the coordinator",
    "architect": "the architect",
    "debugger": "the debugger",
}
_ACTIONS = {
    "fix_agent": "put its agent right",
    "look_at_copy": "look at what its agent left in its copy",
    "clear_way": "clear what is in git's way",
    "quarantine": "see why its wakeup was set aside",
    "blocker_lost": "decide what becomes of it, as T-{blocker} is {end}",
}
"""What our own codes ask for; an agent's or a person's words say it themselves."""


def needs(blocked: Json, names: Mapping[str, str]) -> str:
    """Who has to do what, for a task that is blocked (C-24). names: of agents, by their ids."""
    owner = str(blocked.get("owner") or "user")
    agent = owner.removeprefix("agent:")
    who = _OWNERS.get(owner, f"agent {names.get(agent, agent)}")
    action = str(blocked.get("action") or "say how it goes on")
    if action in _ACTIONS:
        action = _ACTIONS[action].format(blocker=blocked.get("blocker"), end=blocked.get("end"))
    why = f" ({blocked['reason']})" if blocked.get("reason") else ""
    return f"waits for {who}: {action}{why}"


# --- the sections ------------------------------------------------------------------------------


def _focus(turn: Turn) -> list[str]:
    seen = turn.activity
    parts = (
        _count(seen.working, "task in progress", "tasks in progress"),
        _count(seen.in_review, "in review", "in review"),
        _count(seen.to_do, "to do", "to do"),
        _count(len(turn.blockers), "blocked", "blocked"),
    )
    under_way = ", ".join(filter(None, parts))
    first = f"Under way: {under_way}." if under_way else IDLE
    return [first, _news(turn) or _last_news(turn.previous) or NO_NEWS]


def _news(turn: Turn) -> str:
    seen = turn.activity
    parts = (
        _count(seen.completed, "task completed", "tasks completed"),
        _count(seen.failed, "task failed", "tasks failed"),
        _count(seen.errors, "agent given up", "agents given up"),
        _count(seen.budget, "budget signal", "budget signals"),
    )
    found = ", ".join(filter(None, parts))
    span = f"{_stamp(seen.since)} and {_stamp(seen.until)}"
    return f"{_NEWS}{span}: {found}." if found else ""


def _last_news(previous: str) -> str:
    """Where nothing happened since, what happened last still says where things stand."""
    return next((one for one in _lines(previous, FOCUS) if one.startswith(_NEWS)), "")


def _blocker(one: Blocker) -> str:
    title, agent = one_line(one.title, TITLE), one_line(one.agent, NAME)
    needs = one_line(one.needs, ACTION).rstrip(".")
    since = f" Since {_stamp(one.since)}." if one.since else ""
    return f"- T-{one.number} “{title}” ({agent}): {needs}.{since}"


def _decisions(turn: Turn) -> list[str]:
    """The newest first; what is said again moves to the front and pushes nothing out."""
    known = [one for one in _lines(turn.previous, DECIDED) if _DECISION.fullmatch(one)]
    text = one_line(reported(turn.result) or turn.said, DECISION)
    if text:
        known = [one for one in known if _DECISION.sub(r"\1", one) != text]
        known.insert(0, f"- {_stamp(turn.at)}: {text}")
    return known[:DECISIONS] or [NO_DECISIONS]


def _stamp(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}" if number else ""


# --- fitting -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Section:
    """left_out: bullets that had no room."""

    head: str
    lines: list[str]
    left_out: int = 0

    def text(self) -> str:
        more = [f"- … and {self.left_out} more."] if self.left_out else []
        return "\n".join([self.head, *self.lines, *more])


def _section(content: str, head: str) -> Section:
    """As it was made."""
    lines = _lines(content, head)
    more = _MORE.fullmatch(lines[-1]) if lines else None
    return Section(head, lines[:-1], int(more[1])) if more else Section(head, lines)


def _lines(content: str, head: str) -> list[str]:
    """Of one section, without empty ones."""
    lines = content.split("\n")
    if head not in lines:
        return []
    rest = lines[lines.index(head) + 1 :]
    ends = next((place for place, one in enumerate(rest) if one in HEADS), len(rest))
    return [one for one in rest[:ends] if one]


def _fitted(sections: Sequence[Section], fits: Callable[[str], bool]) -> str:
    """The longer of the two lists gives way, from its end, down to one bullet each."""
    while not fits(text := _joined(sections)):
        longer = max(sections[1:3], key=lambda one: (len(one.lines), len(one.text())))
        if len(longer.lines) <= 1:
            break
        longer.lines.pop()
        longer.left_out += 1
    return text


def _joined(sections: Sequence[Section]) -> str:
    return "\n\n".join(one.text() for one in sections) + "\n"
