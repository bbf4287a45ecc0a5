"""Reads plain YAML, which is hostile until it was read: nothing in it acts or grows (S-75)."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

_TIMES = "tag:yaml.org,2002:timestamp"
DEEPEST = 32
"""Levels in each other; PyYAML looks at all that are open for each one that it opens."""


@dataclass(frozen=True, slots=True)
class Document:
    """lines: by JSON pointer, where each value begins."""

    data: dict[str, Any]
    lines: Mapping[str, int]


class Unclear(Exception):
    """It means nothing plain. problem: in a few words; line: where, if that is known."""

    def __init__(self, text: str, problem: str, line: int | None) -> None:
        super().__init__(text)
        self.problem, self.line = problem, line


class _Plain(yaml.SafeLoader):
    """Text, numbers, lists and names of them; no object, no date, and no alias, of which a few
    lines can stand for gigabytes."""

    _depth = 0

    def fetch_flow_collection_start(self, kind: Any) -> None:
        """Looked for ahead of what is composed."""
        untyped: Any = self
        if untyped.flow_level >= DEEPEST:
            raise _too_deep(untyped.get_mark())
        super().fetch_flow_collection_start(kind)

    def compose_node(self, parent: Any, index: Any) -> Any:
        untyped: Any = self
        if self.check_event(yaml.AliasEvent):
            raise _marked("an alias (*name): write it out", untyped.peek_event())
        self._depth += 1
        if self._depth > DEEPEST:
            raise _too_deep(untyped.peek_event().start_mark)
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        """A tag says what a value is, and PyYAML falls over one that is not."""
        try:
            return super().construct_object(node, deep=deep)
        except (ArithmeticError, AttributeError, LookupError):
            kind = node.tag.removeprefix("tag:yaml.org,2002:")
            raise _marked(f"no {kind}", node) from None

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        made = super().construct_mapping(node, deep=deep)
        if len(made) != len(node.value):
            line = node.start_mark.line + 1
            raise _marked(f"one name twice in what begins in line {line}", node)
        return made


_Plain.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag != _TIMES]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def parse(raw: bytes) -> Document:
    """Raises Unclear for what is no UTF-8, no YAML, or no mapping of plain values."""
    text = ""
    try:
        text = raw.decode()
        data, lines = _parsed(text)
        json.dumps(data, allow_nan=False)  # what JSON does not have means nothing here
    except (yaml.YAMLError, TypeError, ValueError, RecursionError) as error:
        raise Unclear(_one_line(str(error), error), _problem(error), _line(error, text)) from None
    if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
        raise Unclear("no names with values", "no names with values", 1)
    return Document(data, lines)


def _parsed(text: str) -> tuple[Any, Mapping[str, int]]:
    loader = _Plain(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None, {}
        return loader.construct_document(node), dict(_lines(node, ""))
    finally:
        loader.dispose()


def _lines(node: yaml.Node, pointer: str) -> Iterator[tuple[str, int]]:
    yield pointer, node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            below = str(name.value).replace("~", "~0").replace("/", "~1")
            yield from _lines(value, f"{pointer}/{below}")
            yield f"{pointer}/{below}", name.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode):
        for place, value in enumerate(node.value):
            yield from _lines(value, f"{pointer}/{place}")


def _marked(problem: str, at: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=at.start_mark)


def _too_deep(mark: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(
        problem=f"more than {DEEPEST} levels in each other", problem_mark=mark
    )


def _line(error: Exception, text: str) -> int | None:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return int(error.problem_mark.line) + 1
    if isinstance(error, yaml.reader.ReaderError):
        return text.count("\n", 0, error.position) + 1
    return None


def _problem(error: Exception) -> str:
    if isinstance(error, yaml.MarkedYAMLError):
        said = error.problem or error.context or ""
    elif isinstance(error, yaml.reader.ReaderError):
        said = f"a character that cannot stand there (U+{_number(error.character):04X})"
    elif isinstance(error, UnicodeDecodeError):
        said = f"byte {error.start} and what follows is no UTF-8"
    else:
        said = str(error)
    return _one_line(said, error)


def _number(character: Any) -> int:
    return character if isinstance(character, int) else ord(character)


def _one_line(text: str, error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return " ".join(text.split())[:200]
