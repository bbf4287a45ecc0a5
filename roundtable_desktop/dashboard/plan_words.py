"""What a stored plan of a wave says, in sentences with numbers of tasks and names of agents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roundtable_desktop.dashboard.api.shapes import Say
from roundtable_desktop.model.times import instant, rfc3339
from roundtable_desktop.phrases import _
from roundtable_desktop.phrases.foresight import WORDS
from roundtable_desktop.phrases.mission_words import INFERRED, LIMITS, MODELS

Coded = Mapping[str, Any]
"""A part of a plan as it is stored."""


@dataclass(frozen=True, slots=True)
class Telling:
    """numbers: of the mission's tasks; names: of agents; both by ids."""

    say: Say
    numbers: Mapping[str, int] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def task(self, an_id: object) -> str:
        number = self.numbers.get(str(an_id))
        return f"T-{number}" if number else _("another task")

    def why(self, reason: Coded | None) -> str:
        """Of {code, values}; "" where there is none."""
        if not reason:
            return ""
        return self.say(f"why_{reason['code']}", self._values(reason.get("values") or {}))

    def step(self, plan: Coded) -> str:
        """What the plan came to as a whole."""
        code = (plan.get("reason") or {}).get("code") or plan.get("step") or ""
        return self.say(f"step_{code}", {})

    def faults(self, plan: Coded) -> list[str]:
        return [
            self.say(f"fault_{one['code']}", {"path": self._tasks(one["path"], " → ")})
            for one in plan.get("faults") or ()
        ]

    def model(self, assigned: Coded | None) -> str:
        """Which model, and why."""
        if not assigned:
            return ""
        code = (assigned.get("reason") or {}).get("code", "")
        why = _(MODELS[code]) if code in MODELS else code
        return _("Model: {model} ({why})").format(
            model=assigned.get("model") or _("not named"), why=why
        )

    def inferred(self, code: str) -> str:
        """Why the planner keeps two tasks apart."""
        return _(INFERRED[code]) if code in INFERRED else code

    def _values(self, given: Mapping[str, Any]) -> dict[str, object]:
        said: dict[str, object] = {
            name: value for name, value in given.items() if value is not None
        }
        said["task"] = self.task(given.get("task"))
        said["tasks"] = self._tasks(given.get("tasks") or (), ", ")
        who = self.names.get(str(given.get("agent_id")))
        role = given.get("role")
        said["agent"] = who or (_("any {role}").format(role=role) if role else _("any agent"))
        if isinstance(given.get("until"), int):
            said["until"] = rfc3339(instant(given["until"]))
        for name in ("limit", "by", "refused"):
            said[name] = _word(given.get(name))
        return said

    def _tasks(self, ids: Sequence[object], between: str) -> str:
        return between.join(self.task(one) for one in ids)


def _word(code: object) -> str:
    known = {**WORDS, **LIMITS}
    return _(known[str(code)]) if str(code) in known else str(code or "")
