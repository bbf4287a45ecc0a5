"""What a tool is, and how one call of it goes, whatever the agent sends."""

import inspect
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from roundtable_desktop.mcp.desk import AgentDesk
from roundtable_desktop.model.callers import Holder
from roundtable_desktop.model.errors import Broken, Refused
from roundtable_desktop.model.misfits import misfits
from roundtable_desktop.phrases import sentence
from roundtable_desktop.phrases.misfits import unfit

log = logging.getLogger(__name__)


class Arguments(BaseModel):
    """Unknown ones are refused and nothing is coerced: the SDK would accept both in silence."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class Call:
    """In whose name, and under which key, something is asked of the desk."""

    desk: AgentDesk
    holder: Holder
    key: str | None


Given = TypeVar("Given", bound=BaseModel)
Act = Callable[[Call, Given], Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Tool:
    """description: what the agent's model reads. reads: it changes nothing. keeps: what it is
    given and does not take is kept with the run."""

    name: str
    description: str
    arguments: type[BaseModel]
    act: Act[Any]
    reads: bool
    keeps: bool

    def schema(self) -> dict[str, Any]:
        schema = self.arguments.model_json_schema()
        schema.pop("description", None)  # a class's docstring is for us, not for a model
        return _untitled(schema)


def tool(
    arguments: type[Given], *, reads: bool = False, keeps: bool = False
) -> Callable[[Act[Given]], Tool]:
    """Makes a tool of a function: its name is the tool's, its docstring is for the model."""

    def declare(act: Act[Given]) -> Tool:
        return Tool(act.__name__, inspect.getdoc(act) or "", arguments, act, reads, keeps)

    return declare


def _untitled(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Without the title that pydantic makes of every name: whatever an agent's model is asked, it
    reads all of this again. A tool may well have an argument of that name."""
    kept = {word: value for word, value in schema.items() if word != "title"}
    for word in ("properties", "$defs"):
        if word in kept:
            kept[word] = {name: _untitled(one) for name, one in kept[word].items()}
    if "items" in kept:
        kept["items"] = _untitled(kept["items"])
    if "anyOf" in kept:
        kept["anyOf"] = [_untitled(one) for one in kept["anyOf"]]
    return kept


@dataclass(frozen=True, slots=True)
class Told:
    """What the agent gets to read. text: `body` as JSON, or the refusal in words."""

    body: Mapping[str, object]
    text: str
    refused: bool = False


def perform(tool: Tool, call: Call, arguments: Mapping[str, object]) -> Told:
    """Never raises: an agent can do something with a sentence, and nothing with a cut."""
    told = _performed(tool, call, arguments)
    if told.refused and tool.keeps:
        _keep(call, arguments)
    return told


def refusal_of(code: str) -> Told:
    return _refused(code, {}, [])


def _keep(call: Call, arguments: Mapping[str, object]) -> None:
    """A report that does not fit counts as none, and a person may want to read it (C-103)."""
    try:
        call.desk.keep_refused(call.holder, json.dumps(arguments, ensure_ascii=False))
    except Exception:
        log.exception("refused report not kept run=%s", call.holder.run_id)


def _performed(tool: Tool, call: Call, arguments: Mapping[str, object]) -> Told:
    try:
        given = tool.arguments.model_validate(arguments)
    except ValidationError as error:
        return _refused("bad_arguments", {}, _faults(error, arguments))
    try:
        call.desk.check_may(call.holder, tool.name)
        body = _with_notice(call, tool.act(call, given))
        return Told(body, json.dumps(body, ensure_ascii=False))
    except Refused as refused:
        if isinstance(refused, Broken):
            log.error("%s tool=%s run=%s", refused.code, tool.name, call.holder.run_id)
        return _refused(refused.code, refused.values, [(refused.pointer, "")])
    except Exception:
        log.exception("internal tool=%s run=%s", tool.name, call.holder.run_id)
        return _refused("tool_failed", {}, [])


def _with_notice(call: Call, body: Mapping[str, object]) -> Mapping[str, object]:
    """What was done is done: an agent that was refused for want of a notice would do it again."""
    try:
        notice = call.desk.notice(call.holder)
    except Exception:
        log.exception("no notice run=%s", call.holder.run_id)
        return body
    return {**body, "notice": notice} if notice else body


def _faults(error: ValidationError, given: object) -> list[tuple[str, str]]:
    return [(one.pointer, unfit(one.code, one.values)) for one in misfits(error, given)]


def _refused(code: str, values: Mapping[str, object], faults: list[tuple[str, str]]) -> Told:
    message = sentence(code, values)
    shown = [
        {"pointer": pointer, "message": text or message} for pointer, text in faults if pointer
    ]
    lines = [f"{code}: {message}", *(f"{fault['pointer']}: {fault['message']}" for fault in shown)]
    body = {"code": code, "message": message, "errors": shown}
    return Told(body, "\n".join(lines), refused=True)
