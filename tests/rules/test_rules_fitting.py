"""What of a report does not fit is told in the very cases in which it is not taken."""

import json

import pytest

from roundtable_desktop.model.messages import worker_result
from roundtable_desktop.phrases import SENTENCES
from roundtable_desktop.phrases.misfits import unfit
from roundtable_desktop.rules.fitting import MOST, POINTER, misfits, told

DONE = {"status": "completed"}
BLOCKED = {"owner": "user", "action": "decide"}
FIT = [
    DONE,
    {**DONE, "summary": "x" * 8192, "next": None, "blocked": None, "error": None},
    {**DONE, "evidence": [{"kind": "command", "ref": "make", "text": "ok"}, {"kind": "note"}]},
    {**DONE, "artifacts": [{"path": "a"}, {"path": "b", "kind": "file"}], "resumable": True},
    {"status": "blocked", "blocked": BLOCKED},
    {"status": "blocked", "blocked": {**BLOCKED, "owner": "agent:ada"}},
    {"status": "failed", "error": {"kind": "task_failed", "text": "no", "more": 1}},
]
UNFIT = [
    ({**DONE, "done": True}, "/done", "field_extra_forbidden"),
    ({**DONE, "a/b~c": 1}, "/a~1b~0c", "field_extra_forbidden"),
    ({"summary": "did it"}, "/status", "field_missing"),
    ({"status": "success"}, "/status", "field_literal_error"),
    ({"status": 1}, "/status", "field_literal_error"),
    ({**DONE, "summary": None}, "/summary", "field_string_type"),
    ({**DONE, "summary": "x" * 8193}, "/summary", "field_string_too_long"),
    ({**DONE, "evidence": "make"}, "/evidence", "field_list_type"),
    ({**DONE, "evidence": ["make"]}, "/evidence/0", "field_model_type"),
    ({**DONE, "evidence": [{"kind": "log"}]}, "/evidence/0/kind", "field_literal_error"),
    ({**DONE, "evidence": [{"kind": "note", "x": 1}]}, "/evidence/0/x", "field_extra_forbidden"),
    ({**DONE, "artifacts": [{"kind": "file"}]}, "/artifacts/0/path", "field_missing"),
    ({**DONE, "next": 3}, "/next", "field_string_type"),
    ({**DONE, "resumable": "yes"}, "/resumable", "field_bool_type"),
    ({**DONE, "error": {"text": "no"}}, "/error/kind", "field_missing"),
    ({"status": "blocked"}, "/blocked", "blocked_on_nobody"),
    ({"status": "blocked", "blocked": {"owner": "user"}}, "/blocked/action", "field_missing"),
    (
        {"status": "blocked", "blocked": {**BLOCKED, "owner": "bob"}},
        "/blocked/owner",
        "field_owner",
    ),
    ({"status": "blocked", "blocked": {**BLOCKED, "action": ""}}, "/blocked/action", "field_empty"),
    ([DONE], "", "field_model_type"),
]


@pytest.mark.proves("C-103 unfit")
@pytest.mark.parametrize("report", FIT)
def test_what_fits_has_no_misfit(report: object) -> None:
    text = json.dumps(report)
    assert worker_result(text) is not None and misfits(text) == []


@pytest.mark.proves("C-103 unfit")
@pytest.mark.parametrize(("report", "pointer", "code"), UNFIT)
def test_what_does_not_fit_is_named(report: object, pointer: str, code: str) -> None:
    text = json.dumps(report)
    assert worker_result(text) is None
    (one,) = misfits(text)
    assert (one.pointer, one.code) == (pointer, code)
    said = unfit(one.code, one.values)
    assert said.endswith(".") and "…" not in said and said != SENTENCES["field_unfit"]
    line = told([one])
    assert line.startswith(f"- {pointer or 'all of it'}: ") and "does not fit" not in line


@pytest.mark.proves("C-103 unfit")
@pytest.mark.parametrize("text", ["", "I am done!", '{"status": "completed"', "[" * 100_000])
def test_what_is_no_json_is_told_with_its_place(text: str) -> None:
    assert worker_result(text) is None
    (one,) = misfits(text)
    assert one.pointer == "" and one.code in ("field_json_at", "field_json_invalid")
    assert "JSON" in unfit(one.code, one.values) and "JSON" in told([one])


def _deep(levels: int) -> str:
    return f'{{"status": "failed", "error": {{"kind": "x", "a": {"[" * levels}{"]" * levels}}}}}'


@pytest.mark.proves("C-103 unfit")
@pytest.mark.parametrize(
    "text",
    [
        json.dumps({**DONE, "summary": "\ud83d\ude00 \ud83d"}),
        json.dumps({"status": "failed", "error": {"kind": "x", "\udc00": 1}}),
        json.dumps({"status": "blocked", "blocked": {**BLOCKED, "owner": "user\n"}}),
        json.dumps({"status": "blocked", "blocked": {**BLOCKED, "owner": "agent:ada\n"}}),
        _deep(200),
        _deep(900),
    ],
)
def test_what_the_readers_library_alone_refuses_is_told_too(text: str) -> None:
    """Else the runner takes it for a result, and passes over one that fits."""
    assert worker_result(text) is None
    assert [one.code for one in misfits(text)] in (["field_json_invalid"], ["field_owner"])


@pytest.mark.proves("C-103 unfit")
def test_what_that_library_takes_has_no_misfit() -> None:
    for text in (json.dumps({**DONE, "summary": "\U0001f600"}), _deep(199)):
        assert worker_result(text) is not None and misfits(text) == []


@pytest.mark.proves("C-103 unfit")
def test_many_misfits_and_long_names_are_bounded() -> None:
    found = misfits(json.dumps({**DONE, **{f"{n}{'x' * 5000}": n for n in range(500)}}))
    assert len(found) == MOST and all(len(one.pointer) <= POINTER for one in found)
