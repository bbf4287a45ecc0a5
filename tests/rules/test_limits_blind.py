"""Twenty texts of providers, and their answers, that were written before a look at the parser."""

import csv
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from roundtable_desktop.rules.limits import Said, limit_verdict

TEXTS = Path(__file__).parents[1] / "data" / "limit_texts_blind.csv"
ROWS = list(csv.DictReader(TEXTS.open(encoding="utf-8", newline="")))
A_MILLISECOND = timedelta(milliseconds=1)
HALF_A_MINUTE = timedelta(seconds=30)


@pytest.mark.proves("C-12")
@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in ROWS])
def test_a_text_is_read_as_a_person_reads_it(row: dict[str, str]) -> None:
    now = datetime.fromisoformat(row["now_utc"])
    verdict = limit_verdict(Said(row["text"]), now, ZoneInfo(row["local_tz"]))
    assert verdict.meaning == row["expected_kind"]
    if row["expected_reset_utc"] == "none":
        assert verdict.reset_at is None
        assert verdict.retry_at is None
    else:
        expected = datetime.fromisoformat(row["expected_reset_utc"])
        assert verdict.reset_at is not None
        assert abs(verdict.reset_at.astimezone(UTC) - expected) < A_MILLISECOND
        assert verdict.retry_at == verdict.reset_at + HALF_A_MINUTE
