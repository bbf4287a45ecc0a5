"""The sentences: each can be said, and no value can make it say something else."""

import ast
import re
import shlex
import string
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from roundtable_desktop import engine
from roundtable_desktop.cli import main
from roundtable_desktop.dashboard.problems import CODE_OF_STATUS
from roundtable_desktop.model.states import RunOutcome, Source, WakeupOutcome
from roundtable_desktop.phrases import GATES, SENTENCES, sentence
from roundtable_desktop.phrases.foresight import WORDS


@pytest.mark.parametrize("code", SENTENCES)
def test_every_code_has_a_whole_sentence(code):
    template = SENTENCES[code]
    names = [name for _, name, _, _ in string.Formatter().parse(template) if name is not None]
    assert all(name.isidentifier() for name in names)
    said = sentence(code, {name: f"<{name}>" for name in names})
    assert said[0].isupper() or said[0] in "<“"
    assert said[-1] in ".>" and "{" not in said
    assert all(f"<{name}>" in said for name in names)


@pytest.mark.parametrize("code", [code for code in SENTENCES if "roundtable " in SENTENCES[code]])
def test_a_command_that_may_be_copied_takes_any_name_for_one_word(code):
    names = ("agent", "backup")
    hostile = "a'b; $(touch PWNED) `x` \\ \" # &"
    said = sentence(code, dict.fromkeys(names, hostile))
    template = SENTENCES[code]
    for name in names:
        for command in re.findall(rf"roundtable [a-z ]+\{{{name}[:}}]", template):
            words = command.partition("{")[0] + shlex.quote(hostile)
            assert words in said


NAMED = re.compile(r"“roundtable ([a-z][^”{]*)|roundtable ([a-z][a-z -]*)\{")
"""A command as sentences name it: in quotes, or with a name of something behind it."""


def commands_in(template: str) -> Iterator[list[str]]:
    for quoted, followed in NAMED.findall(template):
        yield (quoted or followed).split()


@pytest.mark.proves("R-24")
@pytest.mark.parametrize("code", [code for code in SENTENCES if "roundtable " in SENTENCES[code]])
def test_a_command_that_a_sentence_names_is_there(code):
    """With its options, so that what somebody is told to do can be done."""
    for words in commands_in(SENTENCES[code]):
        command = main.cli
        while isinstance(command, click.Group):
            assert words, f"{command.name} is no command by itself"
            word = words.pop(0)
            found = command.get_command(click.Context(command), word)
            assert found is not None, f"there is no “{word}”"
            command = found
        known = {one for option in command.params for one in option.opts}
        assert {one for one in words if one.startswith("--")} <= known


def test_a_value_is_never_read_as_a_template():
    said = sentence("name_taken", {"name": "{path} {0} {name.__class__} %s"})
    assert "{path} {0} {name.__class__} %s" in said


def test_a_missing_value_and_a_list_are_said_too():
    assert "…" in sentence("name_taken")
    assert "a.py, b.py" in sentence("conflict", {"paths": ["a.py", "b.py"]})


def wake_reasons() -> Iterator[str]:
    """What the engine's own calls name as the reason of a wake."""
    for path in sorted(Path(engine.__path__[0]).rglob("*.py")):
        tree = ast.parse(path.read_text())
        known = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            match ast.unparse(call.func).rpartition(".")[2]:
                case "Cause":
                    given = [word.value for word in call.keywords if word.arg == "reason"]
                case "wake":
                    given = call.args[4:5]
                case "anew":
                    given = call.args[1:2]
                case _:
                    continue
            for one in given:
                one = one.value if isinstance(one, ast.Subscript) else one  # one of a table
                value = known.get(one.id, one) if isinstance(one, ast.Name) else one
                for part in ast.walk(value):
                    if isinstance(part, ast.Constant):
                        yield str(part.value)


def test_every_reason_of_a_wake_is_said_in_words():
    reasons = set(wake_reasons())
    assert {"assigned", "unblocked", "moved", "agent_resumed", "scheduled", "wake"} <= reasons
    assert reasons <= set(WORDS), reasons - set(WORDS)


def test_an_unknown_code_is_named():
    assert "“new_code”" in sentence("new_code", {"a": 1})


def test_each_gate_says_both_why_it_let_through_and_why_it_waits():
    gates = {code.rpartition("_")[0] for code in GATES}
    assert set(GATES) == {f"{gate}_{form}" for gate in gates for form in ("passed", "waiting")}


def test_every_number_of_http_has_a_sentence():
    assert set(CODE_OF_STATUS.values()) <= set(SENTENCES)


PLAIN = {"done", "cancelled", "executed"}
"""Codes that are words."""


@pytest.mark.parametrize("code", [*RunOutcome, *WakeupOutcome, *Source])
def test_what_is_foreseen_is_said_in_words(code):
    assert code in PLAIN or "_" not in WORDS[code]
