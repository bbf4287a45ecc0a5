"""The engine of the templates: what every page has alike is worked out as they are compiled."""

import threading
import weakref
from collections.abc import Callable, Mapping, MutableMapping
from functools import cache
from typing import Any
from urllib.parse import quote

from flask import g
from flask.templating import Environment
from jinja2 import Template, nodes
from jinja2.compiler import CodeGenerator
from jinja2.visitor import NodeTransformer
from markupsafe import Markup

import roundtable_desktop
from roundtable_desktop.dashboard import kept
from roundtable_desktop.dashboard.forms import new_key
from roundtable_desktop.dashboard.icons import icon
from roundtable_desktop.dashboard.inert import inert, shown
from roundtable_desktop.dashboard.places import PLACES, SHORTCUTS
from roundtable_desktop.phrases import _, n_

_LIVE = Markup('id="{}" data-live="{}"')
_KEYS = Markup(
    '<input type="hidden" name="csrf" value="{}">'
    '<input type="hidden" name="once" value="{}" autocomplete="off">'
)


@cache
def asset(name: str) -> str:
    """The address of a static file; with the version, so that an update is seen at once."""
    return f"/static/{quote(name)}?v={quote(roundtable_desktop.__version__)}"


def live(id: str, topics: str) -> Markup:
    """The attributes of a part of a page that follows what happens: `topics` are subject types of
    events. The page is fetched again as a whole, so there is one rendering of it."""
    return _LIVE.format(id, topics)


def keys(name: str) -> Markup:
    """What the form `name` has to bring along."""
    caller = g.get("caller")
    return _KEYS.format((caller and caller.csrf) or "", new_key(name))


FIXED: Mapping[str, Callable[..., object]] = {"_": _, "asset": asset, "icon": icon, "live": live}
"""What answers the same for as long as the program runs, whoever looks."""


class Kept(kept.Kept):
    steady = frozenset({*FIXED, "places", "shortcuts"})
    pure = frozenset({"moment", "label", "error_label", "tone", "run_state", "short"})


class _Code(CodeGenerator):
    """What a template shows goes through one function, instead of one for each of its cares."""

    def _output_child_pre(self, node: nodes.Expr, frame: Any, finalize: Any) -> None:
        self.write("environment.shown(")

    def _output_child_post(self, node: nodes.Expr, frame: Any, finalize: Any) -> None:
        self.write(")")


class Templates(Environment):
    """Each is compiled once, and whoever needs it meanwhile waits: after a start every tab asks at
    the same moment. No page can forget to make harmless what it shows (S-35)."""

    code_generator_class = _Code
    shown = staticmethod(shown)

    def __init__(self, app: Any, **options: Any) -> None:
        super().__init__(app, **options)
        self._compiling = threading.RLock()
        self.finalize = inert  # of what is shown as it is compiled
        self.globals.update(FIXED, n_=n_, keys=keys, places=PLACES, shortcuts=SHORTCUTS)
        self.add_extension(Kept)

    def _generate(self, source: nodes.Template, *rest: Any, **named: Any) -> str:
        return super()._generate(_Worked().visit(source), *rest, **named)

    def _load_template(
        self, name: str, globals: MutableMapping[str, Any] | None = None
    ) -> Template:
        assert self.loader is not None and self.cache is not None, "as Flask makes it"
        known = self.cache.get((weakref.ref(self.loader), name))
        if known is not None:
            return known
        with self._compiling:
            return super()._load_template(name, globals)

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """A template's own names are none: then there is no chain to be walked for each page."""
        return super().make_globals(d) if d else self.globals


class _Worked(NodeTransformer):
    """Calls of FIXED, with the values that a template gives them, by what they answer."""

    def visit_Call(self, node: nodes.Call) -> nodes.Node:
        self.generic_visit(node)
        given = [one.value for one in node.args if isinstance(one, nodes.Const)]
        plain = not (node.kwargs or node.dyn_args or node.dyn_kwargs)
        if not plain or len(given) != len(node.args) or not isinstance(node.node, nodes.Name):
            return node
        if (fixed := FIXED.get(node.node.name)) is None:
            return node
        return nodes.Const(fixed(*given), lineno=node.lineno)
