"""What an agent asks leave for, and who answers it."""

import time
from typing import Any

import pytest
from acp_agents import agent, prompt
from runner_bench import Bench, until

from roundtable_desktop.model.messages import Answered, Ask, Controlled, Deadline
from roundtable_desktop.model.ports import Deadlines

ALL = "'allow_always', 'allow_once', 'reject_once', 'reject_always'"
SAY = "say(json.dumps(ask('rm -rf build', {}), sort_keys=True))"


def asking(kinds: str = ALL) -> tuple[str, ...]:
    return prompt(SAY.format(kinds))


def launch(bench: Bench, policy: str, kinds: str = ALL, **changes: object) -> str:
    return bench.launch_quick(*asking(kinds), adapter="acp", permission_policy=policy, **changes)


def outcome(bench: Bench, run: str) -> str:
    bench.finish(run)
    return bench.printed(run).strip()


def chosen(option: str) -> str:
    return f'{{"optionId": "{option}", "outcome": "selected"}}'


@pytest.mark.parametrize(
    ("policy", "kinds", "option"),
    [
        ("allow", ALL, "o-allow_once"),
        ("allow", "'allow_always', 'reject_once'", "o-allow_always"),
        ("deny", ALL, "o-reject_once"),
        ("deny", "'allow_once', 'reject_always'", "o-reject_always"),
    ],
)
def test_a_rule_answers_at_once_by_kind(bench: Bench, policy: str, kinds: str, option: str) -> None:
    run = launch(bench, policy, kinds)
    assert outcome(bench, run) == chosen(option)
    [ask], [answer] = bench.of_kind(run, Ask), bench.of_kind(run, Answered)
    assert (ask.ask, ask.text) == ("1", "rm -rf build")
    assert ask.options[0].id.removeprefix("o-") == ask.options[0].kind
    assert (answer.ask, answer.option, answer.by) == ("1", option, "policy")


def test_a_rule_without_its_option_takes_none(bench: Bench) -> None:
    run = launch(bench, "allow", "'reject_once'")
    assert outcome(bench, run) == '{"outcome": "cancelled"}'
    assert bench.of_kind(run, Answered)[0].option is None


@pytest.mark.parametrize("word", ["o-allow_always", "allow_always"], ids=["id", "kind"])
def test_a_person_answers_by_id_or_by_kind(bench: Bench, word: str) -> None:
    run = launch(bench, "ask")
    ask = bench.first(run, Ask).ask
    assert _reply(bench, run, "9", word) == {"ok": False, "why": "no such question"}
    assert _reply(bench, run, ask, "maybe") == {"ok": False, "why": "no such option"}
    assert _reply(bench, run, ask, word) == {"ok": True}
    assert outcome(bench, run) == chosen("o-allow_always")
    assert [type(one) for one in bench.messages(run)[3:6]] == [Ask, Controlled, Answered]
    [answer] = bench.of_kind(run, Answered)
    assert (answer.option, answer.by) == ("o-allow_always", "person")


def test_an_answered_question_is_over(bench: Bench) -> None:
    run = bench.launch_quick(
        *prompt("ask('first', 'allow_once')", "ask('second', 'allow_once')"), adapter="acp"
    )
    assert _reply(bench, run, bench.first(run, Ask).ask, "allow_once")["ok"]
    until(lambda: len(bench.of_kind(run, Ask)) == 2)
    again = _reply(bench, run, "1", "allow_once")
    assert again == {"ok": False, "why": "no such question"}
    assert _reply(bench, run, "2", "allow_once")["ok"]
    bench.finish(run)


@pytest.mark.slow
def test_a_question_that_nobody_answers_is_rejected(bench: Bench) -> None:
    limits = Deadlines(silent=60, silence_limit=60, soft=60, hard=60, ask=0.5)
    run = launch(bench, "ask", deadlines=limits)
    assert outcome(bench, run) == chosen("o-reject_once")
    assert bench.of_kind(run, Answered)[0].by == "deadline"


@pytest.mark.slow
@pytest.mark.proves("A-22")
def test_the_clocks_stand_still_while_a_person_is_asked(bench: Bench) -> None:
    limits = Deadlines(silent=1.5, silence_limit=2, soft=2, hard=2.5, ask=60)
    run = launch(bench, "ask", deadlines=limits)
    bench.first(run, Ask)
    time.sleep(3)
    assert _reply(bench, run, "1", "reject_once")["ok"]
    assert bench.finish(run).why == "exited"
    assert bench.of_kind(run, Deadline) == []


