"""One connection, message by message: who asked what, what was answered, and what each thread was told.

RPC-4: ids belong to their caller, so each direction has its own; the string "1" and the integer 1 are two ids.
"""

import json
import re
from collections import Counter
from typing import Any, NamedTuple

from turnwire.conformance.passive.findings import Breach, Findings, Recent
from turnwire.conformance.passive.keys import Keys
from turnwire.conformance.passive.payloads import Payloads
from turnwire.conformance.passive.refusals import Refusals
from turnwire.conformance.passive.threads import ThreadLog
from turnwire.conformance.passive.translated import Answered, Translator
from turnwire.conformance.pointer import pick

__all__ = ["Conversation"]

# What the server has stopped telling of; were it told of again, it would begin anew.
FORGETS = frozenset({"thread/delete", "thread/unsubscribe"})


# The ids in a line that is no JSON object, such as one with a syntax error or a batch.
READABLE_ID = re.compile(rb'"id"\s*:\s*("[^"\\\\\x00-\x1f\x80-\xff]*"|-?(?:0|[1-9][0-9]{0,15}))(?=[\s,}])')


class _Asked(NamedTuple):
    """A request of the client that waits for its reply, and the how-manieth it was."""

    method: str
    params: dict[str, Any]
    serial: int
    # Whether its envelope is; else it is refused for that, whatever else is wrong with it.
    is_lawful: bool = False


