"""The events of one answer in the two forms that servers know: the Responses API, and Chat Completions.

An event is what stands in one `data:` of the stream; the first of a pair is its name, which only the former has.
"""

import json
from collections.abc import Iterator
from typing import Any

from turnwire.conformance.endpoint.replies import Reply

__all__ = ["Event", "chat_events", "chat_whole", "encoded", "response_events", "response_whole"]

Event = tuple[str, Any]
MODEL = "turnwire-check"
TOKENS_IN, TOKENS_OUT = 10, 5


def response_events(reply: Reply, serial: int) -> Iterator[Event]:
    """A stream of the Responses API."""
    numbers = iter(range(1_000_000))

    def event(kind: str, **members: Any) -> Event:
        return kind, {"type": kind, "sequence_number": next(numbers), **members}

    yield event("response.created", response=_response(serial, "in_progress", []))
    item = _item(reply, serial)
    empty: dict[str, Any] = {"arguments": ""} if reply.tool else {"content": []}
    begun = {**item, "status": "in_progress", **empty}
    yield event("response.output_item.added", output_index=0, item=begun)
    place = {"item_id": item["id"], "output_index": 0}
    if reply.tool:
        yield event("response.function_call_arguments.delta", **place, delta=reply.arguments)
        yield event("response.function_call_arguments.done", **place, arguments=reply.arguments)
    else:
        part = {**place, "content_index": 0}
        yield event("response.content_part.added", **part, part=_part(""))
        for piece in reply.pieces:
            yield event("response.output_text.delta", **part, delta=piece, logprobs=[])
        text = "".join(reply.pieces)
        yield event("response.output_text.done", **part, text=text, logprobs=[])
        yield event("response.content_part.done", **part, part=_part(text))
    yield event("response.output_item.done", output_index=0, item=item)
    yield event("response.completed", response=_response(serial, "completed", [item]))


def response_whole(reply: Reply, serial: int) -> Any:
    """The same answer without a stream."""
    return _response(serial, "completed", [_item(reply, serial)])


def chat_events(reply: Reply, serial: int) -> Iterator[Event]:
    """A stream of Chat Completions."""

    def chunk(delta: dict[str, Any], finish: str | None = None) -> Event:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return "", {**_chat(serial, "chat.completion.chunk"), "choices": [choice]}

    yield chunk({"role": "assistant", "content": None if reply.tool else ""})
    if reply.tool:
        yield chunk({"tool_calls": [{"index": 0, **_call(reply, serial)}]})
    for piece in reply.pieces:
        yield chunk({"content": piece})
    yield chunk({}, "tool_calls" if reply.tool else "stop")
    yield "", {**_chat(serial, "chat.completion.chunk"), "choices": [], "usage": _chat_usage()}
    yield "", "[DONE]"


def chat_whole(reply: Reply, serial: int) -> Any:
    """The same answer without a stream."""
    calls = {"tool_calls": [_call(reply, serial)]} if reply.tool else {}
    message = {"role": "assistant", "content": None if reply.tool else "".join(reply.pieces), **calls}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls" if reply.tool else "stop"}
    return {**_chat(serial, "chat.completion"), "choices": [choice], "usage": _chat_usage()}


def encoded(event: Event) -> bytes:
    """One event as it crosses the wire."""
    name, data = event
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def _response(serial: int, status: str, output: list[Any]) -> dict[str, Any]:
    usage = {
        "input_tokens": TOKENS_IN,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": TOKENS_OUT,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": TOKENS_IN + TOKENS_OUT,
    }
    facts = {"id": f"resp_{serial}", "object": "response", "created_at": 0, "model": MODEL, "status": status}
    rest = {"output": output, "parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "error": None}
    return {**facts, **rest, "usage": usage if status == "completed" else None}


def _item(reply: Reply, serial: int) -> dict[str, Any]:
    if reply.tool:
        call = {"call_id": f"call_{serial}", "name": reply.tool, "arguments": reply.arguments}
        return {"type": "function_call", "id": f"fc_{serial}", **call, "status": "completed"}
    content = [_part("".join(reply.pieces))]
    return {"type": "message", "id": f"msg_{serial}", "role": "assistant", "content": content, "status": "completed"}


def _part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def _call(reply: Reply, serial: int) -> dict[str, Any]:
    return {
        "id": f"call_{serial}",
        "type": "function",
        "function": {"name": reply.tool, "arguments": reply.arguments},
    }


def _chat(serial: int, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{serial}", "object": kind, "created": 0, "model": MODEL}


def _chat_usage() -> dict[str, int]:
    return {"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT, "total_tokens": TOKENS_IN + TOKENS_OUT}
