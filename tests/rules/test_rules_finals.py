"""The last line that agents print for programs."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable_desktop.rules.finals import Final, final_of

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


@given(st.text())
def test_no_text_is_a_fault(printed: str) -> None:
    assert final_of(printed) is None
