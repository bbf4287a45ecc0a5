"""A model server of our own: it answers as OpenAI's chat completions do, and obeys a script.

Where an agent speaks Anthropic's messages, it is answered in these (`stub_messages.py`).

The script stands in the user's newest message. A step begins anywhere in a line and goes on to the
line's end; one that stands there twice counts once, for a prompt may say a thing in two places.

    STUB-WRITE PATH TEXT      the agent's own tool writes that file: the text and a newline
    STUB-BASH COMMAND         the agent's own shell runs that
    STUB-TOOL NAME JSON       calls the tool whose name ends so, an MCP server's for example;
                              STUB-LAST in it is what the tool before answered
    STUB-429 [SECONDS]        from here on 429 for ever, with this Retry-After if there is one
    STUB-SAY TEXT             said in the last message
    STUB-REMEMBER WORD        nothing now
    STUB-RECALL               says the words that earlier messages of this conversation remember
    STUB-RESULT STATUS TEXT   the last message ends with a `roundtable-result` block

The first four happen in their order, one a request, then comes the last message. A request that
offers no tools wants a title or a summary: it gets one, whatever the script says.

To try an agent by hand: `python3 tests/agents/stub_model.py` prints its address and serves.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import stub_messages

MODEL = "stub-model"
TITLE = "A title of the stub"
INPUT_TOKENS, OUTPUT_TOKENS = 1234, 56
USAGE = {
    "prompt_tokens": INPUT_TOKENS,
    "completion_tokens": OUTPUT_TOKENS,
    "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
}
ACTS = ("WRITE", "BASH", "TOOL", "429")
STEP = re.compile(r"\bSTUB-(WRITE|BASH|TOOL|429|SAY|REMEMBER|RECALL|RESULT)\b[ \t]*(.*)")

# What agents call the tool, and what these call their arguments; the first that is offered is used.
TOOLS = {"WRITE": ("write", "write_file"), "BASH": ("bash", "run_shell_command")}
ARGUMENTS = {"path": ("filePath", "file_path"), "text": ("content",), "command": ("command",)}
FILLERS: dict[str, Any] = {"string": "stub", "boolean": False, "array": [], "object": {}}

Json = dict[str, Any]


class Step(NamedTuple):
    word: str
    rest: str


class Call(NamedTuple):
    """A tool call."""

    name: str
    arguments: Json


@dataclass(frozen=True, slots=True)
class Reply:
    """text and call: what the model says. retry_after: of a refusal, in seconds."""

    text: str = ""
    call: Call | None = None
    status: int = 200
    retry_after: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that was answered, as chat completions. at: by the monotonic clock."""

    path: str
    body: Json
    reply: Reply
    at: float = field(default_factory=time.monotonic)

    @property
    def tools(self) -> dict[str, Json]:
        return offered(self.body)

    @property
    def user_texts(self) -> list[str]:
        return [text_of(one) for one in self.body.get("messages", []) if one["role"] == "user"]


def reply_to(body: Json) -> Reply:
    tools = offered(body)
    if not tools:
        return Reply(TITLE)
    messages = body.get("messages", [])
    mine = [at for at, message in enumerate(messages) if message["role"] == "user"]
    if not mine:
        return Reply("Nobody asked me anything.")
    steps = steps_of(text_of(messages[mine[-1]]))
    acts = [step for step in steps if step.word in ACTS]
    done = sum(message["role"] == "tool" for message in messages[mine[-1] :])
    if done < len(acts):
        return act(acts[done], tools, text_of(messages[-1]).strip())
    earlier = [step for at in mine[:-1] for step in steps_of(text_of(messages[at]))]
    return Reply(last_words(steps, earlier))


def steps_of(text: str) -> list[Step]:
    found = (Step(word, rest.strip()) for word, rest in STEP.findall(text))
    return list(dict.fromkeys(found))


def act(step: Step, tools: dict[str, Json], last: str) -> Reply:
    if step.word == "429":
        return Reply(status=429, retry_after=step.rest)
    if step.word == "TOOL":
        return use(step.rest, tools, last)
    name = next((name for name in TOOLS[step.word] if name in tools), None)
    if name is None:
        return Reply(f"I have no tool for {step.word.lower()}, only {', '.join(sorted(tools))}.")
    given = {"command": step.rest}
    if step.word == "WRITE":
        path, _, text = step.rest.partition(" ")
        given = {"path": path, "text": text + "\n"}
    return Reply(f"I use {name}. ", Call(name, arguments(tools[name], given)))


def use(rest: str, tools: dict[str, Json], last: str) -> Reply:
    """Agents put a server's name before its tools', each in a way of its own."""
    wanted, _, given = rest.partition(" ")
    name = next((name for name in tools if name.endswith(wanted)), None)
    if name is None:
        return Reply(f"I have no tool {wanted}, only {', '.join(sorted(tools))}.")
    given = given.replace("STUB-LAST", json.dumps(last)[1:-1])
    return Reply(f"I use {name}. ", Call(name, json.loads(given or "{}")))


def arguments(schema: Json, given: dict[str, str]) -> Json:
    """What the tool's own schema calls them, and something dull for whatever else it demands."""
    known = schema.get("properties", {})
    made: Json = {}
    for meaning, value in given.items():
        made |= {name: value for name in ARGUMENTS[meaning] if name in known}
    for name in schema.get("required", []):
        made.setdefault(name, FILLERS.get(known.get(name, {}).get("type", "string"), 1))
    return made


