"""Each source has one strict shape, and what is not it is malformed with its fields named."""

import json
from typing import Any

import pytest
from wake_payloads import LEAST

from roundtable_desktop.model.payloads import PAYLOADS, Malformed, read_payload
from roundtable_desktop.model.states import Source

MORE: dict[Source, dict[str, Any]] = {
    Source.ROUTINE: {
        "variables": {"branch": "release/2.0", "deep": {"is": [1, None]}},
        "missed_ticks": {"count": 36, "first": 1, "last": 2},
        "firing_id": "f1",
    },
    Source.SELF: {"payload": {"pull_request": 7}},
    Source.USER: {"context": {"task_id": "t1", "text": "hurry"}},
    Source.TASK_ASSIGNED: {"attempt": 2, "gate_id": "g1", "role": "reviewer"},
    Source.APPROVAL_RESOLVED: {"status": "rejected", "decision_note": "no", "task_id": "t1"},
}
WRONG: list[tuple[Source, Any, str]] = [
    (Source.TASK_ASSIGNED, {}, "task_id"),
    (Source.TASK_ASSIGNED, {"task_id": 5}, "task_id"),
    (Source.TASK_ASSIGNED, {"task_id": ""}, "task_id"),
    (Source.TASK_ASSIGNED, {"task_id": "t", "role": "worker"}, "role"),
    (Source.TASK_ASSIGNED, [], ""),
    (Source.USER, {"user_id": "u", "context": {"mood": 1}}, "context.mood"),
    (Source.ROUTINE, {"routine_id": "r"}, "variables"),
    (
        Source.ROUTINE,
        LEAST[Source.ROUTINE] | {"missed_ticks": {"count": 0, "first": 1, "last": 2}},
        "missed_ticks.count",
    ),
    (Source.APPROVAL_RESOLVED, LEAST[Source.APPROVAL_RESOLVED] | {"status": "maybe"}, "status"),
    (Source.BUDGET_ALERT, {"agent_id": "a", "budget_pct": "90"}, "budget_pct"),
    (Source.SELF, {"reason": ""}, "reason"),
]


@pytest.mark.proves("K-03", "K-02")
@pytest.mark.parametrize("source", list(Source))
def test_a_payload_comes_back_from_its_column_as_it_was(source: Source) -> None:
    for payload in (LEAST[source], LEAST[source] | MORE.get(source, {})):
        read = read_payload(source, json.loads(json.dumps(payload)))
        assert isinstance(read, PAYLOADS[source])
        assert read.model_dump(exclude_unset=True) == payload


@pytest.mark.proves("K-03")
@pytest.mark.parametrize(("source", "payload", "field"), WRONG)
def test_another_payload_is_malformed_and_the_field_is_named(
    source: Source, payload: object, field: str
) -> None:
    with pytest.raises(Malformed) as refused:
        read_payload(source, payload)
    assert refused.value.fields == [field]


@pytest.mark.proves("K-03")
@pytest.mark.parametrize("source", list(Source))
def test_no_source_takes_a_field_that_it_does_not_promise(source: Source) -> None:
    with pytest.raises(Malformed) as refused:
        read_payload(source, LEAST[source] | {"mood": 1})
    assert refused.value.fields == ["mood"]


@pytest.mark.proves("K-02", "K-01 sources")
def test_there_are_ten_sources_and_the_retired_one_is_refused() -> None:
    assert len(Source) == len(PAYLOADS) == 10
    with pytest.raises(ValueError, match="heartbeat"):
        Source("heartbeat")
