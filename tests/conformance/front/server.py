"""One WebSocket of a lawful server: every step is a method, so that a broken one differs in one place.

Frames and upgrade are written here by hand, apart from the transports of the product and from the judge; only what is
behind them, the sessions, is our own server.
"""

import asyncio
import base64
import hashlib
import json

from conformance.front.frames import BINARY, CLOSE, CONT, PING, PONG, TEXT, cut, head_of, written

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
SUBPROTOCOL = "turnwire.v1"
HIDDEN = "turnwire.bearer."
REASONS = {101: "Switching Protocols", 200: "OK", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found"}
LINGER_SECONDS = 2.0


class Front(asyncio.Protocol):
    """From the connection to its end, and the `Transport` of the session behind it."""

    slow_reader = "close"

    def __init__(self, house):
        self.house = house
        self.head, self.buffer, self.begun = b"", bytearray(), None
        self.is_open = self.has_ended = False
        self.receiver = None
        self.early = []

    # The socket

    def connection_made(self, transport):
        self.tcp = transport

    def data_received(self, data):
        if self.has_ended:
            self.heard_after_the_end(data)
        elif self.is_open:
            self.buffer += data
            self.take_frames()
        else:
            self.head += data
            if b"\r\n\r\n" in self.head:
                head, _, rest = self.head.partition(b"\r\n\r\n")
                self.asked(head.decode("latin-1"))
                if self.is_open and rest:
                    self.data_received(rest)

    def connection_lost(self, exc):
        self.house.fronts.discard(self)
        self.has_ended = True
        if self.receiver is not None:
            self.receiver.connection_lost(exc)

    # Before the upgrade

    def asked(self, head):
        first, *lines = head.split("\r\n")
        target = first.split(" ")[1]
        path, _, query = target.partition("?")
        headers = {}
        for name, _, value in (line.partition(":") for line in lines):
            headers.setdefault(name.strip().lower(), []).append(value.strip())
        status = self.health(path) or self.refusal(headers, query)
        if status:
            self.refuse(status)
        else:
            self.accept(headers)

    def health(self, path):
        return 200 if path in ("/healthz", "/readyz") else 0

    def refusal(self, headers, query):
        if not all(self.is_own(origin, headers) for origin in headers.get("origin", [])):
            return 403
        if self.house.token and not self.is_let_in(self.brought(headers), query):
            return 401
        return 0

    def is_own(self, origin, headers):
        return origin == f"http://127.0.0.1:{self.house.port}"

    def brought(self, headers):
        return self.in_header(headers) + self.in_subprotocol(headers)

    def in_header(self, headers):
        schemes = [value.partition(" ") for value in headers.get("authorization", [])]
        return [token for scheme, _, token in schemes if scheme.lower() == "bearer"]

    def in_subprotocol(self, headers):
        offered = self.offered(headers)
        return [decoded(name.removeprefix(HIDDEN)) for name in offered if name.startswith(HIDDEN)]

    def is_let_in(self, tokens, query):
        return tokens == [self.house.token]

    def offered(self, headers):
        return [name.strip() for value in headers.get("sec-websocket-protocol", []) for name in value.split(",")]

    def selected(self, offered):
        return SUBPROTOCOL if SUBPROTOCOL in offered else ""

    def refuse(self, status):
        self.answer(status, "Content-Length: 0", "Connection: close")
        self.has_ended = True
        self.tcp.close()

    def accept(self, headers):
        key = headers["sec-websocket-key"][0] + GUID
        lines = [
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Accept: {base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()}",
        ]
        if subprotocol := self.selected(self.offered(headers)):
            lines.append(f"Sec-WebSocket-Protocol: {subprotocol}")
        self.answer(101, *lines)
        self.is_open = True
        self.house.come(self)

    def answer(self, status, *lines):
        self.tcp.write("\r\n".join([f"HTTP/1.1 {status} {REASONS[status]}", *lines, "", ""]).encode())

    # Frames in

    def take_frames(self):
        while not self.has_ended and (head := head_of(self.buffer)) is not None:
            opcode, size, start = head
            if opcode < CLOSE and self.is_too_long(size):
                self.too_long(size)
                return
            frame = cut(self.buffer, size, start)
            if frame is None:
                return
            self.took(frame)

    def is_too_long(self, size):
        return (len(self.begun) if self.begun is not None else 0) + size > self.house.message_bytes

    def too_long(self, size):
        self.fail(1009)

    def took(self, frame):
        if self.is_forbidden(frame):
            self.forbidden(frame)
        elif frame.opcode == PING:
            self.ping(frame.payload)
        elif frame.opcode == CLOSE:
            self.close_heard(frame.payload)
        elif frame.opcode == BINARY:
            self.binary(frame.payload)
        elif frame.opcode in (TEXT, CONT):
            self.part(frame)

    def is_forbidden(self, frame):
        return (
            self.is_unmasked(frame)
            or self.is_reserved(frame)
            or self.is_unknown(frame)
            or self.is_bad_control(frame)
            or self.is_out_of_place(frame)
        )

    def is_unmasked(self, frame):
        return not frame.is_masked

    def is_reserved(self, frame):
        return bool(frame.reserved)

    def is_unknown(self, frame):
        return frame.opcode not in (CONT, TEXT, BINARY, CLOSE, PING, PONG)

    def is_bad_control(self, frame):
        return frame.opcode >= CLOSE and (self.is_long(frame) or not frame.is_last)

    def is_long(self, frame):
        return len(frame.payload) > 125

    def is_out_of_place(self, frame):
        return (frame.opcode == CONT and self.begun is None) or (
            frame.opcode in (TEXT, BINARY) and self.begun is not None
        )

    def forbidden(self, frame):
        self.fail(1002)

    def binary(self, payload):
        self.fail(1003)

    def part(self, frame):
        self.begun = (self.begun or b"") + frame.payload
        if frame.is_last:
            message, self.begun = self.begun, None
            self.whole(message)

    def whole(self, message):
        try:
            message.decode()
        except UnicodeDecodeError:
            self.bad_text(message)
        else:
            self.message(message)

    def bad_text(self, message):
        self.fail(1007)

    def message(self, message):
        if self.receiver is None:
            self.early.append(message)
        else:
            self.receiver.message_received(message)

    def ping(self, payload):
        self.send(PONG, payload)

    # The end

    def close_heard(self, payload):
        if self.is_bad_close(payload):
            self.fail(1002)
        else:
            self.close_answered(payload)

    def is_bad_close(self, payload):
        code = int.from_bytes(payload[:2], "big") if payload else 1000
        return len(payload) == 1 or code < 1000 or code in (1004, 1005, 1006, 1015) or not is_text(payload[2:])

    def close_answered(self, payload):
        self.send(CLOSE, payload[:2])
        self.end()

    def fail(self, code):
        self.send(CLOSE, code.to_bytes(2, "big"))
        self.linger()

    def linger(self):
        """Read on for a moment, since what is unread would cut the close off."""
        self.has_ended = True
        asyncio.get_running_loop().call_later(LINGER_SECONDS, self.tcp.close)

    def heard_after_the_end(self, data):
        # The answer to a close is a close; whatever comes with it, nothing is on its way any more.
        if data[:1] == bytes([0x80 | CLOSE]) or data[-8:-7] == bytes([0x80 | CLOSE]):
            self.tcp.close()

    def end(self):
        self.has_ended = True
        self.tcp.close()

    # Frames out

    def send(self, opcode, payload=b""):
        if not self.has_ended:
            self.tcp.write(written(opcode, payload))

    def say(self, line):
        self.send(TEXT, line)

    # The house

    @staticmethod
    def may_listen(host, token):
        return bool(token) or host.startswith("127.")

    @staticmethod
    def place(host):
        return host

    @staticmethod
    async def shut_down(house):
        """Let turns end, and close every connection behind what there is to say."""
        await house.server.drain()
        house.closing.set()
        if house.tasks:
            await asyncio.wait(house.tasks)

    # The transport of the session

    async def start(self, receiver):
        self.receiver = receiver
        for message in self.early:
            receiver.message_received(message)

    def write(self, lines):
        for line in lines:
            self.say(bytes(line))

    def pause_reading(self):
        """It is held in memory what nobody reads here."""

    def resume_reading(self):
        """Nothing was paused."""

    def close(self):
        self.goodbye()

    def goodbye(self):
        self.fail(1001)

    def abort(self, reason):
        self.has_ended = True
        self.tcp.abort()


def is_text(payload):
    try:
        payload.decode()
    except UnicodeDecodeError:
        return False
    return True


def decoded(text):
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    except ValueError:
        return ""


def read(line):
    """The message of a line; an empty one where it is none."""
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
