"""Compares the rows that the product promises with the tests that prove them.

`docs/rows.txt` has one row a line, `ID  issue  text`, the columns at least two spaces apart, and
one line `# issue N: open` or `# issue N: finished` for each issue. A test names the rows that it
proves: `@pytest.mark.proves("K-39", "W-26")`. The tests are read, never imported.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ISSUE = re.compile(r"# issue (\d+): (open|finished)$")


class Row(NamedTuple):
    id: str
    issue: str
    text: str


class Proof(NamedTuple):
    """One id as a test names it; `row` is "" when it is no literal text."""

    row: str
    path: Path
    line: int


def rows_report(rows_file: Path, tests: Path) -> tuple[list[str], list[str]]:
    """The lines to print, and the faults; no faults means that the promise is kept."""
    rows, issues, faults = read_rows(rows_file.read_text(encoding="utf-8"))
    proofs = [proof for path in sorted(tests.rglob("*.py")) for proof in proofs_in(path)]
    known = {row.id for row in rows}
    for proof in proofs:
        if not proof.row:
            faults.append(f"{proof.path}:{proof.line}: write the row's id as a literal")
        elif proof.row not in known:
            faults.append(f"{proof.path}:{proof.line}: {proof.row!r} is no row of {rows_file.name}")
    tally = Counter(proof.row for proof in proofs)
    faults += [
        f"{row.id}: no test proves it, and issue {row.issue} is finished"
        for row in rows
        if issues.get(row.issue) == "finished" and not tally[row.id]
    ]
    return [*table(rows, issues, tally), *open_rows(rows, tally)], faults


def read_rows(text: str) -> tuple[list[Row], dict[str, str], list[str]]:
    rows: list[Row] = []
    issues: dict[str, str] = {}
    faults: list[str] = []
    seen: set[str] = set()
    for number, line in enumerate(text.splitlines(), 1):
        if heading := ISSUE.match(line):
            issues[heading[1]] = heading[2]
        if not line.strip() or line.startswith("#"):
            continue
        columns = re.split(r"\s{2,}", line.strip(), maxsplit=2)
        if len(columns) != 3:
            faults.append(f"rows.txt:{number}: write `ID  issue  text`")
            continue
        row = Row(*columns)
        if row.id in seen:
            faults.append(f"rows.txt:{number}: {row.id} is listed twice")
        if row.issue not in issues:
            faults.append(f"rows.txt:{number}: no line `# issue {row.issue}: …` stands above it")
        seen.add(row.id)
        rows.append(row)
    return rows, issues, faults


def proofs_in(path: Path) -> Iterator[Proof]:
    """Each id of each `proves(…)` that decorates a function or class or is a `pytestmark`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        marks: list[ast.expr] = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            marks = node.decorator_list
        elif isinstance(node, ast.Assign) and "pytestmark" in map(ast.unparse, node.targets):
            marks = node.value.elts if isinstance(node.value, ast.List) else [node.value]
        for mark in marks:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.proves":
                for value in mark.args:
                    literal = isinstance(value, ast.Constant) and isinstance(value.value, str)
                    yield Proof(ast.literal_eval(value) if literal else "", path, value.lineno)


def table(rows: list[Row], issues: dict[str, str], tally: Counter[str]) -> Iterator[str]:
    yield f"{'issue':<8}{'state':<10}{'rows':>6}{'proved':>8}{'open':>6}{'proofs':>8}"
    for issue, state in issues.items():
        mine = [row.id for row in rows if row.issue == issue]
        proved = sum(bool(tally[row]) for row in mine)
        proofs = sum(tally[row] for row in mine)
        yield f"{issue:<8}{state:<10}{len(mine):>6}{proved:>8}{len(mine) - proved:>6}{proofs:>8}"


def open_rows(rows: list[Row], tally: Counter[str]) -> Iterator[str]:
    missing = [row for row in rows if not tally[row.id]]
    if missing:
        yield "open rows:"
    for row in missing:
        yield f"  {row.id:<14}{row.text}"
