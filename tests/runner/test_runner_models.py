"""How an ACP agent is told its model, and that it is never another one in silence."""

import json

import pytest
from acp_agents import agent
from runner_bench import PYTHON, Bench

from roundtable_desktop.model.messages import SessionOpened
from roundtable_desktop.model.states import ErrorKind
from roundtable_desktop.runner.agent import StartFailed
from roundtable_desktop.runner.drivers.models import choice_of, value_of

# Each defines SET (the method), and `offer(current)`, what the session's answers hold.
OPTIONS = """
SET = 'session/set_config_option'
def offer(now):
    some = [{'value': 'small-1', 'name': 'Small'}, {'value': 'large-1', 'name': 'Large'}]
    group = [{'group': 'all', 'name': 'All', 'options': some}]
    return {'configOptions': [
        {'id': 'mode', 'category': 'mode', 'type': 'select', 'currentValue': 'a', 'options': []},
        {'id': 'm', 'category': 'model', 'type': 'select', 'currentValue': now, 'options': group},
    ]}
"""
OLDER = """
SET = 'session/set_model'
def offer(now):
    some = [{'modelId': 'small-1', 'name': 'Small'}, {'modelId': 'large-1', 'name': 'Large'}]
    return {'models': {'currentModelId': now, 'availableModels': some}}
"""
TELLS = """
now, told = 'small-1', []
def new(p): return {'sessionId': S, **offer(now)}
def load(p): return offer(now)
def choose(p):
    global now
    told.append(p)
    if REFUSES: return {'error': {'code': -32602, 'message': 'no such model'}}
    now = now if STAYS else p.get('value') or p.get('modelId')
    return offer(now) if SET == 'session/set_config_option' else {}
def prompt(text, turn):
    say(now + ' ' + json.dumps(told)); report()
"""


def speaks(way: str, *, refuses: bool = False, stays: bool = False, more: str = "") -> list[str]:
    does = way + TELLS + f"REFUSES, STAYS = {refuses}, {stays}\n" + more
    program = list(agent(does))
    program[-1] = program[-1].replace("}[method](params)", ", SET: choose}[method](params)")
    return program


def told(bench: Bench, run: str) -> tuple[str, list[dict[str, str]]]:
    now, _, rest = bench.printed(run).splitlines()[0].partition(" ")
    return now, json.loads(rest)


@pytest.mark.proves("K-45")
@pytest.mark.parametrize("asked", ["large-1", "Large"])
@pytest.mark.parametrize(
    ("way", "said"),
    [
        (OPTIONS, {"configId": "m", "value": "large-1"}),
        (OLDER, {"modelId": "large-1"}),
    ],
    ids=["options", "older"],
)
def test_the_session_is_told_before_its_first_prompt(
    bench: Bench, way: str, said: dict[str, str], asked: str
) -> None:
    run = bench.launch_quick(*speaks(way), adapter="acp", model=asked)
    assert bench.finish(run).error is None
    assert told(bench, run) == ("large-1", [{"sessionId": "s1", **said}])


@pytest.mark.parametrize("model", ["small-1", None])
def test_what_it_uses_already_or_nobody_names_is_not_asked_for(
    bench: Bench, model: str | None
) -> None:
    run = bench.launch_quick(*speaks(OPTIONS), adapter="acp", model=model)
    bench.finish(run)
    assert told(bench, run) == ("small-1", [])


@pytest.mark.proves("K-45")
@pytest.mark.parametrize(
    ("program", "why"),
    [
        (speaks(OPTIONS), "does not offer the model giant; it offers small-1, large-1"),
        (speaks(OLDER), "does not offer the model giant"),
        (agent("def prompt(text, turn): report()\n"), "offers no choice of models"),
    ],
    ids=["options", "older", "none"],
)
def test_a_model_that_it_has_not_got_ends_the_run_before_any_prompt(
    bench: Bench, program: list[str], why: str
) -> None:
    run = bench.launch_quick(*program, adapter="acp", model="giant")
    end = bench.finish(run)
    assert end.error and end.error.kind == "model_unavailable" and why in end.error.text
    assert bench.printed(run) == ""


