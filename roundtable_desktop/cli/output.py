"""How the CLI shows things: tables for people, JSON for programs."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from roundtable_desktop.model.printed import ACTIVE, printed
from roundtable_desktop.phrases import one_line
from roundtable_desktop.phrases.codes import spelled
from roundtable_desktop.phrases.instants import is_exact, stamp

_STATES = {"status", "state", "workspace_strategy", "concurrency_policy", "catch_up_policy"}
_WIDEST = 60
_WHOLE = 4000


def show_json(value: object, *, indent: int | None = 2) -> None:
    """As people read it, but for what could drive a terminal: that is escaped."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    click.echo(ACTIVE.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Columns by name; bold heads on a terminal, plain text in a pipe. Cells are one line; only
    the last column, which often says what to do, is never cut."""
    *cut, last = columns
    cells = [
        [*(cell(_said(name, row)) for name in cut), cell(_said(last, row), _WHOLE)] for row in rows
    ]
    heads = [column.replace("_", " ").upper() for column in columns]
    widths = [
        max(len(head), *(len(row[place]) for row in cells), 0) for place, head in enumerate(heads)
    ]
    for number, row in enumerate([heads, *cells]):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo(click.style(line.rstrip(), bold=number == 0))


def fields(pairs: Mapping[str, object]) -> None:
    """One thing, a line a field; empty ones are left out."""
    shown = {name: cell(_said(name, pairs), 500) for name in pairs}
    width = max((len(name) for name in shown), default=0)
    for name, value in shown.items():
        if value != "-":
            click.echo(f"{name.replace('_', ' ').ljust(width)}  {value}")


def _said(name: str, row: Mapping[str, Any]) -> object:
    value = row.get(name)
    return spelled(value) if name in _STATES and isinstance(value, str) else value


def plain(text: str) -> str:
    """Text from outside without what could drive a terminal; line ends and tabs stay."""
    text = printed(text)
    if text.isascii() and not ACTIVE.search(text):
        return text
    return "".join(
        character if character in "\n\t" or character.isprintable() else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def cell(value: object, widest: int = _WIDEST) -> str:
    """One line; instants of rows as people read them."""
    if value is None or value == "" or value == []:
        return "-"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if is_exact(text):
        return stamp(text)
    return one_line(text, widest)
