"""The sentences of pages: instants in the zone of who looks, words for codes, and no commands."""

from collections.abc import Callable, Mapping

from roundtable_desktop.dashboard.api.shapes import Say
from roundtable_desktop.dashboard.figures import Figures
from roundtable_desktop.dashboard.labels import error_label
from roundtable_desktop.phrases import sentence
from roundtable_desktop.phrases.instants import is_exact
from roundtable_desktop.phrases.on_pages import ON_PAGES

COMMIT = 12
"""Characters of a commit's name that people see."""


def telling(figures: Figures) -> Say:
    """What says a code with its values on a page."""
    shown: Mapping[str, Callable[[str], str]] = {
        "kind": error_label,
        "commit": lambda commit: commit[:COMMIT],
    }

    def say(code: str, values: object) -> str:
        given: Mapping[str, object] = values if isinstance(values, dict) else {}
        told = {name: _shown(name, value) for name, value in given.items()}
        return sentence(code, told, ON_PAGES)

    def _shown(name: str, value: object) -> object:
        if isinstance(value, Mapping):  # why: a reason with values of its own
            return {inner: _shown(inner, one) for inner, one in value.items()}
        if not isinstance(value, str):
            return value
        if is_exact(value):
            return figures.plain_moment(value)
        return shown[name](value) if name in shown else value

    return say
