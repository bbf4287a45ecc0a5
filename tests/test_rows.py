"""The promise and its proofs are compared as they are written."""

from pathlib import Path

from _rows import rows_report

ROWS = "# issue 2: {state}\nK-39  2  the claim is one statement\nK-38 gates  2  the gates\n"


def report(folder: Path, test: str, state: str = "open", rows: str = ROWS) -> tuple[str, list[str]]:
    (folder / "rows.txt").write_text(rows.format(state=state))
    (folder / "test_it.py").write_text(test)
    lines, faults = rows_report(folder / "rows.txt", folder)
    return "\n".join(lines), faults


def test_an_open_issue_may_have_open_rows(tmp_path: Path) -> None:
    told, faults = report(tmp_path, '@pytest.mark.proves("K-39")\ndef test_a(): ...')
    assert not faults
    assert "K-38 gates" in told
    assert "K-39" not in told


def test_a_finished_issue_may_not(tmp_path: Path) -> None:
    _, faults = report(tmp_path, "", state="finished")
    assert [fault.split(":")[0] for fault in faults] == ["K-39", "K-38 gates"]


def test_all_rows_proved_is_no_fault(tmp_path: Path) -> None:
    test = 'pytestmark = [pytest.mark.proves("K-39", "K-38 gates"), pytest.mark.slow]'
    told, faults = report(tmp_path, test, state="finished")
    assert not faults
    assert "open rows" not in told


def test_a_proof_of_an_unknown_row_is_a_fault(tmp_path: Path) -> None:
    _, faults = report(tmp_path, 'x = 1\n@pytest.mark.proves("K-3")\nclass TestIt: ...')
    assert faults == [f"{tmp_path / 'test_it.py'}:2: 'K-3' is no row of rows.txt"]


def test_an_id_that_is_computed_is_a_fault(tmp_path: Path) -> None:
    _, faults = report(tmp_path, "@pytest.mark.proves(row)\ndef test_a(): ...")
    assert faults == [f"{tmp_path / 'test_it.py'}:1: write the row's id as a literal"]


def test_a_row_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    rows = "# issue 2: {state}\nK-39 2 one space\nK-1  2  a\nK-1  2  b\nK-2  7  c\n"
    _, faults = report(tmp_path, "", rows=rows)
    assert [fault.split(": ")[0] for fault in faults] == [f"rows.txt:{n}" for n in (2, 4, 5)]
