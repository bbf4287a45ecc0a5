"""What comes in and goes out of the scheduler has one type each, and that cannot be changed."""

from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from roundtable_desktop.model import (
    attempts,
    convergence,
    graph,
    messages,
    missions,
    payloads,
    proposals,
    records,
    resources,
    waves,
)

FROZEN = (
    records.Task,
    records.Event,
    records.Run,
    graph.Dependency,
    resources.Resources,
    resources.Gauge,
    waves.Seen,
    waves.WavePlan,
    attempts.Failure,
    attempts.RetryDecision,
    attempts.Route,
    convergence.Convergence,
    missions.Mission,
    missions.Wave,
    proposals.Proposal,
    proposals.Delivery,
)
READ_FROM_OUTSIDE = (messages.WorkerResult, messages.End, *payloads.PAYLOADS.values())


@pytest.mark.proves("A-39")
@pytest.mark.parametrize("kind", FROZEN, ids=lambda kind: kind.__name__)
def test_what_the_parts_hand_each_other_is_one_frozen_shape(kind: Any) -> None:
    assert is_dataclass(kind) and kind.__dataclass_params__.frozen and fields(kind)
    assert not hasattr(kind, "__dict__") or "__dict__" not in dir(kind), (
        "it takes no field that is not said"
    )


@pytest.mark.proves("A-39")
@pytest.mark.parametrize("kind", READ_FROM_OUTSIDE, ids=lambda kind: kind.__name__)
def test_what_comes_from_outside_is_read_by_one_model(kind: Any) -> None:
    assert kind.model_config.get("extra") in ("forbid", "ignore"), "said, and not by default"
    assert kind.model_json_schema()["type"] == "object"
