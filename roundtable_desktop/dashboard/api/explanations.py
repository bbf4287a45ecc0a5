"""How the API says why: the code, its sentence, and every gate with its own."""

from typing import Any

from roundtable_desktop.dashboard.api.shapes import Say, Shown, Stored, said
from roundtable_desktop.model.verdicts import Explanation


class Gate(Shown):
    gate: str
    verdict: str
    detail: Stored
    at: str
    sentence: str


class Explained(Shown):
    """more: what lies behind it, the wakeup of a task or of a run."""

    code: str
    sentence: str
    values: Stored
    gates: list[Gate]
    wakeup_id: str | None
    run_id: str | None
    more: list["Explained"]


def gate(decision: Any, say: Say = said) -> Gate:
    """A stored decision with its sentence, for people; `form` in its detail chooses another."""
    passed = decision["verdict"] in ("go", "launched")
    form = decision["detail"].get("form") or ("passed" if passed else "waiting")
    code = f"{decision['gate']}_{form}"
    return Gate.model_validate({**decision, "sentence": say(code, decision["detail"])})


def explained(explanation: Explanation, say: Say = said) -> Explained:
    return Explained.of(
        explanation,
        sentence=say(explanation.code, dict(explanation.values)),
        values=dict(explanation.values),
        gates=[gate(decision, say) for decision in explanation.gates],
        more=[explained(more, say) for more in explanation.more],
    )
