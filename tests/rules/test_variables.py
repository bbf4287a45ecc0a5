"""Variables of a routine: who wins, what is refused, and that a value is never read again."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtable_desktop.model.states import VariableType
from roundtable_desktop.phrases import SENTENCES, sentence
from roundtable_desktop.rules.variables import (
    TEXT_LIMIT,
    VALUE_LIMIT,
    Fault,
    TooLong,
    Value,
    Variable,
    declaration_faults,
    declare,
    fill,
    names_in,
    resolve,
)

AT = datetime(2026, 4, 25, 9, 0, tzinfo=ZoneInfo("Europe/Berlin"))
BUILT_IN = {"date": "2026-04-25", "datetime": "2026-04-25T09:00:00+02:00"}


def typed(kind: VariableType, **more: object) -> Variable:
    options = ("low", "high") if kind is VariableType.SELECT else ()
    return Variable("v", kind, options=options, **more)  # type: ignore[arg-type]


@pytest.mark.proves("K-23")
def test_the_later_wins_built_ins_then_defaults_then_what_is_given() -> None:
    declared = [Variable("branch", default="main"), Variable("date", default="someday")]
    assert resolve([], {}, AT).values == BUILT_IN
    assert resolve(declared, {}, AT).values == BUILT_IN | {"branch": "main", "date": "someday"}
    given_ = {"branch": "release/2.0", "datetime": "now"}
    assert resolve(declared, given_, AT).values == {
        "branch": "release/2.0",
        "date": "someday",
        "datetime": "now",
    }


@pytest.mark.proves("K-23")
def test_the_built_ins_are_the_scheduled_instant_in_its_zone() -> None:
    text = fill("Daily Dep Update - {{date}} ({{ datetime }})", resolve([], {}, AT).values, [])
    assert text == "Daily Dep Update - 2026-04-25 (2026-04-25T09:00:00+02:00)"


@pytest.mark.proves("K-23")
def test_saving_declares_what_is_new() -> None:
    known = Variable("branch", default="main", required=True)
    texts = ["Check {{branch}} of {{repo}} on {{date}}", "{{ repo }}, {{depth}}, {{ 1x }}, {{a b}}"]
    assert declare(texts, [known]) == (known, Variable("repo"), Variable("depth"))
    assert declare(texts, declare(texts, [known])) == declare(texts, [known])
    new = Variable("repo")
    assert (new.type, new.default, new.required) == (VariableType.TEXT, None, False)


@pytest.mark.proves("K-23")
def test_each_missing_one_is_listed() -> None:
    declared = [
        Variable("reason", required=True),
        Variable("count", VariableType.NUMBER, required=True),
        Variable("safe", VariableType.BOOLEAN, default=False, required=True),
        Variable("note"),
    ]
    assert resolve(declared, {}, AT).missing == ("reason", "count")
    assert resolve(declared, {"reason": "", "count": None}, AT).missing == ("reason", "count")
    done = resolve(declared, {"reason": "x", "count": 0}, AT)
    assert (done.missing, done.faults) == ((), ())
    wrong = resolve(declared, {"reason": "x", "count": "many"}, AT)
    assert (wrong.missing, wrong.faults) == ((), (Fault("variable_no_number", "count"),))


@pytest.mark.proves("K-23")
@pytest.mark.parametrize(
    ("kind", "given_", "value"),
    [
        (VariableType.TEXT, "a", "a"),
        (VariableType.TEXT, 12, "12"),
        (VariableType.TEXT, True, "true"),
        (VariableType.TEXT, ["a"], None),
        (VariableType.TEXT, {"a": 1}, None),
        (VariableType.TEXT, 10**5000, None),
        (VariableType.NUMBER, 3, 3),
        (VariableType.NUMBER, "2.5", 2.5),
        (VariableType.NUMBER, "-1e3", -1000.0),
        (VariableType.NUMBER, True, None),
        (VariableType.NUMBER, "true", None),
        (VariableType.NUMBER, "1_000", None),
        (VariableType.NUMBER, "NaN", None),
        (VariableType.NUMBER, "1e999", None),
        (VariableType.NUMBER, float("inf"), None),
        (VariableType.NUMBER, float("nan"), None),
        (VariableType.NUMBER, 10**5000, None),
        (VariableType.NUMBER, "9" * 5000, None),
        (VariableType.NUMBER, "[1]", None),
        (VariableType.BOOLEAN, False, False),
        (VariableType.BOOLEAN, "True", True),
        (VariableType.BOOLEAN, 1, None),
        (VariableType.BOOLEAN, "yes", None),
        (VariableType.SELECT, "low", "low"),
        (VariableType.SELECT, "medium", None),
        (VariableType.SELECT, ["low"], None),
    ],
    ids=range(26),
)
def test_a_value_is_of_its_type(kind: VariableType, given_: object, value: Value | None) -> None:
    found = resolve([typed(kind)], {"v": given_}, AT)
    assert found.values.get("v") == value
    assert len(found.faults) == (value is None)
    assert type(found.values.get("v")) is type(value)
    for fault in found.faults:
        assert fault.name == "v" and fault.code in SENTENCES
        assert "…" not in sentence(fault.code, fault.values())


@pytest.mark.proves("K-23")
@pytest.mark.parametrize(
    "text", ["x" * (VALUE_LIMIT + 1), "é" * (VALUE_LIMIT // 2 + 1), "\ud800" * VALUE_LIMIT]
)
def test_a_value_has_at_most_4_kib(text: str) -> None:
    assert resolve([Variable("v")], {"v": text}, AT).faults == (Fault("variable_too_long", "v"),)
    assert not resolve([Variable("v")], {"v": "x" * VALUE_LIMIT}, AT).faults


@pytest.mark.proves("K-23")
def test_only_declared_names_are_taken() -> None:
    found = resolve([Variable("branch")], {"__class__": "x", "other": 1, "branch": "b"}, AT)
    assert found.values == BUILT_IN | {"branch": "b"}
    assert found.undeclared == ("__class__", "other")


@pytest.mark.proves("K-23")
def test_a_place_is_filled_once() -> None:
    values: dict[str, Value] = {"a": "{{b}}", "b": "secret", "n": 3, "yes": True}
    text = fill("{{a}} {{n}} {{yes}} {{none}} {{unknown}} {{{b}}} {b}", values, [Variable("none")])
    assert text == "{{b}} 3 true  {{unknown}} {secret} {b}"
    assert fill("{{a}}", {"a": r"\1 \g<0>"}, []) == r"\1 \g<0>"


@pytest.mark.proves("K-23")
@settings(deadline=None)
@given(st.text(), st.text())
def test_what_is_around_a_place_and_the_value_itself_stay_as_they_are(
    around: str, value: str
) -> None:
    plain = around.replace("{", "").replace("}", "")
    assert fill(f"{plain}{{{{a}}}}{plain}", {"a": value}, []) == plain + value + plain
    assert names_in(plain) == []


@pytest.mark.proves("K-23")
@pytest.mark.parametrize(
    ("declared", "codes"),
    [
        ([Variable("a"), Variable("b", default="x")], []),
        ([Variable("a"), Variable("a")], ["variable_twice"]),
        ([Variable("1a")], ["variable_bad_name"]),
        ([Variable("a b")], ["variable_bad_name"]),
        ([Variable("x" * 65)], ["variable_bad_name"]),
        ([Variable("a\n")], ["variable_bad_name"]),
        ([Variable("a", VariableType.SELECT)], ["variable_options"]),
        ([Variable("a", options=("x",))], ["variable_options"]),
        ([Variable("a", VariableType.SELECT, "y", options=("x",))], ["variable_no_option"]),
        ([Variable("a", VariableType.NUMBER, "many")], ["variable_no_number"]),
        ([Variable("a", default="x" * 5000)], ["variable_too_long"]),
    ],
    ids=range(11),
)
def test_a_declaration_that_cannot_be_is_refused(
    declared: list[Variable], codes: list[str]
) -> None:
    assert [fault.code for fault in declaration_faults(declared)] == codes
    assert set(codes) <= set(SENTENCES)


@pytest.mark.proves("K-23")
def test_values_make_no_text_longer_than_one_may_be() -> None:
    assert len(fill("{{x}}" * 16, {"x": "y" * 4096}, [])) == TEXT_LIMIT
    with pytest.raises(TooLong):
        fill("{{x}}" * 16 + ".", {"x": "y" * 4096}, [])
    assert len(fill("{{x}}" * 13_107, {}, [])) == 65_535, "what stays as it is counts as it is"
