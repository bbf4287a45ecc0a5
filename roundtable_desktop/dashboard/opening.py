"""The mark of the few views that answer without credentials; all others are closed."""

from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])

_MARK = "open_to_all"


def open_to_all(view: View) -> View:
    setattr(view, _MARK, True)
    return view


def is_open(view: Callable[..., Any] | None) -> bool:
    """An address that leads nowhere is closed too: a stranger learns nothing from it."""
    return bool(getattr(view, _MARK, False))
