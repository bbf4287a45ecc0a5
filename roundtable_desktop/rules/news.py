"""What is new since an agent's last turn, each kind told in its own way (K-52)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundtable_desktop.model.states import RunOutcome
from roundtable_desktop.rules.fences import fenced, quoted
from roundtable_desktop.rules.fitting import NOT_TAKEN


@dataclass(frozen=True, slots=True)
class Attempt:
    """An earlier turn: how it ended and what was said. unfit: why its report was not taken, a line
    for each thing. next: what comes next, as it said itself."""

    index: int
    outcome: str
    text: str
    unfit: str = ""
    next: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """What somebody said about the task. by_person: the developer's word is no data, it is what is
    to be done."""

    author: str
    text: str
    by_person: bool


News = Attempt | Remark
"""Another kind is a class, and a line in `_TELLS`."""


def told(news: Sequence[News]) -> str:
    """The part of the prompt; "" where nothing is new."""
    parts = [_TELLS[type(one)](one) for one in news]
    return "\n\n".join(["# New since your last turn", *parts]) if parts else ""


def _ended(last: Attempt) -> str:
    which = f"Attempt {last.index}" if last.index else "Your last turn"
    broken_off = last.outcome == RunOutcome.INTERRUPTED
    said = "You were here, in your own words:" if broken_off else "It said:"
    how = f"{which} ended as {last.outcome}."
    parts = [f"{how} {said}\n\n{quoted(last.text)}" if last.text else how]
    if last.next:
        parts.append(f"It said what comes next:\n\n{quoted(last.next)}")
    if last.unfit:
        parts.append(f"{NOT_TAKEN}\n\n{quoted(last.unfit)}")
    return "\n\n".join(parts)


def _wrote(remark: Remark) -> str:
    text = fenced(remark.text, "text") if remark.by_person else quoted(remark.text)
    return f"{remark.author} wrote:\n\n{text}"


_TELLS: Mapping[type, Callable[[Any], str]] = {Attempt: _ended, Remark: _wrote}
