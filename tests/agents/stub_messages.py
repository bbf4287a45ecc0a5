"""The stub's second tongue: Anthropic's messages, turned into chat completions and back."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stub_model import Reply

PATH = "/v1/messages"
REMINDER = "<system-reminder>"

Json = dict[str, Any]


def as_chat(body: Json) -> Json:
    """The request in the stub's first tongue: messages and tools. What the agent's program puts in
    a person's mouth by itself is left out, or it would be the newest thing that was said."""
    messages: list[Json] = []
    for message in body.get("messages", []):
        content = message.get("content") or ""
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        results = [part for part in parts if part.get("type") == "tool_result"]
        texts = [part for part in parts if part.get("type") == "text"]
        if message["role"] == "user" and not results:
            texts = [part for part in texts if not part["text"].lstrip().startswith(REMINDER)]
        if results:
            messages += [{"role": "tool", "content": _text(part)} for part in results]
        elif texts:
            messages.append({"role": message["role"], "content": texts})
    tools = [
        {"type": "function", "function": {"name": one["name"], "parameters": one["input_schema"]}}
        for one in body.get("tools") or []
        if "input_schema" in one
    ]
    return {**body, "messages": messages, "tools": tools}


def _text(part: Json) -> str:
    content = part.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(one.get("text", "") for one in content)


def message(reply: Reply, model: str, tokens: tuple[int, int]) -> Json:
    """tokens: in and out."""
    content: list[Json] = [{"type": "text", "text": reply.text}] if reply.text else []
    if reply.call:
        name, given = reply.call
        number = f"toolu_{time.time_ns()}"
        content.append({"type": "tool_use", "id": number, "name": name, "input": given})
    return {
        "id": f"msg_{time.time_ns()}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if reply.call else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]},
    }


def events(whole: Json) -> Iterator[str]:
    """The same as a stream: the bare message, each block with what it holds, the end."""
    bare = {**whole, "content": [], "stop_reason": None}
    yield _event("message_start", message=bare)
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            given = json.dumps(block["input"])
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": given}
        yield _event("content_block_start", index=index, content_block=empty)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ending, usage=whole["usage"])
    yield _event("message_stop")


def _event(kind: str, **more: object) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n"


def refusal(text: str) -> Json:
    return {"type": "error", "error": {"type": "rate_limit_error", "message": text}}
