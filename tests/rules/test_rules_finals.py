"""The last line that agents print for programs."""

import json
from datetime import UTC

import pytest
from ground import NOW
from hypothesis import given
from hypothesis import strategies as st

from roundtable_desktop.model.messages import End
from roundtable_desktop.model.states import RunOutcome
from roundtable_desktop.rules.finals import Final, final_of
from roundtable_desktop.rules.refusals import judged
from roundtable_desktop.rules.results import settlement

LINES = [
    ({"subtype": "success", "is_error": False, "result": "Done."}, Final(True, "Done.")),
    ({"subtype": "success", "is_error": True, "result": "Prompt is too long"}, None),
    ({"status": "success", "stats": {}}, Final(True, "")),
    ({"status": "error", "error": {"type": "unknown", "message": "[API Error]"}}, None),
    ({"is_error": True, "status": "success"}, None),
]


@pytest.mark.proves("B-080")
@pytest.mark.parametrize(("said", "good"), LINES)
def test_the_last_line_says_how_the_turn_ended(said: dict[str, object], good: Final | None) -> None:
    printed = '{"type":"system"}\nnoise\n' + json.dumps({"type": "result", **said}) + "\n\n"
    found = final_of(printed)
    assert found is not None and found.good is (good is not None)
    assert good in (None, found)


OTHERS = [
    "",
    "Done.",
    "[1]",
    "{",
    "[" * 100_000,
    '{"type":"result"}',
    '{"type":"result","is_error":"no"}',
    '{"type":"error","is_error":true}',
    '{"type":"result","is_error":false}\nand more',
    's_error":false,"result":"cut at its beginning"}',
]


@pytest.mark.parametrize("printed", OTHERS)
def test_another_line_says_nothing(printed: str) -> None:
    assert final_of(printed) is None


LIMIT = "You've hit your session limit · resets 2:52pm (UTC)"


@pytest.mark.proves("B-081")
@pytest.mark.parametrize(
    ("final", "code"),
    [
        ({"subtype": "success", "is_error": True, "result": LIMIT}, 1),
        ({"subtype": "success", "is_error": True, "result": LIMIT}, 0),
        ({"is_error": False, "result": f"[API Error: 429 {LIMIT}]"}, 0),
        ({"status": "error", "error": {"message": f"[API Error: {LIMIT}]"}}, 173),
    ],
)
def test_a_limit_in_it_is_one(final: dict[str, object], code: int) -> None:
    words = {"seq": 9, "at": 1, "kind": "end", "why": "exited", "exit_code": code}
    tail = json.dumps({"type": "result", **final}, ensure_ascii=False)
    end = End.model_validate({**words, "output_bytes": 9, "tail": tail})
    settled = settlement(end, None, changed=False)
    found = judged(settled, end, reported=False, now=NOW, zone=UTC)
    assert found.outcome is RunOutcome.LIMITED
    assert found.limit is not None and found.limit.reset_at == NOW.replace(hour=14, minute=52)


@given(st.text())
def test_no_text_is_a_fault(printed: str) -> None:
    assert final_of(printed) is None
