"""The stub says and does what its script asks, also where opencode would not show it."""

import json
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest
from stub_model import TITLE, StubModel, reply_to

pytestmark = pytest.mark.agents

Json = dict[str, Any]


def tool(name: str, *required: str) -> Json:
    properties = {one: {"type": "string"} for one in required}
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TOOLS = [tool("write", "filePath", "content"), tool("bash", "command", "description")]


def conversation(*texts: str, **more: Any) -> Json:
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]} for text in texts]
    return {"messages": messages, "tools": TOOLS, **more}


def post(stub: StubModel, body: Json, path: str = "/v1/chat/completions") -> HTTPResponse:
    connection = HTTPConnection(stub.url.removeprefix("http://"), timeout=30)
    connection.request("POST", path, json.dumps(body))
    return connection.getresponse()


def test_acts_come_in_their_order_and_once_each() -> None:
    script = "STUB-WRITE a/b.txt two words\nin between\nSTUB-BASH ls\nSTUB-WRITE a/b.txt two words"
    body = conversation(script)
    first = reply_to(body).call
    assert first == ("write", {"filePath": "a/b.txt", "content": "two words\n"})
    body["messages"] += [{"role": "assistant"}, {"role": "tool", "content": "STUB-SAY no"}]
    assert reply_to(body).call == ("bash", {"command": "ls", "description": "stub"})
    body["messages"] += [{"role": "assistant"}, {"role": "tool", "content": ""}]
    assert reply_to(body).text == "That is all."
    body["messages"] += conversation("Only this counts now.")["messages"]
    assert reply_to(body).text == "That is all."


def test_a_tool_that_is_not_offered_is_named() -> None:
    body = conversation("STUB-BASH ls", tools=TOOLS[:1])
    assert reply_to(body).text == "I have no tool for bash, only write."


def test_a_tool_is_found_by_the_end_of_its_name() -> None:
    script = 'STUB-TOOL task_get\nSTUB-TOOL task_result {"summary": "It: STUB-LAST"}'
    body = conversation(script, tools=[*TOOLS, tool("server_task_result"), tool("x_task_get")])
    assert reply_to(body).call == ("x_task_get", {})
    body["messages"].append({"role": "tool", "content": 'a "b"\n'})
    assert reply_to(body).call == ("server_task_result", {"summary": 'It: a "b"'})
    missing = conversation("STUB-TOOL task_get {}", tools=TOOLS)
    assert reply_to(missing).text == "I have no tool task_get, only bash, write."


def test_it_recalls_what_earlier_messages_held_and_only_these() -> None:
    asked = "STUB-REMEMBER late STUB"
    assert reply_to(conversation(asked, "STUB-RECALL")).text == "I remember late STUB."
    assert reply_to(conversation(f"{asked}\nSTUB-RECALL")).text == "I remember nothing."


def test_a_request_without_tools_gets_a_title(stub: StubModel) -> None:
    answer = json.load(post(stub, {**conversation("STUB-429"), "tools": []}))
    assert answer["choices"][0]["message"]["content"] == TITLE
    assert answer["usage"]["total_tokens"] == 1290
    assert stub.asked() == []


@pytest.mark.parametrize(("step", "header"), [("STUB-429", None), ("STUB-429 7", "7")])
def test_a_refusal_says_when_to_come_again_if_it_was_told(
    stub: StubModel, step: str, header: str | None
) -> None:
    answer = post(stub, conversation(step, stream=True))
    assert (answer.status, answer.headers["Retry-After"]) == (429, header)
    message = json.load(answer)["error"]["message"]
    assert ("Please try again in 7s." in message) is (header is not None)


def test_a_stream_adds_up_to_the_answer(stub: StubModel) -> None:
    lines = post(stub, conversation("STUB-SAY Good morning.", stream=True)).read().split(b"\n\n")
    assert lines[-2:] == [b"data: [DONE]", b""]
    chunks = [json.loads(line.removeprefix(b"data: ")) for line in lines[:-2]]
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    assert "".join(delta.get("content", "") for delta in deltas) == "Good morning."
    assert chunks[-1]["usage"]["completion_tokens"] == 56


def test_it_tells_its_models_and_knows_no_other_place(stub: StubModel) -> None:
    connection = HTTPConnection(stub.url.removeprefix("http://"), timeout=30)
    connection.request("GET", "/v1/models")
    assert json.load(connection.getresponse())["data"][0]["id"] == "stub-model"
    connection.request("POST", "/v1/responses", "{}")
    assert connection.getresponse().status == 404


MESSAGES = "/v1/messages?beta=true"
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}


def in_messages(*contents: list[Json] | str, **more: Any) -> Json:
    """Whose turn it is alternates; the first is a person's."""
    roles = ("user", "assistant")
    said = [{"role": roles[at % 2], "content": one} for at, one in enumerate(contents)]
    tools = [{"name": "mcp__x__note", "input_schema": SCHEMA}, {"type": "web_search_1"}]
    return {"messages": said, "tools": tools, **more}


def test_it_acts_in_messages_as_well(stub: StubModel) -> None:
    script = 'STUB-TOOL note {"text": "one"}\nSTUB-TOOL note {"text": "STUB-LAST"}\nSTUB-SAY Done.'
    reminder = {"type": "text", "text": "<system-reminder>STUB-SAY no</system-reminder>"}
    asked = in_messages([reminder, {"type": "text", "text": script}])
    for given in ("one", "kept: one"):
        answer = json.load(post(stub, asked, MESSAGES))
        *_, call = answer["content"]
        assert (call["name"], call["input"]) == ("mcp__x__note", {"text": given})
        assert answer["stop_reason"] == "tool_use"
        result = [{"type": "text", "text": f"kept: {given}"}]
        told = {"type": "tool_result", "tool_use_id": call["id"], "content": result}
        asked["messages"] += [{"role": "assistant", "content": answer["content"]}]
        asked["messages"] += [{"role": "user", "content": [told, reminder]}]
    asked["messages"] += [{"role": "user", "content": [reminder]}]
    answer = json.load(post(stub, asked, MESSAGES))
    assert [one["text"] for one in answer["content"]] == ["Done."]
    assert (answer["stop_reason"], answer["usage"]["input_tokens"]) == ("end_turn", 1234)
    assert list(stub.asked()[-1].tools) == ["mcp__x__note"]


def test_a_stream_of_messages_adds_up_to_the_answer(stub: StubModel) -> None:
    asked = in_messages('STUB-TOOL note {"text": "one"}', stream=True)
    lines = post(stub, asked, MESSAGES).read().decode().strip().split("\n\n")
    told = [json.loads(line.partition("\ndata: ")[2]) for line in lines]
    assert [line.partition("\n")[0] for line in lines] == [f"event: {one['type']}" for one in told]
    deltas = [one["delta"] for one in told if one["type"] == "content_block_delta"]
    assert deltas[0] == {"type": "text_delta", "text": "I use mcp__x__note. "}
    assert json.loads(deltas[1]["partial_json"]) == {"text": "one"}
    assert told[-2]["delta"]["stop_reason"] == "tool_use"


def test_a_refusal_in_messages_is_of_their_kind(stub: StubModel) -> None:
    answer = post(stub, in_messages("STUB-429 7"), MESSAGES)
    assert (answer.status, answer.headers["Retry-After"]) == (429, "7")
    told = json.load(answer)
    assert (told["type"], told["error"]["type"]) == ("error", "rate_limit_error")
