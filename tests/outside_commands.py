"""The command line in this process, with a note of each route that it asked."""

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

import click
import pytest
from click.testing import CliRunner
from outside_house import House

from roundtable_desktop.cli.client import Client
from roundtable_desktop.cli.main import cli

ESCAPE = "\x1b"


def commands(
    group: click.Group = cli, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that does something, with its words."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        else:
            yield (*words, name), command


class Commands:
    """said("task", "list"): what the command prints; it must go well. asked: the routes, as the
    description spells them."""

    def __init__(self, house: House, patch: pytest.MonkeyPatch) -> None:
        self.house = house
        self.used: set[tuple[str, ...]] = set()
        self.asked: set[tuple[str, str]] = set()
        self.routes = {
            (method.upper(), path): re.compile(re.sub(r"\{\w+\}", "[^/]+", path))
            for path, methods in house.get("/openapi.json")["paths"].items()
            for method in methods
        }
        real = Client._opened

        def noting(client: Client, method: str, path: str, *more: Any) -> Any:
            self._note(method, path)
            return real(client, method, path, *more)

        patch.setattr(Client, "_opened", noting)

    def _note(self, method: str, path: str) -> None:
        whole = path if path.startswith("/api/") else f"/api/v1{path}"
        bare = whole.partition("?")[0]
        fitting = [
            route for route, form in self.routes.items() if route[0] == method
            and form.fullmatch(bare)
        ]  # fmt: skip
        # A part of a path may be spelt like an id: the route with fewer open parts is meant.
        self.asked.add(min(fitting, key=lambda route: route[1].count("{")))

    def done(self, *words: str, code: int | None = 0) -> str:
        """code: that it ends with; None: any."""
        command: click.Command = cli
        named: list[str] = []
        for word in words:
            if not isinstance(command, click.Group) or word not in command.commands:
                break
            command = command.commands[word]
            named.append(word)
        self.used.add(tuple(named))
        given = ["--home", str(self.house.home), *words]
        with contextlib.chdir(self.house.root):
            ended = CliRunner().invoke(cli, given, env=self.house.env)
        assert code in (None, ended.exit_code), (words, ended.output, ended.exception)
        assert ESCAPE not in ended.output, words
        return str(ended.output)

    def json(self, *words: str) -> Any:
        return json.loads(self.done(*words, "--json"))

    def both(self, *words: str) -> Any:
        """A reader: a table or lines for people, JSON for programs."""
        assert self.done(*words).strip(), words
        return self.json(*words)
