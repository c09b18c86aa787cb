"""Judges messages by the bundle: envelope, params by method, results by the request they answer, error data by code.

A transcript is judged in order, because what a result must be is said by the request that came before it.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from turnwire.schemas import Schemas

__all__ = ["Finding", "MessageJudge"]

OTHER_WAY = {"c2s": "s2c", "s2c": "c2s"}
SENDERS = {"c2s": ("client", "both"), "s2c": ("server", "both")}


class Finding(NamedTuple):
    """One thing that is wrong, or, as a warning, probably not meant."""

    pointer: str
    message: str
    is_warning: bool = False


class MessageJudge:
    """One conversation: the bundle, and the requests that wait for their replies."""

    def __init__(self, bundle: Mapping[str, Any]) -> None:
        self._definitions: Mapping[str, Any] = bundle["$defs"]
        self._schemas = Schemas(bundle)
        self._methods = {row["name"]: row for row in bundle["x-methods"]}
        self._error_data = {row["code"]: row["data"] for row in bundle["x-errors"]}
        self._waiting: dict[tuple[str, str], str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._schemas

    def value(self, name: str, value: Any, at: str = "") -> list[Finding]:
        """Judge one value by a definition."""
        found = [Finding(at + fault.pointer, fault.message) for fault in self._schemas.faults(name, value)]
        if found:
            return found
        return [
            Finding(at + pointer, f"the schema has no member of this name in {owner}", is_warning=True)
            for pointer, owner in self._strangers({"$ref": f"#/$defs/{name}"}, value, "")
        ]

    def message(self, message: Any, direction: str = "") -> list[Finding]:
        """Judge one message; `direction` is c2s, s2c, or empty where it is not known."""
        if not isinstance(message, dict):
            return [Finding("", "a message is a JSON object; batches are refused (RPC-5)")]
        if "method" in message:
            return self._call(message, direction)
        if "error" in message:
            return self._error(message, direction)
        return self._result(message, direction)

    def _call(self, message: dict[str, Any], direction: str) -> list[Finding]:
        is_request = "id" in message
        found = self.value("Request" if is_request else "Notification", _envelope(message))
        name = message["method"]
        if not isinstance(name, str):
            return found
        row = self._methods.get(name)
        if row is None:
            # `_vendor/…` is open to anyone, so nothing is known about it.
            return found if name.startswith("_") else [*found, Finding("/method", f"no method is called {name!r}")]
        if is_request is not (row["kind"] == "request"):
            found.append(Finding("/method", f"{name} is a {row['kind']}; this has {'an' if is_request else 'no'} id"))
        if direction and row["sender"] not in SENDERS[direction]:
            found.append(Finding("/method", f"{name} is sent by the {row['sender']}"))
        if is_request:
            way = direction or {"client": "c2s", "server": "s2c"}.get(row["sender"], "")
            self._waiting[way, repr(message["id"])] = name
        params = message.get("params", {})
        if row["params"] and isinstance(params, dict):
            found += self.value(row["params"], params, "/params")
        return found

    def _result(self, message: dict[str, Any], direction: str) -> list[Finding]:
        found = self.value("SuccessResponse", _envelope(message))
        name = self._answered(message, direction)
        if name and "result" in message:
            found += self.value(self._methods[name]["result"], message["result"], "/result")
        return found

    def _error(self, message: dict[str, Any], direction: str) -> list[Finding]:
        self._answered(message, direction)
        found = self.value("ErrorResponse", message)
        error = message["error"]
        definition = self._error_data.get(error.get("code")) if isinstance(error, dict) else None
        if definition is None:
            return found
        # The code says which data it has, so a fault in it is told by that arm and not by the whole union.
        elsewhere = [finding for finding in found if not finding.pointer.startswith("/error/data")]
        return elsewhere + self.value(definition, error.get("data"), "/error/data")

    def _answered(self, message: dict[str, Any], direction: str) -> str:
        """The method that this reply answers; empty when the request was not seen."""
        key = repr(message.get("id"))
        ways = [OTHER_WAY[direction], ""] if direction else ["c2s", "s2c", ""]
        known = [way for way in ways if (way, key) in self._waiting]
        # Ids belong to their caller: with one open in both directions nobody can tell whose reply this is.
        return self._waiting.pop((known[0], key)) if len(known) == 1 else ""

    def _strangers(self, schema: Mapping[str, Any], value: Any, pointer: str, owner: str = "") -> list[tuple[str, str]]:
        """Members that no definition names: lawful, for the protocol grows so, but often a slip."""
        if "$ref" in schema:
            owner = schema["$ref"].rpartition("/")[2]
            return self._strangers(self._definitions[owner], value, pointer, owner)
        for arm in (*schema.get("oneOf", ()), *schema.get("anyOf", ())):
            name = arm.get("$ref", "").rpartition("/")[2]
            if name in self and not self._schemas.faults(name, value):
                return self._strangers(arm, value, pointer)
        if isinstance(value, list) and "items" in schema:
            pairs = [(str(index), schema["items"], item) for index, item in enumerate(value)]
        elif isinstance(value, dict) and "properties" in schema:
            known = schema["properties"]
            pairs = [(key, known.get(key), item) for key, item in value.items()]
        else:
            return []
        found = []
        for key, inner, item in pairs:
            at = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            if inner is not None:
                found += self._strangers(inner, item, at, owner)
            elif not key.startswith("_"):
                found.append((at, owner))
        return found


def _envelope(message: dict[str, Any]) -> dict[str, Any]:
    """The message with its params emptied: they are judged by a definition of their own."""
    return {**message, "params": {}} if isinstance(message.get("params"), dict) else message
