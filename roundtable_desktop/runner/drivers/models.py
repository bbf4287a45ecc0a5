"""Finds out how an ACP agent is told which model to use, from what its session offers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from roundtable_desktop.model.states import ErrorKind
from roundtable_desktop.runner.agent import StartFailed
from roundtable_desktop.runner.wire import text, words

OFFERED = 20
"""Models that are named to who asked for another one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """option: the id of a config option; "" where the agent knows models only the older way.
    offered: what it takes, each with the name that it shows."""

    option: str
    current: str
    offered: tuple[tuple[str, str], ...]

    def request(self, session: str, value: str) -> tuple[str, Mapping[str, object]]:
        if self.option:
            asked = {"sessionId": session, "configId": self.option, "value": value}
            return "session/set_config_option", asked
        return "session/set_model", {"sessionId": session, "modelId": value}


def choice_of(opened: Mapping[str, Any]) -> Choice | None:
    """From the answer to session/new or session/load; None when it lets nobody choose."""
    for option in map(words, _list(opened.get("configOptions"))):
        if "model" in (option.get("category"), option.get("id")):
            offered = tuple(_values(option.get("options"), "value"))
            return Choice(text(option.get("id")), text(option.get("currentValue")), offered)
    models = words(opened.get("models"))
    offered = tuple(_values(models.get("availableModels"), "modelId"))
    return Choice("", text(models.get("currentModelId")), offered) if offered else None


def value_of(choice: Choice | None, model: str) -> str:
    """What to send for `model`, which is a value or the only one of that name. Raises StartFailed:
    no other model is used in its place."""
    if choice is None:
        raise StartFailed(
            ErrorKind.MODEL_UNAVAILABLE,
            f"it cannot be told to use the model {model}: it offers no choice of models",
        )
    values = [value for value, _ in choice.offered]
    called = [value for value, name in choice.offered if name == model]
    if model in values:
        return model
    if len(called) == 1:
        return called[0]
    more = ", …" if len(values) > OFFERED else ""
    raise StartFailed(
        ErrorKind.MODEL_UNAVAILABLE,
        f"it does not offer the model {model}; it offers {', '.join(values[:OFFERED])}{more}",
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _values(options: object, key: str) -> Iterator[tuple[str, str]]:
    """Options may stand in groups, one deep."""
    for option in map(words, _list(options)):
        for one in map(words, _list(option.get("options")) or [option]):
            if value := text(one.get(key)):
                yield value, text(one.get("name"))