class Conversation:
    """A fold: each message in, the rules that it breaks out. `server` is what the server calls itself."""

    def __init__(self, payloads: Payloads, *, lacks_frames: bool = False, lifted: frozenset[str] = frozenset()) -> None:
        self.server: dict[str, Any] = {}
        self._payloads = payloads
        self._findings = Findings(payloads.promised, lifted)
        self._asked: dict[str, list[_Asked]] = {}
        self._serial = 0
        self._threads: dict[str, ThreadLog] = {}
        self._turns = Recent()
        self._created = Recent()
        self._lacks_frames = lacks_frames
        # Whether the handshake was heard; else replies and turns may have causes that came before the recording.
        self._is_whole = False
        self._stopped_at = 0
        self._translator = Translator(payloads.reading) if payloads.reading else None
        self._refusals = Refusals(payloads, self._findings)
        self._keys = Keys(payloads.key_member, self._findings)
        self._has_opted_in = False
        self._ordered = payloads.is_canonical or self._translator is not None

    @property
    def judged(self) -> set[str]:
        """The checks that had something to judge so far."""
        return self._findings.judged

    def client_said(self, message: Any, raw: bytes) -> None:
        """What the client sends is the cause of what is judged."""
        if not isinstance(message, dict):
            # RPC-7: "Where the id is lawful and readable it is echoed", and who knows which one a server can read.
            for found in READABLE_ID.findall(raw):
                self._wait_for(_key(json.loads(found)), _Asked("", {}, self._serial))
        elif "id" in message and not ("method" not in message and ("result" in message or "error" in message)):
            self._client_asked(message)

    def server_said(self, message: Any) -> list[Breach]:
        """Judge the next message of the server."""
        fault = self._fault(message)
        self._findings.judge("rpc.schema-valid-out")
        if fault:
            self._findings.broke("rpc.schema-valid-out", "a message that is valid for its method and place", fault)
            # What cannot be read cannot be followed: one cause, one red. A translator takes what it can read.
            self._ordered = self._ordered and self._translator is not None
        if isinstance(message, dict) and not isinstance(message.get("method"), str):
            self._reply(message, is_valid=not fault)
        elif isinstance(message, dict):
            params, method = message.get("params"), message["method"]
            self._expect_no_mark(self._payloads.params_type(method), params, method)
            if self._ordered:
                self._told(message)
        return self._findings.take()

    def end(self) -> list[Breach]:
        """What is left open by a server that has answered `shutdown`; any other recording may end anywhere."""
        if self._stopped_at and self._is_whole:
            asked = [one for row in self._asked.values() for one in row if one.method and one.serial < self._stopped_at]
            if asked:
                counts = Counter(one.method for one in asked)
                named = ", ".join(f"{method} ({count})" for method, count in counts.items())
                self._findings.broke("rpc.reply-once", "a reply to each request", f"no reply to {named}")
            for thread in self._threads.values():
                thread.stopped()
        return self._findings.take()

    def _client_asked(self, message: dict[str, Any]) -> None:
        method, params = message.get("method"), message.get("params")
        self._serial += 1
        known = _Asked(
            method if isinstance(method, str) else "",
            params if isinstance(params, dict) else {},
            self._serial,
            is_lawful=self._payloads.is_envelope(message) and isinstance(params, dict | None),
        )
        self._wait_for(_key(message["id"]), known)
        handshake = self._payloads.handshake
        if method == handshake.method:
            self._is_whole = not self._lacks_frames
            self._has_opted_in = pick(known.params, handshake.experimental) is True
            declined = pick(known.params, handshake.opt_out) if handshake.opt_out else None
            told = self._payloads.told_of
            if isinstance(declined, list) and not told.isdisjoint(name for name in declined if isinstance(name, str)):
                self._ordered = False

    def _wait_for(self, key: str, one: _Asked) -> None:
        self._asked.setdefault(key, []).append(one)

    def _fault(self, message: Any) -> str:
        if not isinstance(message, dict):
            return "a line that is no JSON object"
        method = message.get("method")
        if isinstance(method, str):
            kind = "Request" if "id" in message else "Notification"
            envelope = {**message, "params": {}} if isinstance(message.get("params"), dict) else message
            return (
                self._payloads.fault(kind if self._payloads.is_canonical else "", envelope)
                or self._payloads.misplaced(method, is_request="id" in message)
                or self._payloads.fault(self._payloads.params_type(method), message.get("params", {}))
            )
        if "error" in message:
            return "result beside error" if "result" in message else self._payloads.fault("ErrorResponse", message)
        asked = self._asked.get(_key(message.get("id")))
        result_type = self._payloads.result_type(asked[0].method) if asked and "result" in message else ""
        return self._payloads.fault(
            "SuccessResponse" if self._payloads.is_canonical else "", message
        ) or self._payloads.fault(result_type, message.get("result"))

    def _expect_no_mark(self, name: str, value: Any, where: str) -> None:
        """STAB-3, unless the client asked for what is experimental, or may have before the recording began."""
        if name and self._is_whole and not self._has_opted_in and name in self._payloads.marked:
            self._findings.judge("life.experimental-unsent")
            if pointer := self._payloads.marked.found(name, value):
                self._findings.broke("life.experimental-unsent", "nothing experimental", f"{pointer} in {where}")

    def _reply(self, message: dict[str, Any], *, is_valid: bool) -> None:
        """RPC-19: "Every request gets exactly one reply"; an id that is null answers what could not be read."""
        if message.get("id") is None:
            return
        self._findings.judge("rpc.reply-once")
        key = _key(message["id"])
        asked = self._asked.get(key)
        if not asked:
            if self._is_whole:
                self._findings.broke("rpc.reply-once", "one reply to each request", f"one more with id {key}")
            return
        one = asked.pop(0)
        if not asked:
            del self._asked[key]
        if "error" in message:
            self._keys.refused(one.method, one.params)
        if "error" in message and one.is_lawful:
            self._refusals.judge(one.method, one.params, pick(message, "/error/code"))
        if "result" not in message or not (is_valid or self._translator):
            return
        self._keys.answered(one.method, one.params, message["result"])
        self._expect_no_mark(self._payloads.result_type(one.method), message["result"], f"the result of {one.method}")
        if one.method == self._payloads.handshake.method:
            server = pick(message, "/result/serverInfo")
            self.server = server if isinstance(server, dict) else {}
            self._refusals.opened()
        elif one.method == "shutdown" and self._payloads.is_canonical:
            self._stopped_at = one.serial
        elif self._ordered and self._translator:
            self._answered(self._translator.answered(one.method, one.params, message["result"]))
        elif self._ordered and self._payloads.result_type(one.method):
            self._result(one.method, one.params, message["result"])

    def _answered(self, answered: Answered | None) -> None:
        """The result of a dialect. One that goes on with a thread is a beginning whose past is not known."""
        if answered is None:
            return
        if answered.method == "thread-left":
            self._threads.pop(answered.thread, None)
        elif answered.method == "thread-resumed":
            self._threads[answered.thread] = ThreadLog(self._findings, self._turns, answered.thread, is_whole=False)
        else:
            self._result(answered.method, {}, answered.result)

    def _result(self, method: str, params: dict[str, Any], result: dict[str, Any]) -> None:
        if method in FORGETS:
            self._threads.pop(str(params.get("threadId")), None)
            return
        thread, turn = result.get("thread"), result.get("turn")
        is_first_time = "idempotencyKey" not in params
        if thread is not None:
            self._thread(thread["id"]).is_shown(thread)
            if method == "thread/start" and is_first_time:
                self._came_first(method, is_late=thread["id"] in self._created)
        if thread is not None and method == "thread/resume":
            self._thread(thread["id"]).resumed(params, result)
        if turn is None:
            return
        if method == "turn/interrupt":
            self._thread(turn["threadId"]).interrupted(turn)
        elif method in ("turn/start", "review/start") and is_first_time:
            self._came_first(method, is_late=turn["id"] in self._turns)

    def _came_first(self, method: str, *, is_late: bool) -> None:
        # THR-22: "On the asking connection the response comes first, then what it caused."
        self._findings.judge("thread.response-first")
        if is_late:
            self._findings.broke("thread.response-first", f"the response to {method}, then what it caused", "it after")

    def _told(self, message: dict[str, Any]) -> None:
        method = message["method"]
        if self._translator:
            for event in self._translator.told(message):
                self._hear(event.method, event.params)
        elif method == "approval/request" or not ("id" in message or method.startswith("_")):
            self._hear(method, message.get("params", {}))

    def _hear(self, method: str, params: dict[str, Any]) -> None:
        if method == "approval/request":
            self._thread(params["approval"]["threadId"]).asked(params["approval"])
            return
        thread = params.get("thread")
        thread_id = thread["id"] if thread else params["threadId"]
        if method == "thread/started":
            self._created.add(thread_id, "started")
            self._thread(thread_id).is_shown(params["thread"])
        self._thread(thread_id).hear(method, params)
        if method in ("thread/closed", "thread/deleted"):
            del self._threads[thread_id]

    def _thread(self, identifier: str) -> ThreadLog:
        if identifier not in self._threads:
            self._threads[identifier] = ThreadLog(self._findings, self._turns, identifier, is_whole=self._is_whole)
        return self._threads[identifier]


def _key(identifier: Any) -> str:
    """An id by type and value. What is no lawful id is one for all: nothing may be answered to it but by null."""
    return repr(identifier) if isinstance(identifier, str | int | float) else "none"
