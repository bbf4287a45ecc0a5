"""The conformance suite of the protocol's own makers, against a running owner's `/mcp`.

Its scenarios for servers are written for a sample server that offers all that the protocol has.
Which apply to ours stands here, and why the others do not.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest
from bearer_proxy import BearerProxy
from outside_house import started
from outside_talk import Stalls

pytestmark = [pytest.mark.agents, pytest.mark.timeout(300)]

SUITE = "ROUNDTABLE_CONFORMANCE"  # set by `dev.py agents`
ON_NODE_20 = Path(__file__).with_name("suite_on_node_20.mjs")
SUITE_LIMIT = 240.0

BEFORE = ("2025-06-18", "2025-11-25")
STATELESS = ("2026-07-28",)
VERSIONS = (*BEFORE, *STATELESS)

SAMPLE = "it calls a tool of the sample server"
ONLY_TOOLS = "we offer tools, and neither prompts, resources, completions nor logging"
NO_ASKING = "we ask an agent's client nothing: no sampling, elicitation or roots"
NO_STREAM = "we open no stream and no session: each POST gets one JSON answer"
NO_HEADERS = "none of our tools wants its arguments in headers"
NO_EXTENSION = "it is of an extension that we do not offer"


class Applies(NamedTuple):
    """without: the checks of it that do not apply, each with the reason."""

    versions: tuple[str, ...] = VERSIONS
    without: Mapping[str, str] = MappingProxyType({})


APPLY = {
    "server-initialize": Applies(BEFORE),
    "ping": Applies(BEFORE),
    "tools-list": Applies(),
    "dns-rebinding-protection": Applies(("2025-11-25", *STATELESS)),
    "server-sse-multiple-streams": Applies(STATELESS),
    "http-header-validation": Applies(STATELESS),
    "server-stateless": Applies(
        STATELESS,
        {
            "sep-2575-server-rejects-undeclared-capability": SAMPLE,
            "sep-2575-missing-capability-http-400": SAMPLE,
            "sep-2575-http-server-no-independent-requests-on-stream": SAMPLE,
            "sep-2575-server-no-log-without-loglevel": SAMPLE,
        },
    ),
    "caching": Applies(
        STATELESS,
        {
            "sep-2549-prompts-list-caching-hints": ONLY_TOOLS,
            "sep-2549-resources-list-caching-hints": ONLY_TOOLS,
            "sep-2549-resources-templates-list-caching-hints": ONLY_TOOLS,
        },
    ),
    "input-required-result-unsupported-methods": Applies(STATELESS),
}

OTHERS = {
    **dict.fromkeys(
        (
            *("tools-call-simple-text", "tools-call-image", "tools-call-audio"),
            *("tools-call-embedded-resource", "tools-call-mixed-content", "tools-call-error"),
            *("tools-call-with-progress", "json-schema-2020-12"),
        ),
        SAMPLE,
    ),
    **dict.fromkeys(
        (
            *("logging-set-level", "tools-call-with-logging", "completion-complete"),
            *("resources-list", "resources-read-text", "resources-read-binary"),
            *("resources-templates-read", "resources-subscribe", "resources-unsubscribe"),
            *("sep-2164-resource-not-found", "prompts-list", "prompts-get-simple"),
            *("prompts-get-with-args", "prompts-get-embedded-resource", "prompts-get-with-image"),
        ),
        ONLY_TOOLS,
    ),
    **dict.fromkeys(
        (
            *("tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults"),
            *("elicitation-sep1330-enums", "input-required-result-basic-elicitation"),
            *("input-required-result-basic-sampling", "input-required-result-basic-list-roots"),
            *("input-required-result-request-state", "input-required-result-multi-round"),
            *("input-required-result-multiple-input-requests", "input-required-result-result-type"),
            *("input-required-result-missing-input-response",),
            *("input-required-result-non-tool-request", "input-required-result-tampered-state"),
            *("input-required-result-capability-check", "input-required-result-validate-input"),
            *("input-required-result-ignore-extra-params",),
        ),
        NO_ASKING,
    ),
    **dict.fromkeys(("server-session-lifecycle", "server-sse-polling"), NO_STREAM),
    **dict.fromkeys(("http-custom-header-server-validation",), NO_HEADERS),
    **dict.fromkeys(
        (
            *("sep-2640-skills-directory", "sep-2640-skills-enumeration"),
            *("sep-2640-skills-manifest", "tasks-lifecycle", "tasks-capability-negotiation"),
            *("tasks-wire-fields", "tasks-request-state-removal", "tasks-mrtr-input"),
            *("tasks-request-headers", "tasks-dispatch-and-envelope", "tasks-required-task-error"),
            *("tasks-status-notifications", "tasks-mrtr-composition"),
        ),
        NO_EXTENSION,
    ),
}

WIRE = "wire-schema-valid"
"""The check that each scenario ends with: all that we said fits the protocol's schema."""


def suite(*words: str, at: Path) -> str:
    """What it prints; its exit code counts the scenarios that do not apply as well."""
    command = ["node", "--import", str(ON_NODE_20), os.environ[SUITE], *words]
    done = subprocess.run(command, cwd=at, capture_output=True, text=True, timeout=SUITE_LIMIT)
    assert done.stdout, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a proxy that has the token of a live run: the suite sends none."""
    folder = tmp_path_factory.mktemp("conformance")
    with started(folder) as house:
        room = house.room()
        stalls = Stalls(room, folder / "stalls")
        seat = stalls.seat(room.task("Be looked at", stalls.agent()))
        with BearerProxy(house.address, seat.token) as proxy:
            yield proxy.url
        seat.leave("Done.")


def test_every_scenario_is_one_that_applies_or_has_a_reason(tmp_path: Path) -> None:
    known = re.findall(r"^ +- ([a-z0-9-]+)", suite("list", "--server", at=tmp_path), re.MULTILINE)
    assert sorted(known) == sorted([*APPLY, *OTHERS])


@pytest.mark.proves("R-21", "C-109")
@pytest.mark.parametrize("version", VERSIONS)
def test_what_applies_passes(address: str, tmp_path: Path, version: str) -> None:
    words = ("--url", address, "--suite", "all", "--spec-version", version)
    printed = suite("server", *words, "--output-dir", str(tmp_path / "told"), at=tmp_path)
    found = {scenario_of(path): json.loads(path.read_text()) for path in told_in(tmp_path)}
    wanted = {name: one for name, one in APPLY.items() if version in one.versions}
    assert wanted.keys() <= found.keys() <= APPLY.keys() | OTHERS.keys(), printed[-3000:]
    for name, one in wanted.items():
        assert [check for check in found[name] if check["status"] == "SUCCESS"], name
        amiss = [check for check in found[name] if check["status"] in ("FAILURE", "WARNING")]
        assert {check["id"] for check in amiss} == one.without.keys(), amiss
    wire = [check for checks in found.values() for check in checks if check["id"] == WIRE]
    assert len(wire) > len(found) / 2
    assert [check for check in wire if check["status"] != "SUCCESS"] == []


def told_in(folder: Path) -> Iterator[Path]:
    return (folder / "told").glob("*/checks.json")


def scenario_of(path: Path) -> str:
    named = re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z", path.parent.name)
    assert named, path
    return named[1]
