"""Rows as a file that a spreadsheet opens and does not obey."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from roundtable_desktop.dashboard.inert import inert
from roundtable_desktop.model.printed import printed

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for a formula when a cell begins with it, wherever the text is from."""


def csv_lines(names: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """RFC 4180, in UTF-8, with its names first."""
    yield _line(names)
    for row in rows:
        yield _line([cell(value) for value in row])


def cell(value: object) -> object:
    """A text as it would be shown on a page; one that looks like a formula gets a quote before it.
    Numbers stay numbers, and what is not known is empty."""
    if not isinstance(value, str):
        return "" if value is None else value
    shown = str(inert(printed(value)))
    return f"'{shown}" if shown.startswith(FORMULA) else shown


def _line(cells: Sequence[object]) -> str:
    made = io.StringIO()
    csv.writer(made).writerow(cells)
    return made.getvalue()
