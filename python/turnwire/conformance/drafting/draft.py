"""The draft itself: a folder with the contract, its schema, and the handshake as a first recording."""

import json
from pathlib import Path
from typing import Any

import msgspec

from turnwire.conformance.drafting.contract import read_contract
from turnwire.conformance.drafting.least import least
from turnwire.conformance.drafting.meeting import Met, meet
from turnwire.conformance.drafting.operations import harmless, operations_of
from turnwire.conformance.drafting.reading_of import reading_of
from turnwire.conformance.drafting.toml_text import table
from turnwire.conformance.profiles import Handshake, Profile, load_profile
from turnwire.conformance.strict import dumps
from turnwire.conformance.target import Target

__all__ = ["DraftOptions", "draft"]

# A slow machine takes a multiple of what this one took, and the judge starts it many times at once.
START_FACTOR, START_LEAST = 5, 20.0
SERVER_INFO = ("/serverInfo/name", "/serverInfo/version", "/agentInfo/name", "/server/name", "/userAgent")
# What JSON-RPC says. Where two codes stand, both are lawful and the first is usual.
CODES: dict[str, list[int]] = {
    "parse_error": [-32700],
    "invalid_utf8": [-32700],
    "not_a_number": [-32700],
    "lone_surrogate": [-32700, -32600],
    "invalid_request": [-32600],
    "too_deep": [-32600, -32700],
    "too_long": [-32600, -32700],
    "huge_integer": [-32600, -32700],
    "invalid_id": [-32600],
    "invalid_params": [-32602],
    "method_not_found": [-32601],
    "unsupported_version": [-32602],
}
HEAD = """\
# A first contract, drafted by `turnwire check init`: wire, handshake and codes as the server had them when it was met,
# all else as JSON-RPC or the schema has it. Read it, and change what you promise otherwise.
#   turnwire check server --profile DIR -- COMMAND          judges the server by it
#   turnwire check trace DIR/handshake.jsonl --profile DIR  judges a recording, as `turnwire tap --out` makes them
"""
NOTHING = """
# No request was found that only looks. Most checks want one that is answered without params and changes nothing:
#   [operations.noop]
#   method = "its name"
"""
SCRIPT = """
# For turns of a known course say how one is started, and where its parts are; prompts are given by --prompt, or are
# obeyed by the judge's model where {model} stands in the command. See the contracts that come with Turnwire.
"""


class DraftOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where the draft goes, and what is known beforehand."""

    out: Path
    schema: Any = None
    handshake: str = "initialize"
    params: dict[str, Any] | None = None


def draft(options: DraftOptions, target: Target) -> Profile:
    """Meet the server, write the folder, and read it back.

    Raises:
        NoContract: the schema cannot be read.
        TargetFault: the server cannot be met.
        FileExistsError: the folder has a contract already.
    """
    path = options.out / "profile.toml"
    if path.exists():
        raise FileExistsError(path)
    bundle = read_contract({} if options.schema is None else options.schema)
    rows = {row["name"]: row for row in bundle["x-methods"] if row["sender"] != "server"}
    given = [options.params] if options.params is not None else _given(rows.get(options.handshake), bundle["$defs"])
    handshake = Handshake(method=options.handshake, params={}, required="", initialized=_initialized(bundle))
    met = meet(target, handshake, given, harmless(bundle))
    options.out.mkdir(parents=True, exist_ok=True)
    schema = json.dumps(bundle, indent=1, ensure_ascii=False) + "\n"
    (options.out / "schema.json").write_text(schema, encoding="utf-8")
    (options.out / "handshake.jsonl").write_bytes(_recording(met))
    path.write_text(_text(options, met, bundle), encoding="utf-8")
    return load_profile(str(options.out))


def _given(row: dict[str, Any] | None, definitions: dict[str, Any]) -> list[dict[str, Any]]:
    """What the schema says of the params of the handshake."""
    value = least(definitions.get(str(row.get("params"))), definitions) if row else None
    return [value] if isinstance(value, dict) and value else []


def _text(options: DraftOptions, met: Met, bundle: dict[str, Any]) -> str:
    name = options.out.name or "mine"
    facts = {
        "name": name,
        "title": f"{name}, as drafted",
        "protocol": str(met.result.get("protocolVersion", "1")),
        "schema": "schema.json",
        "start_seconds": max(START_LEAST, float(round(met.started * START_FACTOR))),
    }
    wire = {"jsonrpc_member": met.jsonrpc_member, "batch": "reject", "unknown_members": "tolerated"}
    codes = dict(CODES)
    for condition, code in (("not_initialized", met.not_initialized), ("already_initialized", met.already_initialized)):
        if code is not None:
            codes[condition] = [code]
    parts = [HEAD, table("", facts), table("wire", wire), table("handshake", _handshake(options, met, bundle))]
    roles = operations_of(bundle, met)
    parts += [table("codes", codes), *(table(f"operations.{role}", row) for role, row in roles.items())]
    if not roles:
        parts.append(NOTHING)
    parts.append(table("excluded", {"stdio.oversized-line": "no limit of a message is known"}))
    tells, promises = reading_of(bundle)
    if tells:
        parts += [SCRIPT, table("reading", {"promises": promises}), table("reading.tells", tells)]
    return "\n".join(part.strip("\n") + "\n" for part in parts if part)


def _handshake(options: DraftOptions, met: Met, bundle: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = next((row for row in bundle["x-methods"] if row["name"] == options.handshake), {})
    definition = bundle["$defs"].get(str(row.get("params")), {})
    required = next((name for name in definition.get("required", ()) if name in met.params), "")
    return {
        "method": options.handshake,
        "params": met.params,
        "required": required,
        "initialized": _initialized(bundle),
        "server_info": [place for place in SERVER_INFO if _at(met.result, place)],
    }


def _initialized(bundle: dict[str, Any]) -> str:
    """The notification of a client that is ready; without a schema the one that many servers wait for."""
    rows = bundle["x-methods"]
    ready = (row["name"] for row in rows if row["sender"] != "server" and row["name"].endswith("initialized"))
    return next(ready, "" if rows else "initialized")


def _at(value: Any, place: str) -> bool:
    for step in place.split("/")[1:]:
        value = value.get(step) if isinstance(value, dict) else None
    return bool(value)


def _recording(met: Met) -> bytes:
    start = met.frames[0].at if met.frames else 0.0
    lines = [
        dumps(
            {
                "dir": "c2s" if frame.sent else "s2c",
                "t": round(frame.at - start, 3),
                "raw": frame.raw.decode("utf-8", "backslashreplace"),
            }
        )
        for frame in met.frames
    ]
    return b"".join(line + b"\n" for line in lines)
