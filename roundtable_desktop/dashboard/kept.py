"""`{% kept %} … {% endkept %}`: a part of a template that is rendered once for the same values.

What it depends on is not said by whoever writes it but found in what it reads: the names that come
from outside it are its key. What could answer otherwise another time is refused as the template is
compiled, so nothing that is kept can be out of date.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from jinja2 import meta, nodes
from jinja2.exceptions import TemplateAssertionError
from jinja2.ext import Extension
from jinja2.parser import Parser
from markupsafe import Markup

from roundtable_desktop.model.records import Agent, Run, Task

MOST = 1024
"""Parts that are kept at once; the one that nobody asked for longest goes."""

PLAIN = frozenset((str, int, bool, type(None)))
"""Values that are what they are."""
RECORDS = frozenset((Run, Agent, Task))
"""Frozen values of a row: the same one says the same. One that was read anew from a row that did
not change is the same one mostly (`store.view`); where it is not, the part is rendered again."""

_TAKEN_IN = (nodes.Include, nodes.Import, nodes.FromImport)


class Kept(Extension):
    """A key is made of PLAIN values and RECORDS alone."""

    tags = {"kept"}  # noqa: RUF012 as jinja2 has it
    steady: frozenset[str] = frozenset()
    """Globals that are the same for as long as the program runs."""
    pure: frozenset[str] = frozenset()
    """Filters that answer by what they are given alone."""

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        self._lock = threading.Lock()
        self._parts: OrderedDict[object, tuple[Markup, object]] = OrderedDict()

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endkept",), drop_needle=True)
        tree = nodes.Template(body, lineno=line)
        tree.set_environment(self.environment)
        outside = meta.find_undeclared_variables(tree) - self.steady  # globals are none of them
        named = {one.name for one in tree.find_all(nodes.Name)}
        unsteady = (named & self.environment.globals.keys()) - self.steady
        unsteady |= {one.name for one in tree.find_all(nodes.Filter)} - self.pure
        unsteady |= {type(one).__name__ for one in tree.find_all(_TAKEN_IN)}
        if unsteady:
            raise TemplateAssertionError(f"{sorted(unsteady)} cannot be kept", line, parser.name)
        values = nodes.Tuple([nodes.Name(one, "load") for one in sorted(outside)], "load")
        which = nodes.Const(f"{parser.name}:{line}")
        kept = self.call_method("_kept", [which, values])
        return nodes.CallBlock(kept, [], [], body).set_lineno(line)

    def _kept(self, which: str, values: tuple[object, ...], caller: Callable[[], Markup]) -> Markup:
        key = (which, *map(_key, values))
        with self._lock:
            if (found := self._parts.get(key)) is not None:
                self._parts.move_to_end(key)
                return found[0]
        part = caller()
        with self._lock:
            self._parts[key] = part, values  # as long as these live, none else has their identity
            if len(self._parts) > MOST:
                self._parts.popitem(last=False)
        return part


def _key(value: object) -> object:
    kind = type(value)
    if kind in PLAIN:
        return value, kind
    if kind in RECORDS:
        return id(value)
    raise TypeError(f"a part cannot be kept by {kind.__name__}")
