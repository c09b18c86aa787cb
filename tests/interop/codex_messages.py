"""A conversation as codex notifies of it: what came most often in recordings, with values of our own."""

from typing import Any

__all__ = ["MESSAGES"]

IDS = {"threadId": "0190aaaa-1111-7222-8333-444455556666", "turnId": "0190aaaa-1111-7222-8333-777788889999"}
STARTED, ENDED = 1790000000123, 1790000004567
AGENT: dict[str, Any] = {
    "type": "agentMessage",
    "id": "msg_1",
    "text": "The login test waits for a cookie that is set too late; I mend that.",
    "phase": None,
    "memoryCitation": None,
}
COMMAND: dict[str, Any] = {
    "type": "commandExecution",
    "id": "call_1",
    "command": "/bin/sh -lc 'pytest -q tests/login'",
    "cwd": "/home/me/project",
    "processId": "4711",
    "source": "agent",
    "status": "completed",
    "commandActions": [{"type": "unknown", "command": "pytest -q tests/login"}],
    "aggregatedOutput": "1 passed in 0.02s\n",
    "exitCode": 0,
    "durationMs": 812,
}
USER: dict[str, Any] = {
    "type": "userMessage",
    "id": "msg_0",
    "content": [{"type": "text", "text": "Mend the login test.", "text_elements": []}],
}
COUNTS = {
    "totalTokens": 1500,
    "inputTokens": 1200,
    "cachedInputTokens": 1000,
    "outputTokens": 300,
    "reasoningOutputTokens": 120,
}
TURN: dict[str, Any] = {"id": IDS["turnId"], "items": [], "status": "inProgress", "error": None}


def _said(method: str, **params: Any) -> dict[str, Any]:
    return {"method": method, "params": params}


MESSAGES: list[dict[str, Any]] = [
    _said("thread/status/changed", threadId=IDS["threadId"], status={"type": "active", "activeFlags": []}),
    _said("turn/started", threadId=IDS["threadId"], turn=TURN),
    _said("item/started", **IDS, item=USER, startedAtMs=STARTED),
    _said("item/completed", **IDS, item=USER, completedAtMs=STARTED),
    _said("item/started", **IDS, item={**COMMAND, "status": "inProgress", "exitCode": None}, startedAtMs=STARTED),
    _said("item/completed", **IDS, item=COMMAND, completedAtMs=ENDED),
    _said("item/started", **IDS, item={**AGENT, "text": ""}, startedAtMs=STARTED),
    *(_said("item/agentMessage/delta", **IDS, itemId="msg_1", delta=word) for word in AGENT["text"].split(" ")),
    _said("item/completed", **IDS, item=AGENT, completedAtMs=ENDED),
    _said(
        "thread/tokenUsage/updated", **IDS, tokenUsage={"total": COUNTS, "last": COUNTS, "modelContextWindow": 258400}
    ),
    _said("warning", threadId=IDS["threadId"], message="The model is not known; its limits are guessed."),
    _said("serverRequest/resolved", threadId=IDS["threadId"], requestId=0),
    _said("turn/completed", threadId=IDS["threadId"], turn={**TURN, "items": [AGENT], "status": "completed"}),
]
