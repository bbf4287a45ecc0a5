"""Hands each test a model server of its own, and opencode pointed at it."""

import os
from collections.abc import Iterator
from pathlib import Path

import opencode
import pytest
from living_home import LivingHome
from opencode import Settings
from stub_model import StubModel


def pytest_collection_modifyitems() -> None:
    if not os.environ.get(opencode.PROGRAM):
        raise pytest.UsageError("run these tests by `python3 packaging/dev.py agents`")


@pytest.fixture
def stub() -> Iterator[StubModel]:
    with StubModel() as server:
        yield server


@pytest.fixture
def opencode_command() -> list[str]:
    return opencode.command()


@pytest.fixture
def opencode_env(tmp_path: Path, stub: StubModel) -> Settings:
    """Makes what is added to the agent's environment; its home is the same at each call."""
    home = tmp_path / "agent-home"
    home.mkdir()

    def settings(
        *, edit: str = "allow", bash: str = "allow", servers: opencode.Json | None = None
    ) -> dict[str, str]:
        return opencode.settings(stub.url, home, edit=edit, bash=bash, servers=servers)

    return settings


@pytest.fixture
def home(tmp_path: Path) -> Iterator[LivingHome]:
    """A running owner with one repository; at the end nothing of it is left."""
    home = LivingHome(tmp_path)
    try:
        home.begin()
        yield home
    finally:
        home.close()
