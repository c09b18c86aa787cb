"""`python proxy.py OPERATOR PLACE -- CMD`: a server with one fault, made by altering what another one says.

PLACE is `reply METHOD`, `refusal METHOD` or `tell METHOD`: the results, the errors, the notifications and requests of
that method. It imports nothing of Turnwire, so that what is altered is altered on the wire and nowhere else.
"""

import json
import os
import subprocess
import sys
import threading

STATUSES = {"completed": "failed", "failed": "completed", "interrupted": "completed", "idle": "active"}
HELD = 3


class Proxy:
    """Passes lines on, and spoils those of one place."""

    def __init__(self, operator, place, argv):
        self.operator = operator
        self.kind, _, self.method = place.partition(" ")
        self.asked = {}
        self.held = []
        self.server = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self):
        """Until the server has ended; its exit code."""
        threading.Thread(target=self.pass_on, daemon=True).start()
        for line in self.server.stdout:
            self.say(self.spoilt(line))
        self.say([line for _, line in self.held])
        return self.server.wait()

    def pass_on(self):
        """What the client says, as it is; what it asks is noted."""
        while chunk := sys.stdin.buffer.readline():
            self.note(chunk)
            try:
                self.server.stdin.write(chunk)
                self.server.stdin.flush()
            except OSError:
                return
        self.server.stdin.close()

    def note(self, line):
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return
        if isinstance(message, dict) and "id" in message and "method" in message:
            self.asked[repr(message["id"])] = message["method"]

    def say(self, lines):
        data = b"".join(lines)
        try:
            while data:
                data = data[os.write(1, data) :]
        except BrokenPipeError:
            os._exit(0)

    def spoilt(self, line):
        """The lines that are said in place of one, and those that were held back until now."""
        try:
            message = json.loads(line)
        except ValueError:
            return [line]
        said = getattr(self, self.operator)(message, line) if self.is_here(message) else [line]
        due = [held for count, held in self.held if count == 0]
        self.held = [(count - 1, held) for count, held in self.held if count]
        return [*said, *due]

    def is_here(self, message):
        if not isinstance(message, dict):
            return False
        if "method" in message:
            return self.kind == "tell" and message["method"] == self.method
        asked = self.asked.get(repr(message.get("id")))
        return asked == self.method and self.kind == ("reply" if "result" in message else "refusal")

    # What is done to a line

    def drop(self, message, line):
        return []

    def duplicate(self, message, line):
        return [line, line]

    def delay(self, message, line):
        self.held.append((HELD, line))
        return []

    def swap(self, message, line):
        self.held.append((1, line))
        return []

    def alter_id(self, message, line):
        """The id of a reply, or the first id that it is about."""
        if "method" not in message:
            return [encoded({**message, "id": f"{message['id']}0"})]
        return [encoded({**message, "params": renamed(message.get("params", {}))})]

    def alter_status(self, message, line):
        return [encoded(restated(message))]

    def alter_code(self, message, line):
        return [encoded({**message, "error": {**message["error"], "code": message["error"]["code"] - 1}})]

    def none(self, message, line):
        return [line]


def encoded(message):
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def renamed(params):
    """Params about something else: the most particular id in them is another."""
    for name in ("itemId", "turnId", "threadId"):
        if isinstance(params.get(name), str):
            return {**params, name: f"{params[name]}0"}
    for name in ("item", "turn", "thread", "approval"):
        if isinstance(params.get(name), dict):
            of = params[name]
            key = "approvalId" if name == "approval" else "id"
            return {**params, name: {**of, key: f"{of[key]}0"}}
    return params


def restated(value):
    """The same with another status wherever there is one."""
    if isinstance(value, list):
        return [restated(item) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {name: restated(member) for name, member in value.items()}
    if isinstance(changed.get("status"), str):
        changed["status"] = STATUSES.get(changed["status"], "completed")
    return changed


if __name__ == "__main__":
    at = sys.argv.index("--")
    sys.exit(Proxy(sys.argv[1], sys.argv[2], sys.argv[at + 1 :]).run())
