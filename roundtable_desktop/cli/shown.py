"""What commands print of one run or one wakeup: lines for people; programs take --json."""

from collections.abc import Iterator
from typing import Any

import click

from roundtable_desktop.cli.client import Answer
from roundtable_desktop.cli.output import plain
from roundtable_desktop.phrases import _, sentence
from roundtable_desktop.phrases.codes import word
from roundtable_desktop.phrases.failures import CAUSES
from roundtable_desktop.phrases.instants import stamp


def run_lines(seen: Answer, why: str) -> Iterator[str]:
    """Beside its fields: what it reported, what went wrong, and what it left. why: what was said
    of its end before."""
    yield from _result(seen["result_json"])
    yield from _misfits(seen)
    if seen["left_commit"]:
        yield _("See what it left: git show {commit}").format(commit=seen["left_commit"])
        said = _("To have it delivered: roundtable runs recover {run}")
        yield said.format(run=seen["id"][-8:])
    if seen["discarded"]:
        said = _("It was only to look. What it changed was discarded: {paths}")
        yield said.format(paths=", ".join(seen["discarded"]))
    for one in seen["repository_moved"]:
        yield one["sentence"]
        yield f"  {one['command']}".rstrip()
    if seen["copy_kept"]:
        said = _("What it left could not be kept as a commit. It is all in {folder} of your home.")
        yield said.format(folder=seen["copy_folder"])
    if seen["session_anew"]:
        yield sentence(seen["session_anew"], {"note": seen["session_note"]})
    if seen["memory"] and seen["most_memory"]:
        values = {"used": seen["memory"] >> 20, "most": seen["most_memory"] >> 20}
        yield sentence("memory_used", values)
    if seen["swept"]:
        yield sentence("swept", {"count": seen["swept"]})
    if seen["error"]:
        yield from _error(seen["error"], why)
    for told in seen["messages"]:
        yield _told(told)


def report(seen: Answer) -> str:
    """What it reported, as it was sent but for secrets."""
    if seen["report_unfit"] is not None:
        return str(seen["report_unfit"])
    return "\n".join(_result(seen["result_json"])) or _("It reported nothing.")


def _result(result: dict[str, Any]) -> Iterator[str]:
    """Of one that was taken; its summary stands among the fields."""
    for one in result.get("evidence", ()):
        words = ": ".join(filter(None, (one.get("ref"), one.get("text"))))
        yield _("Evidence ({kind}): {words}").format(kind=one["kind"], words=words)
    for one in result.get("artifacts", ()):
        yield _("Made: {path}").format(path=one["path"])
    if blocked := result.get("blocked"):
        yield _("It waits for {owner}: {action}").format(**blocked)
    if result.get("next"):
        yield _("What comes next, as it says: {next}").format(next=result["next"])


def _misfits(seen: Answer) -> Iterator[str]:
    if seen["report_unfit"] is None:
        return
    for one in seen["report_misfits"] or [{"pointer": "", "sentence": ""}]:
        code = "report_unfit" if one["pointer"] else "report_unfit_whole"
        yield sentence(code, one).strip()
    yield sentence("report_sent", {"run": seen["id"][-8:]})


def _error(error: Answer, why: str) -> Iterator[str]:
    cause = _(CAUSES[error["kind"]]) if error["kind"] in CAUSES else str(error["kind"])
    if cause.rstrip(".") not in why:
        yield cause
    if error["text"]:
        yield from (f"  {line}" for line in str(error["text"]).splitlines())


def _told(message: Answer) -> str:
    said = {
        "sent": _("Told at {at}, and not heard yet: {text}"),
        "read": _("Told at {at}, and heard: {text}"),
        "not_delivered": _("Told at {at}, and not heard before its end: {text}"),
        "comment": _("Told at {at}, not heard before its end, and kept as a comment: {text}"),
    }
    state = "comment" if message["comment_id"] else message["state"]
    return said[state].format(at=stamp(message["at"]), text=message["text"])


def causes(seen: Answer) -> Iterator[Answer]:
    """Of a wakeup: when each of its causes came, what it was, and what was said with it."""
    for one in seen["context_snapshot"].get("wakes", ()):
        yield {
            "cause": word(one.get("source")),
            "at": stamp(one["at"]) if "at" in one else "",
            "said": _said(one.get("payload") or {}),
        }


def _said(payload: Answer) -> str:
    context = payload.get("context") or {}
    words = context.get("text") if isinstance(context, dict) else context
    known = (words, payload.get("decision_note"), payload.get("reason"), payload.get("error"))
    given = payload.get("variables")
    values = ", ".join(f"{name}={value}" for name, value in given.items()) if given else ""
    return next((str(one) for one in known if one), values)


def summary_lines(known: list[Answer]) -> Iterator[str]:
    """Of an agent: when each was made and after which run, and what it says."""
    for one in known:
        said = _("What it knows of “{routine}”, as of {at}, after run {run}:")
        values = {"routine": one["routine_name"], "at": stamp(one["updated_at"])}
        yield ""
        yield said.format(run=one["updated_by_run_id"][-8:], **values)
        yield from (f"  {line}".rstrip() for line in one["content"].splitlines())


def say(lines: Iterator[str]) -> None:
    for line in lines:
        click.echo(plain(line))