def last_words(steps: list[Step], earlier: list[Step]) -> str:
    parts = []
    for step in steps:
        if step.word == "SAY":
            parts.append(step.rest)
        elif step.word == "RECALL":
            words = [one.rest for one in earlier if one.word == "REMEMBER"]
            parts.append(f"I remember {', '.join(words) or 'nothing'}.")
    parts = parts or ["That is all."]
    for step in steps:
        if step.word == "RESULT":
            status, _, summary = step.rest.partition(" ")
            result = json.dumps({"status": status, "summary": summary})
            parts.append(f"```roundtable-result\n{result}\n```")
    return "\n\n".join(parts)


def offered(body: Json) -> dict[str, Json]:
    """The tools by name, with the schema of their arguments."""
    functions = [tool.get("function", {}) for tool in body.get("tools") or []]
    return {one["name"]: one.get("parameters") or {} for one in functions if "name" in one}


def text_of(message: Json) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


def completion(reply: Reply) -> Json:
    message: Json = {"role": "assistant", "content": reply.text}
    if reply.call:
        message["tool_calls"] = [tool_call(reply.call)]
    choice = {"index": 0, "message": message, "finish_reason": finish(reply)}
    return {**heading("chat.completion"), "choices": [choice], "usage": USAGE}


def events(reply: Reply) -> Iterator[str]:
    """The same as a stream: who speaks, what is said in two parts, the call, the end, the usage."""
    half = len(reply.text) // 2
    deltas: list[Json] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": part} for part in (reply.text[:half], reply.text[half:]) if part]
    if reply.call:
        deltas.append({"tool_calls": [{"index": 0, **tool_call(reply.call)}]})
    head = heading("chat.completion.chunk")
    choices: list[Json] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": finish(reply)})
    for choice in choices:
        yield json.dumps({**head, "choices": [choice]})
    yield json.dumps({**head, "choices": [], "usage": USAGE})
    yield "[DONE]"


def heading(kind: str) -> Json:
    moment = time.time()
    return {"id": f"stub-{moment}", "object": kind, "created": int(moment), "model": MODEL}


def tool_call(call: Call) -> Json:
    function = {"name": call.name, "arguments": json.dumps(call.arguments)}
    return {"id": f"call_{time.time_ns()}", "type": "function", "function": function}


def finish(reply: Reply) -> str:
    return "tool_calls" if reply.call else "stop"


def refusal(reply: Reply) -> Json:
    when = f" Please try again in {reply.retry_after}s." if reply.retry_after else ""
    message = f"Rate limit reached for {MODEL} on tokens per min (TPM): Limit 30000.{when}"
    return {"error": {"message": message, "type": "tokens", "code": "rate_limit_exceeded"}}


class Handler(BaseHTTPRequestHandler):
    """HTTP/1.0: an answer ends with its connection, so a stream needs no chunks."""

    server: StubModel
    speaks_messages = False

    def do_GET(self) -> None:
        known = self.path.rstrip("/") == "/v1/models"
        models = {"object": "list", "data": [{"id": MODEL, "object": "model"}]}
        self.answer_json(200 if known else 404, models if known else {})

    def do_HEAD(self) -> None:
        self.begin(200, "text/plain")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        path = urlsplit(self.path).path
        known = path in ("/v1/chat/completions", stub_messages.PATH)
        self.speaks_messages = path == stub_messages.PATH
        asked = stub_messages.as_chat(body) if self.speaks_messages else body
        reply = reply_to(asked) if known else Reply(status=404)
        self.server.record(Seen(path, asked, reply))
        if reply.status == 429:
            self.answer_json(429, self.refusal(reply), reply.retry_after)
        elif reply.status != 200:
            self.answer_json(reply.status, {})
        else:
            self.answer(reply, stream=bool(body.get("stream")))

    def refusal(self, reply: Reply) -> Json:
        told = refusal(reply)
        return stub_messages.refusal(told["error"]["message"]) if self.speaks_messages else told

    def answer(self, reply: Reply, stream: bool) -> None:
        whole = completion(reply)
        lines = (f"data: {event}\n\n" for event in events(reply))
        if self.speaks_messages:
            whole = stub_messages.message(reply, MODEL, (INPUT_TOKENS, OUTPUT_TOKENS))
            lines = stub_messages.events(whole)
        if not stream:
            return self.answer_json(200, whole)
        self.begin(200, "text/event-stream")
        for line in lines:
            self.wfile.write(line.encode())

    def answer_json(self, status: int, value: Json, retry_after: str = "") -> None:
        self.begin(status, "application/json", retry_after)
        self.wfile.write(json.dumps(value).encode())

    def begin(self, status: int, kind: str, retry_after: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


class StubModel(ThreadingHTTPServer):
    """Serves on loopback while it is entered, and keeps all that it was asked."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self._seen: list[Seen] = []
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> StubModel:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def record(self, seen: Seen) -> None:
        with self._news:
            self._seen.append(seen)
            self._news.notify_all()

    def asked(self) -> list[Seen]:
        """The conversation's own requests; those for titles and summaries are left out."""
        with self._news:
            return [seen for seen in self._seen if seen.tools]

    def wait(self, count: int, seconds: float) -> list[Seen]:
        """Those requests, once there are so many of them; after the time, those there are."""
        with self._news:
            self._news.wait_for(lambda: len(self.asked()) >= count, seconds)
            return self.asked()

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # who hung up wants no answer
            super().handle_error(request, client_address)


if __name__ == "__main__":
    with StubModel(int(sys.argv[1]) if sys.argv[1:] else 0) as stub:
        print(f"{stub.url}/v1", flush=True)
        threading.Event().wait()
