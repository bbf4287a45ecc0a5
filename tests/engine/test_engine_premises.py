"""The doctor's look around a home in which files come and go meanwhile."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from roundtable_desktop.adapters.home import Home
from roundtable_desktop.adapters.premises import HomePremises
from roundtable_desktop.adapters.processes import Marked
from roundtable_desktop.adapters.programs import InstalledPrograms


@pytest.mark.proves("N-22")
def test_what_goes_between_its_name_and_the_look_at_it_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "aside" / "20260301T120000Z").mkdir(parents=True)
    (tmp_path / "aside" / "20260301T120000Z" / "roundtable.db").write_text("12345")
    for one in (tmp_path, tmp_path / "aside"):
        one.chmod(0o700)
    (tmp_path / "token").touch(mode=0o600)
    (tmp_path / "token").chmod(0o644)
    glob, iterdir = Path.glob, Path.iterdir

    def named(self: Path, pattern: str) -> Iterator[Path]:
        yield from glob(self, pattern)
        yield self / "gone"

    def listed(self: Path) -> Iterator[Path]:
        yield from iterdir(self)
        yield self / "gone"

    monkeypatch.setattr(Path, "glob", named)
    monkeypatch.setattr(Path, "iterdir", listed)
    programs = InstalledPrograms(tmp_path, {}, {}, str)
    marks = Marked(tmp_path / "none")
    premises = HomePremises(tmp_path, {}, marks, Home(tmp_path), programs)
    assert premises.loose() == [tmp_path / "token"]
    sizes = {place.name: size for place, size in premises.aside()}
    assert sizes["20260301T120000Z"] == 5
    premises.mend_loose()
    assert premises.loose() == []
    assert premises.stale_sockets() == []
