"""What a message must look like: the printed validators for our own contract, the schema itself for any other.

RPC-23: "Every message that a server sends is valid by the schema for its method and place."
"""

import hashlib
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

from turnwire.conformance.passive.experimental import Marked
from turnwire.conformance.profiles import Profile
from turnwire.conformance.strict import dumps
from turnwire.wire import METHODS, SCHEMA_DIGEST, validators

__all__ = ["Payloads"]

# Without these a client cannot know the order of things, so whoever declined one is told of no order.
TOLD = frozenset(
    {
        "approval/requested",
        "approval/resolved",
        "item/completed",
        "item/reset",
        "item/started",
        "thread/status/changed",
        "turn/completed",
        "turn/started",
    }
)
ENVELOPE = frozenset({"jsonrpc", "id", "method", "params"})
# What JSON-RPC and a schema promise in any contract.
OF_ANY = frozenset(
    {
        "rpc.reply-once",
        "rpc.schema-valid-out",
        "rpc.method-not-found",
        "rpc.invalid-params-type",
        "life.experimental-unsent",
        "idem.other-params",
        "idem.same-key",
    }
)


class Payloads:
    """The types of one contract, and a word about the first fault of a value."""

    def __init__(self, profile: Profile) -> None:
        # A validator is the printed form of one schema; by another contract the schema itself is asked.
        digest = hashlib.sha256(dumps(profile.bundle)).hexdigest()
        self.is_canonical = digest == SCHEMA_DIGEST and profile.wire.jsonrpc_member == "required"
        self.reading = profile.reading
        self.handshake = profile.handshake
        self.codes = profile.codes
        self.key_member = "idempotencyKey" if self.is_canonical else self.reading.key_member if self.reading else ""
        self.has_shutdown = "shutdown" in profile.operations
        self.methods = frozenset(row["name"] for row in profile.methods() if row["sender"] != "server")
        self.told_of = TOLD if self.reading is None else frozenset(self.reading.tells)
        self.promised = None if self.is_canonical else OF_ANY | frozenset(self.reading.promises if self.reading else ())
        self._profile = profile
        self._fault = _printed if self.is_canonical else _read(profile)
        self._params = cache(profile.params_type)
        self._results = cache(profile.result_type)

    @cached_property
    def marked(self) -> Marked:
        """What this contract marks as experimental; the whole schema is read for it."""
        return Marked(self._profile.bundle)

    def fault(self, name: str, value: Any) -> str:
        """Where and how a value first breaks its definition; empty when it is valid or the definition unknown."""
        return self._fault(name, value) if name else ""

    def params_type(self, method: str) -> str:
        """The definition of a method's params, or an empty string."""
        return self._params(method)

    def result_type(self, method: str) -> str:
        """The definition of a method's result, or an empty string."""
        return self._results(method)

    def is_envelope(self, message: dict[str, Any]) -> bool:
        """Whether a request of the client has the members that this contract wants around its params."""
        wire = self._profile.wire
        is_version = message.get("jsonrpc") == "2.0" or wire.jsonrpc_member != "required"
        strange = {"result", "error"} if wire.unknown_members == "tolerated" else set(message) - ENVELOPE
        if not strange.isdisjoint(message):
            return False
        return is_version and type(message.get("id")) in (str, int) and isinstance(message.get("method"), str)

    def misplaced(self, method: str, *, is_request: bool) -> str:
        """Why a server may not send this; empty when it may, or when the contract has no table of methods."""
        if not self.is_canonical or method.startswith("_"):
            return ""
        row = METHODS.get(method)
        if row is None:
            return f"no method is called {method!r}"
        if row.sender == "client":
            return f"{method} is sent by the client"
        return "" if is_request is (row.kind == "request") else f"{method} is a {row.kind}"


def _printed(name: str, value: Any) -> str:
    fault = validators()[name](value)
    return f"{fault.rule} at {fault.pointer or 'the root'} of {name}" if fault else ""


def _read(profile: Profile) -> Callable[[str, Any], str]:
    schemas = profile.schemas()

    def fault(name: str, value: Any) -> str:
        found = schemas.faults(name, value) if name in schemas else []
        return f"{found[0]} of {name}" if found else ""

    return fault