def test_a_cancel_ends_an_open_question(bench: Bench) -> None:
    run = launch(bench, "ask")
    bench.first(run, Ask)
    bench.runners.control(run, {"do": "cancel"})
    assert outcome(bench, run) == '{"outcome": "cancelled"}'
    [answer] = bench.of_kind(run, Answered)
    assert (answer.option, answer.by) == (None, "end")


@pytest.mark.slow
def test_a_question_of_an_agent_that_goes_is_ended(bench: Bench) -> None:
    does = (
        "def prompt(t, n):\n    import threading\n    threading.Timer(.5, os._exit, [4]).start()\n"
    )
    run = bench.launch_quick(*agent(does + "    ask('may I', 'allow_once')\n"), adapter="acp")
    assert bench.finish(run).exit_code == 4
    assert bench.of_kind(run, Answered)[0].by == "end"


def test_a_strange_question_is_a_question(bench: Bench) -> None:
    does = (
        "def prompt(text, turn):\n"
        "    for n, params in enumerate([{}, {'options': 'x', 'toolCall': 3},\n"
        "            {'options': [7, {'kind': 'allow_once', 'optionId': 5}] * 20}]):\n"
        "        send(id=f'q{n}', method='session/request_permission', params=params)\n"
        "        say(read()['result']['outcome']['outcome'] + '\\n')\n"
    )
    run = bench.launch_quick(*agent(does), adapter="acp", permission_policy="allow")
    assert outcome(bench, run) == "cancelled\ncancelled\nselected"


def test_a_command_is_part_of_the_question(bench: Bench) -> None:
    does = (
        "def prompt(text, turn):\n"
        "    call = {'title': 'Run', 'rawInput': {'command': 'make all'}}\n"
        "    send(id=1, method='session/request_permission', params={'toolCall': call}); read()\n"
    )
    run = bench.launch_quick(*agent(does), adapter="acp", permission_policy="deny")
    bench.finish(run)
    assert bench.of_kind(run, Ask)[0].text == "Run\nmake all"


TOOL = {"title": "mcp__roundtable__task_list", "kind": "other", "rawInput": {}}
ANSWERED = (
    "def prompt(text, turn):\n"
    "    options = [{{'optionId': 'yes', 'kind': 'allow_once'}}]\n"
    "    params = {{'toolCall': {call!r}, 'options': options}}\n"
    "    send(id=1, method='session/request_permission', params=params)\n"
    "    say(str(read()['result']['outcome'].get('optionId')))\n"
)


@pytest.mark.proves("D-08 adapters", "R-21")
@pytest.mark.parametrize("policy", ["ask", "deny"])
def test_nobody_is_asked_about_the_tools_that_the_run_itself_gave(
    bench: Bench, policy: str
) -> None:
    does = agent(ANSWERED.format(call=TOOL))
    words = {"adapter": "acp", "permission_policy": policy, "bridge": ("bridge",)}
    run = bench.launch_quick(*does, **words)
    assert outcome(bench, run) == "yes"
    assert bench.of_kind(run, Ask) == bench.of_kind(run, Answered) == []


@pytest.mark.parametrize(
    "change",
    [
        {"title": "mcp__roundtable__task_list; rm -rf build"},
        {"title": "mcp__other__task_list"},
        {"title": "mcp__roundtable__"},
        {"title": 7},
        {"kind": "execute"},
        {"kind": None},
        {"rawInput": {"command": "mcp__roundtable__task_list"}},
        {},
    ],
    ids=str,
)
def test_what_only_looks_like_one_of_them_is_a_question(bench: Bench, change: Any) -> None:
    does = agent(ANSWERED.format(call=TOOL | change))
    given = ("bridge",) if change else ()  # without one there are none
    run = bench.launch_quick(*does, adapter="acp", permission_policy="deny", bridge=given)
    assert outcome(bench, run) == "None"
    assert len(bench.of_kind(run, Ask)) == len(bench.of_kind(run, Answered)) == 1


def _reply(bench: Bench, run: str, ask: str, option: str) -> object:
    return bench.runners.control(run, {"do": "reply", "ask": ask, "option": option})
