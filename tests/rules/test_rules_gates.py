"""When a gate is passed: the table, and any order of any verdicts."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtable_desktop.mcp.tools import TOOLS
from roundtable_desktop.model.gates import APPROVALS, DEMANDS, VerdictStatus, Word
from roundtable_desktop.rules.capabilities import CAPABILITIES, Occasion, may, purpose_of
from roundtable_desktop.rules.gates import Judged, judge

V = VerdictStatus
CODES = {
    "?": (V.ASKED, None),
    "-": (V.MISSING, None),
    "w": (V.WITHDRAWN, None),
    "+": (V.GIVEN, Word.APPROVE),
    "n": (V.GIVEN, Word.APPROVE_WITH_NOTES),
    "r": (V.GIVEN, Word.REVISE),
    "x": (V.GIVEN, Word.REJECT),
    "0": (V.GIVEN, Word.ABSTAIN),
    "!": (V.GIVEN, Word.VETO),
}


@pytest.mark.proves("C-26")
@pytest.mark.parametrize(
    ("needed", "verdicts", "judged"),
    [
        (1, "?", "open"),
        (1, "+", "passed"),
        (1, "n", "passed"),
        (1, "r", "returned"),
        (1, "x", "returned"),
        (1, "0", "too_few"),
        (1, "-", "too_few"),
        (1, "w", "too_few"),
        (2, "++", "passed"),
        (2, "+?", "open"),
        (2, "++?", "passed"),  # two of three are in, and nobody wants changes
        (2, "+r?", "open"),  # the third is heard before it goes back
        (2, "++r", "returned"),  # what somebody wants changed is changed
        (2, "+r-", "returned"),
        (2, "+0?", "open"),
        (2, "+0-", "too_few"),
        (1, "0+", "passed"),
        (3, "!??", "returned"),  # at once
        (1, "+!", "returned"),
        (2, "+n", "passed"),
    ],
)
def test_a_gate_is_passed_by_enough_and_goes_back_once(
    needed: int, verdicts: str, judged: str
) -> None:
    assert judge(needed, [CODES[one] for one in verdicts]) == judged


@pytest.mark.proves("C-26")
@given(st.data())
def test_no_order_of_verdicts_passes_with_too_few_or_waits_for_nobody(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 5))
    needed = data.draw(st.integers(1, count))
    standing = [CODES["?"]] * count
    for place in data.draw(st.permutations(range(count))):
        standing[place] = data.draw(st.sampled_from([CODES[one] for one in "-+nrx0!"]))
        judged = judge(needed, standing)
        words = [word for _, word in standing]
        waits = any(status is V.ASKED for status, _ in standing)
        approvals = sum(word in APPROVALS for word in words)
        wants = any(word in DEMANDS for word in words)
        if judged is Judged.PASSED:
            assert approvals >= needed and not wants
        if judged is Judged.RETURNED:
            assert wants and (not waits or Word.VETO in words)
        if judged is Judged.OPEN:
            assert waits, "nobody is waited for, and nothing was decided"
        if judged is Judged.TOO_FEW:
            assert not waits and not wants and approvals < needed
        if judged is not Judged.OPEN:
            break


@pytest.mark.proves("K-71")
def test_every_tool_has_its_runs_and_only_a_review_votes() -> None:
    assert set(CAPABILITIES) == set(TOOLS)
    assert [one for one in Occasion if may("vote_cast", one)] == [Occasion.REVIEW]
    assert purpose_of("t", None) is Occasion.WORK and purpose_of(None, None) is Occasion.TURN
    assert purpose_of("t", "g") is Occasion.REVIEW


@pytest.mark.proves("K-71")
def test_the_documentation_lists_every_tool_with_its_runs() -> None:
    text = Path(__file__, "../../../docs/bring-your-own-agent.md").resolve().read_text()
    found = {}
    for line in text.splitlines():
        cells = [one.strip() for one in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 4:
            found |= {tool.strip(" `"): cells[1:] for tool in cells[0].split(",")}
    runs = (Occasion.WORK, Occasion.TURN, Occasion.REVIEW)
    assert found == {
        tool: ["yes" if may(tool, one) else "no" for one in runs] for tool in CAPABILITIES
    }
