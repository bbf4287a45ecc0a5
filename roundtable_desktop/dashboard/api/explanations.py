"""How the API says why: the code, its sentence, and every gate with its own."""

from typing import Any

from roundtable_desktop.dashboard.api.shapes import Object, Shown, said
from roundtable_desktop.model.verdicts import Explanation


class Gate(Shown):
    gate: str
    verdict: str
    detail: Object
    at: str
    sentence: str


class Explained(Shown):
    """more: what lies behind it, the wakeup of a task or of a run."""

    code: str
    sentence: str
    values: Object
    gates: list[Gate]
    wakeup_id: str | None
    run_id: str | None
    more: list["Explained"]


def gate(decision: Any) -> Gate:
    """A stored decision with its sentence, for people."""
    passed = decision["verdict"] in ("go", "launched")
    code = f"{decision['gate']}_{'passed' if passed else 'waiting'}"
    return Gate.model_validate({**decision, "sentence": said(code, decision["detail"])})


def explained(explanation: Explanation) -> Explained:
    return Explained.of(
        explanation,
        sentence=said(explanation.code, dict(explanation.values)),
        values=dict(explanation.values),
        gates=[gate(decision) for decision in explanation.gates],
        more=[explained(more) for more in explanation.more],
    )
