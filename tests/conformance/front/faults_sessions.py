"""Servers that mix connections up, or end them otherwise (LIFE-17, THR-15, APPR-5, WS-4, WS-8); the name says how."""

import json

from conformance.front.faults_frames import mutant
from conformance.front.server import Front, read

# More than this is held for no client.
HELD_BYTES = 1024 * 1024
HELLO = b'{"jsonrpc":"2.0","id":"front","method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"f"}}}'


def opened_by_any(self, message):
    """Takes the handshake of one connection for that of all."""
    asked = read(message)
    if asked.get("method") == "initialize":
        self.house.shared["open"] = self.is_greeted = True
    elif self.house.shared.get("open") and not getattr(self, "is_greeted", False):
        self.is_greeted = True
        Front.message(self, HELLO)
    Front.message(self, message)


def without_own_hello(self, line):
    """Keeps to itself what was answered to its own handshake."""
    if read(line).get("id") != "front":
        Front.say(self, line)


def noted(self, message):
    """Notes who has asked under an id, whoever else has."""
    asked = read(message)
    if "method" in asked and "id" in asked:
        self.house.shared[repr(asked["id"])] = self
        # So that the second asker overwrites the first before either is answered.
        self.house.in_a_moment(self, message)
    else:
        Front.message(self, message)


def answered_by_id(self, line):
    """Answers whoever asked last under this id."""
    said = read(line)
    owner = self.house.shared.get(repr(said.get("id"))) if "method" not in said else None
    Front.say(owner or self, line)


def told_to_all(self, line):
    """Tells everybody what happens anywhere."""
    said = read(line)
    if "method" in said and "id" not in said:
        for front in list(self.house.fronts):
            Front.say(front, line)
    else:
        Front.say(self, line)


def once(of):
    """Says what `of` takes to be one thing on the first connection only."""

    def say(self, line):
        key = of(read(line))
        if key is None or self.house.shared.setdefault(key, self) is self:
            Front.say(self, line)

    return say


def recorded(said):
    params = said.get("params", {})
    return (params.get("threadId"), params["seq"]) if "method" in said and "seq" in params else None


def request_of(said):
    return ("asked", said["params"]["approval"]["approvalId"]) if said.get("method") == "approval/request" else None


def resolution(said):
    return ("resolved", said["params"]["approvalId"]) if said.get("method") == "approval/resolved" else None


def subscribes_nobody(self, line):
    """Tells what is recorded only to who has started the thread."""
    said = read(line)
    if "result" in said and "pending" in said["result"]:
        self.house.shared.setdefault("resumed", set()).add(self)
    if not (recorded(said) and self in self.house.shared.get("resumed", ())):
        Front.say(self, line)


def twice(self, line):
    """Tells of completed items twice."""
    for _ in range(2 if read(line).get("method") == "item/completed" else 1):
        Front.say(self, line)


def swapped(self, line):
    """Tells of the start of an item after what follows it, on every second connection."""
    held = self.__dict__.pop("held", None)
    is_late = self is not next(iter(sorted(self.house.fronts, key=id)))
    if is_late and held is None and read(line).get("method") == "item/started":
        self.held = line
        return
    Front.say(self, line)
    if held is not None:
        Front.say(self, held)


def refuses_late_answers(self, message):
    """Answers an answer, if it comes too late."""
    asked = read(message)
    is_answer = "method" not in asked and isinstance(asked.get("result"), dict) and "decision" in asked["result"]
    if is_answer and self.house.shared.setdefault("answer", self) is not self:
        error = {"code": -32040, "message": "too late"}
        Front.say(self, json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": error}).encode())
    Front.message(self, message)


def takes_late_resolves(self, line):
    """Says of a decision that comes too late that it is taken."""
    said = read(line)
    if said.get("error", {}).get("code") == -32040:
        line = json.dumps({"jsonrpc": "2.0", "id": said["id"], "result": {}}).encode()
    Front.say(self, line)


def notes_turns(self, line):
    """Notes the turns that were started here."""
    said = read(line)
    if isinstance(said.get("result"), dict) and "turn" in said["result"]:
        self.__dict__.setdefault("turns", []).append(said["result"]["turn"])
    Front.say(self, line)


def interrupts_all(self, exc):
    """Interrupts what was started on a connection that ends, with a close or without."""
    for number, turn in enumerate(self.__dict__.get("turns", [])):
        params = {"threadId": turn["threadId"], "turnId": turn["id"]}
        asked = {"jsonrpc": "2.0", "id": f"end-{number}", "method": "turn/interrupt", "params": params}
        self.receiver.message_received(json.dumps(asked).encode())
    Front.connection_lost(self, exc)


def cut_off(self):
    """Ends without a word."""
    self.has_ended = True
    self.tcp.close()


async def at_once(house):
    """Closes first, and lets turns end then."""
    for front in list(house.fronts):
        front.fail(1001)
    await Front.shut_down(house)


def closes_on_slow_readers(self, line):
    """Closes on who reads too late as on anybody."""
    Front.say(self, line)
    if self.tcp.get_write_buffer_size() > HELD_BYTES and not self.has_ended:
        self.fail(1000)


def forgets_for_slow_readers(self, line):
    """Drops whatever there is no room for."""
    if self.tcp.get_write_buffer_size() <= HELD_BYTES:
        Front.say(self, line)


SESSIONS = {
    "one-session-for-all": mutant(message=opened_by_any, say=without_own_hello),
    "one-table-of-ids": mutant(message=noted, say=answered_by_id),
    "told-to-all": mutant(say=told_to_all),
    "resume-subscribes-nobody": mutant(say=subscribes_nobody),
    "told-to-one": mutant(say=once(recorded)),
    "told-twice": mutant(say=twice),
    "told-out-of-order": mutant(say=swapped),
    "asked-once": mutant(say=once(request_of)),
    "late-answer-refused": mutant(message=refuses_late_answers),
    "late-resolve-taken": mutant(say=takes_late_resolves),
    "resolved-told-to-one": mutant(say=once(resolution)),
    "turn-goes-with-connection": mutant(say=notes_turns, connection_lost=interrupts_all),
    "slow-reader-normal": mutant(say=closes_on_slow_readers),
    "slow-reader-loses": mutant(say=forgets_for_slow_readers),
    "listens-anywhere": mutant(may_listen=staticmethod(lambda host, token: True)),
    "listens-anywhere-else": mutant(
        may_listen=staticmethod(lambda host, token: True), place=staticmethod(lambda host: "127.0.0.1")
    ),
    "shutdown-normal": mutant(goodbye=lambda self: self.fail(1000)),
    "shutdown-cuts": mutant(goodbye=cut_off),
    "shutdown-before-turns": mutant(shut_down=staticmethod(at_once)),
}
