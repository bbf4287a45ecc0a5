"""Parts of templates that are rendered once: by all that they read, and by nothing that moves."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from flask import Flask
from jinja2 import DictLoader
from jinja2.exceptions import TemplateAssertionError

from roundtable_desktop.dashboard import kept
from roundtable_desktop.dashboard.templates import FIXED, Kept, Templates
from roundtable_desktop.model.records import Task
from roundtable_desktop.model.states import DeliveryMode, TaskStatus

AT = datetime(2026, 11, 29, 17, 16, tzinfo=UTC)


class Counted(Kept):
    pure = Kept.pure | {"counted"}


def engine(**sources: str) -> tuple[Templates, list[object]]:
    """With the filter `counted`, which tells each time that something is really rendered."""
    rendered: list[object] = []
    made = Templates(Flask("pages"), loader=DictLoader(sources), autoescape=True)
    del made.extensions[Kept.identifier]
    made.add_extension(Counted)
    made.filters["counted"] = lambda value: rendered.append(value) or value
    made.globals["new_key"] = lambda name: name
    return made, rendered


def shown(made: Templates, **values: object) -> str:
    return made.get_template("it").render(values)


def task(**changes: Any) -> Task:
    words = dict.fromkeys(Task.__dataclass_fields__)
    given = {"id": "t", "title": "Tea", "status": TaskStatus.TODO, "delivery": DeliveryMode.AUTO}
    return replace(Task(**{**words, **given, "created_at": AT}), **changes)  # type: ignore[arg-type]


def test_a_part_is_rendered_once_for_the_same_values() -> None:
    made, rendered = engine(it="{% kept %}<p>{{ name | counted }}</p>{% endkept %}{{ other }}")
    assert shown(made, name="<b>", other=1) == "<p>&lt;b&gt;</p>1"
    assert shown(made, name="<b>", other=2) == "<p>&lt;b&gt;</p>2"
    assert rendered == ["<b>"]
    assert shown(made, name="c", other=1) == "<p>c</p>1"
    assert rendered == ["<b>", "c"]


def test_what_is_equal_and_not_the_same_is_another_part() -> None:
    made, _rendered = engine(it="{% kept %}{{ one }}{% endkept %}")
    assert [shown(made, one=each) for each in (1, True, "1", None)] == ["1", "True", "1", "None"]


def test_two_parts_with_the_same_values_are_two() -> None:
    part = "{{% kept %}}{}{{{{ one }}}}{{% endkept %}}"
    made, _rendered = engine(it=f"{part.format('a')}\n{part.format('b')}")
    assert [shown(made, one=1) for _time in range(2)] == ["a1\nb1", "a1\nb1"]


def test_all_that_is_read_counts_in_whatever_branch() -> None:
    source = """{% kept %}{% if a %}{{ b | counted }}{% endif %}
    {%- for each in (1, 2) %}{{ each }}{{ c }}{% endfor %}{% endkept %}"""
    made, rendered = engine(it=source)
    assert shown(made, a=False, b=1, c=3) == "1323"
    assert shown(made, a=True, b=1, c=3) == "11323"
    assert shown(made, a=True, b=2, c=4) == "21424"
    assert rendered == [1, 2]


def test_a_row_that_was_read_anew_and_says_the_same_may_be_rendered_again_but_never_wrongly() -> (
    None
):
    made, rendered = engine(it="{% kept %}{{ task.title | counted }}{% endkept %}")
    first = task()
    assert [shown(made, task=first) for _time in range(3)] == ["Tea"] * 3
    assert rendered == ["Tea"]
    for number in range(50):  # each is gone before the next one is made, perhaps where it lay
        assert shown(made, task=task(title=str(number))) == str(number)
    assert shown(made, task=first) == "Tea"


@pytest.mark.parametrize(
    "inside",
    [
        "{{ new_key('form') }}",
        "{{ name | printed }}",
        "{% include 'other' %}",
        "{% from 'other' import made %}{{ made() }}",
    ],
)
def test_what_may_answer_otherwise_another_time_is_refused(inside: str) -> None:
    made, _rendered = engine(it=f"{{% kept %}}{inside}{{% endkept %}}", other="")
    made.filters["printed"] = str
    with pytest.raises(TemplateAssertionError, match="cannot be kept"):
        made.get_template("it")


@pytest.mark.parametrize("value", [{"a": 1}, [1], object(), AT, len])
def test_what_can_change_is_no_key(value: object) -> None:
    made, _rendered = engine(it="{% kept %}{{ value }}{% endkept %}")
    with pytest.raises(TypeError, match="cannot be kept"):
        shown(made, value=value)


def test_only_so_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST", 3)
    made, rendered = engine(it="{% kept %}{{ one | counted }}{% endkept %}")
    for one in (1, 2, 3, 1, 4, 1, 2):
        shown(made, one=one)
    assert rendered == [1, 2, 3, 4, 2]


def test_what_is_fixed_is_worked_out_as_the_template_is_compiled() -> None:
    source = """{{ _("Tea & <b>") }} {{ asset("a b.css") }} {{ live("x", "run") }} {{ _(word) }}"""
    made, _rendered = engine(it=source)
    code = made.compile(source, "it", raw=True)
    assert "Tea &amp; &lt;b&gt;" in code and code.count("context.call(") == 1
    address = FIXED["asset"]("a b.css")
    said = f'Tea &amp; &lt;b&gt; {address} id="x" data-live="run" '
    assert shown(made, word="\u202e") == said + "⟨U+202E⟩"
