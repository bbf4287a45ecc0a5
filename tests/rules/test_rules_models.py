"""Which model a task is done with, and that nothing falls back in silence."""

from typing import Any

import pytest
from wave_world import agents, seen, task

from roundtable_desktop.model.waves import ModelPolicy, Weight, Work
from roundtable_desktop.rules.models import assign, differs, weigh
from roundtable_desktop.rules.waves import plan

FORCED, CHOICE = ModelPolicy.SCHEDULER_FORCED, ModelPolicy.AGENT_SELECT
REVIEW = {"work": Work.REVIEW, "author_model": "big"}


@pytest.mark.proves("A-32")
@pytest.mark.parametrize(
    ("asked", "models", "policy", "model", "allowed", "code"),
    [
        ({}, "big mid small", CHOICE, "big", "big mid small", "agents_own"),
        ({}, "", CHOICE, None, "", "agents_own"),
        ({"policy": FORCED}, "big small", FORCED, "big", "big", "agents_own"),
        ({"policy": FORCED}, "", FORCED, None, "", "model_unknown"),
        ({"model": "own"}, "big", FORCED, "own", "own", "asked_for"),
        ({"model": "own", "failed_models": ("own",)}, "big", FORCED, "own", "own", "asked_for"),
        # hidden complexity: the best one, however the agent may choose
        ({"weight": Weight.HEAVY}, "big small", CHOICE, "big", "big", "heavy"),
        ({"weight": Weight.HEAVY, "policy": FORCED}, "big small", FORCED, "big", "big", "heavy"),
        # little risk: the last one of the list
        ({"weight": Weight.LIGHT}, "big small", CHOICE, "small", "big small", "light"),
        (
            {"weight": Weight.LIGHT, "policy": FORCED},
            "big small",
            FORCED,
            "small",
            "small",
            "light",
        ),
        # a review is done by another model than the work
        (REVIEW, "big mid", FORCED, "mid", "mid", "cross_model"),
        (REVIEW, "mid big", FORCED, "mid", "mid", "cross_model"),
        (REVIEW, "big", FORCED, "big", "big", "same_model"),
        (REVIEW, "", FORCED, None, "", "model_unknown"),
        ({"work": Work.REVIEW}, "big", CHOICE, "big", "big", "agents_own"),
        # what failed again and again is done by another one
        ({"failed_models": ("big",)}, "big mid", FORCED, "mid", "mid", "other_model"),
        ({"failed_models": ("big",)}, "big", CHOICE, "big", "big", "no_other_model"),
        ({"failed_models": ("big",)}, "", CHOICE, None, "", "no_other_model"),
        (
            {"failed_models": ("big",), "work": Work.DEBUG, "weight": Weight.LIGHT},
            "big mid small",
            *(FORCED, "mid", "mid", "other_model"),
        ),
    ],
)
def test_the_model_and_why(
    asked: dict[str, Any],
    models: str,
    policy: ModelPolicy,
    model: str | None,
    allowed: str,
    code: str,
) -> None:
    [agent] = agents(1, models=tuple(models.split()))
    found = assign(task("a", **asked), agent)
    assert (found.policy, found.model) == (policy, model)
    assert found.allowed == tuple(allowed.split())
    assert found.reason.code == code


@pytest.mark.proves("A-32")
def test_a_review_goes_to_an_agent_that_can_use_another_model() -> None:
    one, other = agents(2, "reviewer")
    crew = [
        type(one)(id=agent.id, role=agent.role, models=models, active=active, capacity=2)
        for agent, models, active in ((one, ("big",), 0), (other, ("big", "mid"), 1))
    ]
    review = task("r", **REVIEW)
    assert [differs(review, agent) for agent in crew] == [False, True]
    wave = plan(seen(review, agents=tuple(crew)), "w")
    assert wave.agent_assignments == {"r": other.id}
    assert wave.model_assignments["r"].model == "mid"


@pytest.mark.proves("A-32")
@pytest.mark.parametrize(
    ("weight", "given"),
    [
        ("heavy", {"area": ()}),
        ("heavy", {"area": ("a.txt",), "attempts": 1, "optional": True}),
        ("heavy", {"work": Work.DEBUG, "area": ("a.txt",), "optional": True}),
        ("normal", {"area": ("a.txt",)}),
        ("light", {"area": ("a.txt", "docs/b.md"), "optional": True}),
        ("normal", {"area": ("a.txt", "b.txt", "c.txt"), "optional": True}),
        ("normal", {"area": ("docs/",), "optional": True}),
        ("normal", {"area": ("*.md",), "optional": True}),
        ("normal", {"area": ("src/auth.py",), "optional": True}),
        ("normal", {"work": Work.VERIFY, "area": (), "optional": True}),
    ],
)
def test_a_task_weighs_by_what_is_known_of_it(weight: str, given: dict[str, Any]) -> None:
    known: dict[str, Any] = {"work": Work.EXECUTE, "optional": False, "attempts": 0, **given}
    assert weigh(**known) == weight