@pytest.mark.proves("K-45")
@pytest.mark.parametrize(
    ("program", "why"),
    [
        (speaks(OPTIONS, refuses=True), "no such model"),
        (speaks(OPTIONS, stays=True), "it goes on with small-1"),
    ],
    ids=["refuses", "stays"],
)
def test_an_agent_that_does_not_take_it_does_not_work_with_another(
    bench: Bench, program: list[str], why: str
) -> None:
    end = bench.finish(bench.launch_quick(*program, adapter="acp", model="large-1"))
    assert end.error and end.error.kind == "model_unavailable" and why in end.error.text


@pytest.mark.proves("K-45", "K-48")
def test_a_loaded_session_that_cannot_be_told_gives_way_to_a_new_one(bench: Bench) -> None:
    program = speaks(OPTIONS, more="def load(p): return {}\n")
    run = bench.launch_quick(*program, adapter="acp", model="large-1", session="s0")
    assert bench.finish(run).error is None
    [opened] = bench.of_kind(run, SessionOpened)
    assert not opened.loaded and "no choice of models" in opened.note
    assert told(bench, run)[0] == "large-1"


@pytest.mark.proves("K-45")
def test_a_command_that_names_the_model_itself_is_believed(bench: Bench) -> None:
    program = [*agent("def prompt(text, turn): say(sys.argv[1]); report()\n"), "{model}"]
    run = bench.launch_quick(*program, adapter="acp", model="large-1")
    assert bench.finish(run).error is None
    assert bench.printed(run).startswith("large-1")


@pytest.mark.proves("K-45")
def test_a_plain_command_is_told_in_its_arguments_and_its_environment(bench: Bench) -> None:
    says = "import os, sys; print(sys.argv[1], os.environ['ROUNDTABLE_MODEL'])"
    run = bench.launch_quick(*PYTHON, says, "--model={model}", model="large-1")
    assert bench.finish(run).exit_code == 0
    assert bench.printed(run) == "--model=large-1 large-1\n"


def _option(**words: object) -> dict[str, object]:
    return {"id": "model", "name": "Model", "category": "model", "type": "select", **words}


RECORDED = {
    "opencode": {
        "configOptions": [
            _option(
                currentValue="stub/stub-model",
                options=[
                    {"value": "stub/stub-small", "name": "Stub/S"},
                    {"value": "stub/stub-model", "name": "Stub/Stub"},
                ],
            )
        ]
    },
    "qwen": {
        "models": {
            "currentModelId": "$runtime|openai|stub-model(openai)",
            "availableModels": [{"modelId": "coder-model(qwen-oauth)", "name": "coder-model"}],
        },
        "configOptions": [
            _option(
                currentValue="$runtime|openai|stub-model(openai)",
                options=[
                    {"value": "coder-model(qwen-oauth)", "name": "coder-model"},
                    {"value": "$runtime|openai|stub-model(openai)", "name": "stub-model"},
                ],
            )
        ],
    },
}


@pytest.mark.proves("K-45")
@pytest.mark.parametrize("who", RECORDED)
def test_what_real_agents_offer_is_understood(who: str) -> None:
    choice = choice_of(RECORDED[who])
    assert choice is not None and choice.option == "model" and len(choice.offered) == 2
    for value, name in choice.offered:
        assert value_of(choice, value) == value_of(choice, name) == value
    with pytest.raises(StartFailed) as refused:
        value_of(choice, "giant")
    assert refused.value.kind is ErrorKind.MODEL_UNAVAILABLE


@pytest.mark.parametrize(
    "hostile",
    [
        {"configOptions": "no", "models": []},
        {"configOptions": [7, None, {"category": "model", "options": {"value": 1}}]},
        {"models": {"availableModels": [{"modelId": 7}, "x"]}},
        {"configOptions": [{"id": ["x"], "category": {}, "options": [[]]}]},
    ],
    ids=str,
)
def test_nonsense_offers_nothing(hostile: dict[str, object]) -> None:
    with pytest.raises(StartFailed):
        value_of(choice_of(hostile), "large-1")
