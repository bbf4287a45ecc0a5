"""Every check of the doctor has its name and its meaning, and a cure leads somewhere."""

import ast
from pathlib import Path

import pytest

from roundtable_desktop import offline
from roundtable_desktop.engine.desk import doctor
from roundtable_desktop.phrases.doctor import CHECKS, CURES, DOCTOR, MEANINGS, NEXT_START, WAYS


def checks() -> set[str]:
    """What the code names as the check of a finding."""
    found: set[str] = set()
    for module in (doctor, offline):
        for call in ast.walk(ast.parse(Path(str(module.__file__)).read_text())):
            if not isinstance(call, ast.Call):
                continue
            name = ast.unparse(call.func)
            given = [word.value for word in call.keywords if word.arg == "check"]
            given += call.args[:1] if name == "_finding" else []
            found |= {str(one.value) for one in given if isinstance(one, ast.Constant)}
    return found


@pytest.mark.proves("E-03 doctor")
def test_each_check_has_a_name_and_a_meaning() -> None:
    assert {"database", "agents", "processes"} <= checks() <= set(CHECKS)
    assert set(CHECKS) == set(MEANINGS)
    for said in (*MEANINGS.values(), *NEXT_START.values()):
        assert said[0].isupper() and said[-1] == "."


@pytest.mark.proves("E-03 doctor")
def test_a_cure_is_of_a_finding() -> None:
    assert set(WAYS) <= set(CURES) <= set(DOCTOR)
