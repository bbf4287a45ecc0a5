"""Comments on lines of a proposal: the fields of its form, and what was said of each line."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roundtable_desktop.dashboard.api.gates_shown import NewVerdict
from roundtable_desktop.dashboard.diffs import Patch
from roundtable_desktop.dashboard.forms import fault_of_form, filled
from roundtable_desktop.engine.desk.look_gates import Said
from roundtable_desktop.phrases import _

ROWS = 2
"""Comments that each file has room for; a script makes more."""
_FIELD = re.compile(r"(line|text)-(\d{1,3})-(\d{1,2})", re.ASCII)
_LINE = re.compile(r"[1-9]\d{0,8}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Row:
    """line, text: what was typed."""

    number: int
    line: str = ""
    text: str = ""


def written(patch: Patch, given: Mapping[str, str] | None) -> list[list[Row]]:
    """By the files of the patch, the rows of the form."""
    typed = _typed(given or {})
    return [
        [Row(at, *typed.get((file, at), ("", ""))) for at in range(_rows(typed, file))]
        for file in range(len(patch.files))
    ]


def _rows(typed: Mapping[tuple[int, int], tuple[str, str]], file: int) -> int:
    return max([ROWS, *(at + 1 for there, at in typed if there == file)])


def _typed(given: Mapping[str, str]) -> dict[tuple[int, int], tuple[str, str]]:
    """What was filled in, by file and row."""
    found: dict[tuple[int, int], tuple[str, str]] = {}
    for name, value in given.items():
        field = _FIELD.fullmatch(name)
        if field is None or not value.strip():
            continue
        place = int(field[2]), int(field[3])
        line, text = found.get(place, ("", ""))
        found[place] = (value, text) if field[1] == "line" else (line, value)
    return found


def body_of(given: Mapping[str, str]) -> NewVerdict:
    """As the API takes it."""
    findings = []
    for (file, _at), (line, text) in sorted(_typed(given).items()):
        path, number = given.get(f"path-{file}", ""), line.strip()
        if number and not _LINE.fullmatch(number):
            raise fault_of_form("findings", _("“{line}” is no line").format(line=number[:20]))
        if not text.strip():
            said = _("what is to be said of line {line} of {path}?")
            raise fault_of_form("findings", said.format(line=number, path=path))
        at = {"line": int(number)} if number else {}
        findings.append({"path": path, "text": text.strip(), **at})
    body = {"verdict": "revise", "note": given.get("note", ""), "findings": findings}
    return filled(NewVerdict, body)


def by_line(said: Sequence[Said]) -> dict[str, dict[int, list[tuple[str | None, str]]]]:
    """By path and line, who said what."""
    found: dict[str, dict[int, list[tuple[str | None, str]]]] = {}
    for one in said:
        for finding in one.verdict.findings:
            line, text = finding.get("line"), str(finding["text"])
            if isinstance(line, int):
                here = found.setdefault(str(finding["path"]), {})
                here.setdefault(line, []).append((one.name, text))
    return found
