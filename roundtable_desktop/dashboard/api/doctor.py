"""The API's routes of the doctor."""

from collections.abc import Sequence

from roundtable_desktop.dashboard.api.shapes import Object, Shown
from roundtable_desktop.dashboard.routes import Api
from roundtable_desktop.engine.desk.doctor import Doctor
from roundtable_desktop.model.findings import Finding, Standing
from roundtable_desktop.phrases import sentence
from roundtable_desktop.phrases.doctor import CURES, DOCTOR


class FindingRow(Shown):
    """state: ok | notice | critical. cure: what mends it, where the sentence does not say so.
    fixable: the doctor does it when it is told to; fixed: it just did."""

    check: str
    state: str
    code: str
    sentence: str
    cure: str | None
    values: Object
    fixable: bool
    fixed: bool


class Findings(Shown):
    """state: the worst of them."""

    state: str
    items: list[FindingRow]


def shown(found: Sequence[Finding]) -> Findings:
    worst = max((one.standing for one in found), key=list(Standing).index, default=Standing.OK)
    return Findings(state=worst, items=[_row(one) for one in found])


def _row(one: Finding) -> FindingRow:
    cured = one.code in CURES and one.standing is not Standing.OK
    return FindingRow(
        check=one.check,
        state=one.standing,
        code=one.code,
        sentence=sentence(one.code, one.values, DOCTOR),
        cure=sentence(one.code, one.values, CURES) if cured else None,
        values=dict(one.values),
        fixable=one.fixable,
        fixed=one.fixed,
    )


def declare(api: Api, doctor: Doctor) -> None:
    @api.route("GET", "/api/v1/doctor")
    def show_findings() -> Findings:
        """What was looked at, and how it stands: the home, its database, the machine, agents."""
        return shown(doctor.findings())

    @api.route("POST", "/api/v1/doctor/fix")
    def fix_findings() -> Findings:
        """Mends what can be mended without taking anything of yours away, and looks again."""
        return shown(doctor.fix())
