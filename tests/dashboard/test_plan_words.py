"""A stored plan in sentences: each code of the planner has words, with numbers and names."""

import pytest

from roundtable_desktop.dashboard.figures import Figures
from roundtable_desktop.dashboard.labels import label
from roundtable_desktop.dashboard.plan_words import Telling
from roundtable_desktop.dashboard.telling import telling
from roundtable_desktop.model.convergence import ConvergedBy
from roundtable_desktop.model.missions import MissionOutcome, MissionState, Phase
from roundtable_desktop.model.purposes import Purpose
from roundtable_desktop.model.states import DependencyType
from roundtable_desktop.model.waves import Step, Why
from roundtable_desktop.phrases import SENTENCES
from roundtable_desktop.phrases.mission_words import CONVERGENCE

WORDS = Telling(telling(Figures("Europe/Berlin")), {"t2": 2, "t3": 3}, {"ada": "Ada"})
VALUES = {
    "agent_id": "ada",
    "task": "t3",
    "tasks": ["t2", "t3"],
    "until": 1_795_975_683_000_000,
    "path": "src/",
    "other": "src/",
    "most": 2,
    "limit": "memory",
    "lock": "cargo",
    "by": "requirement",
    "refused": "capacity",
}


@pytest.mark.proves("A-18")
@pytest.mark.parametrize("code", list(Why))
def test_every_reason_of_the_planner_is_a_sentence(code: Why) -> None:
    said = WORDS.why({"code": str(code), "values": VALUES})
    assert said.endswith(".") and "{" not in said and "This was not done" not in said
    assert "t3" not in said and "None" not in said


@pytest.mark.proves("A-18", "R-14", "C-59")
def test_every_state_of_missions_has_words() -> None:
    for codes in (MissionState, MissionOutcome, Phase, Purpose, DependencyType):
        for code in codes:
            assert label(str(code)) != str(code) or code in ("completed",), code
    for state in (*MissionState, MissionOutcome.WITH_FAILURES):
        assert f"mission_is_{state}" in SENTENCES
    assert set(ConvergedBy) <= set(CONVERGENCE)
    for step in (*Step, "awaiting_initial_work", "invalid"):
        assert f"step_{step}" in SENTENCES, step


@pytest.mark.proves("A-18")
def test_what_is_not_known_any_more_is_said_so() -> None:
    assert WORDS.why(None) == ""
    assert WORDS.why({"code": "waits_for", "values": {"tasks": ["gone"]}}) == (
        "It waits for another task."
    )
    assert "any reviewer" in WORDS.why({"code": "agent_busy", "values": {"role": "reviewer"}})
    assert "29 Nov" in WORDS.why({"code": "later", "values": VALUES})
    assert WORDS.faults({"faults": [{"code": "circle", "path": ["t2", "t3", "t2"]}]}) == [
        "Each of these waits for the next: T-2 → T-3 → T-2."
    ]
    model = {"model": "large", "reason": {"code": "heavy", "values": {}}}
    assert WORDS.model(model) == "Model: large (the task is a heavy one)"
    assert WORDS.model(None) == "" and WORDS.inferred("same_area") == "they may write the same"
