"""A file for spreadsheets: what an agent wrote must not become a formula, nor anything active."""

import csv

import pytest

from roundtable_desktop.dashboard.tabular import cell, csv_lines


@pytest.mark.proves("E-03 runs")
@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "=cmd|' /C calc'!A0"])
def test_what_looks_like_a_formula_gets_a_quote(text: str) -> None:
    assert cell(text) == f"'{text}"


@pytest.mark.proves("E-03 runs")
def test_text_is_as_on_a_page_and_numbers_stay_numbers() -> None:
    assert cell("a\x1b[31mb\x1b[0m") == "ab" and "\x00" not in str(cell("a\x00b"))
    assert (cell(-3), cell(None), cell(""), cell("a-b")) == (-3, "", "", "a-b")
    lines = list(csv_lines(["a", "b"], [['say "hi"\nand go', None], ["=x", 1.5]]))
    assert list(csv.reader("".join(lines).splitlines(keepends=True))) == [
        ["a", "b"],
        ['say "hi"\nand go', ""],
        ["'=x", "1.5"],
    ]
