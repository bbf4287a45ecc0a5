"""Sentences as pages say them: local times, words for codes, buttons in place of commands."""

import string
import time

import pytest

from roundtable_desktop.dashboard.figures import Figures
from roundtable_desktop.dashboard.telling import telling
from roundtable_desktop.phrases import SENTENCES, sentence
from roundtable_desktop.phrases.on_pages import ON_PAGES

SAY = telling(Figures("Europe/Berlin"))
BUTTONS = ("task assign", "task run", "inbox list", "roundtable resume", "proposal show")


@pytest.mark.proves("N-03 why")
def test_a_wait_ends_at_a_local_time_without_fractions() -> None:
    values = {"until": "2026-11-29T17:57:07.286547Z", "retries": 1}
    assert SAY("waits_retry", values) == "It is tried again at 29 Nov 18:57 (retry 1 of 4)."
    assert "286547" not in sentence("waits_retry", values), "programs read the values"


@pytest.mark.proves("K-61 words")
def test_an_instant_is_said_where_this_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        said = sentence("waits_limit", {"until": "2026-11-29T17:57:07.286547Z"})
        far = sentence("waits_limit", {"until": "9999-12-31T23:59:59.286547Z"})
    finally:
        monkeypatch.undo()
        time.tzset()
    assert "next try 2026-11-29 18:57:07+01:00." in said and "9999-12-31 23:59:59Z" in far


def test_a_code_among_the_values_is_said_in_words() -> None:
    assert "The agent's program was not found." in SAY(
        "task_blocked_fix_agent", {"kind": "cli_missing"}
    )
    assert SAY("task_blocked_by_question", {"action": "Which?"}) == "It waits for you: Which?"
    assert SAY("task_done", None) == sentence("task_done")


@pytest.mark.parametrize("code", SENTENCES)
def test_no_page_names_a_command_that_it_has_a_button_for(code: str) -> None:
    assert not [command for command in BUTTONS if command in SAY(code, {})]


@pytest.mark.parametrize("code", ON_PAGES)
def test_each_of_them_stands_for_a_sentence_and_takes_no_other_values(code: str) -> None:
    def names(template: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(template) if name}

    assert names(ON_PAGES[code]) <= names(SENTENCES[code])
    assert ON_PAGES[code][-1] == "."
