"""How a short time is written at the command line: 250ms, 1s, 1m30s."""

import re

import click

from roundtable_desktop.cli.output import plain
from roundtable_desktop.phrases import _

_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_WHOLE = re.compile(r"([+-]?)((?:\d{1,8}(?:\.\d{1,6})?(?:ms|s|m|h))+|0)")
_PART = re.compile(r"(\d{1,8}(?:\.\d{1,6})?)(ms|s|m|h)")
_MOST = 86_400_000


class Short(click.ParamType[int]):
    """In milliseconds; one that is not above zero stands for the usual (R-07)."""

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        found = _WHOLE.fullmatch(str(value).strip())
        if found is None:
            said = _("“{given}” is no time; write it as 250ms, 1s or 1m30s")
            self.fail(plain(said.format(given=value)), param, ctx)
        total = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(found[2]))
        if total > _MOST:
            self.fail(_("a day is the longest"), param, ctx)
        return -round(total) if found[1] == "-" else round(total)
