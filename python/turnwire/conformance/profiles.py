"""By what contract a server is judged: ours by default, or the one of a third party's dialect.

A profile is data. It says which wire form, codes, handshake and methods the dialect promises, so that a foreign server
is held to its own word and a clause that it never gave is not asked of it.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from turnwire.conformance.reading import Reading
from turnwire.conformance.strict import NotStrict, parse
from turnwire.schemas import Schemas

__all__ = [
    "Handshake",
    "Operation",
    "Paging",
    "Profile",
    "ProfileFault",
    "Refused",
    "Script",
    "Version",
    "Wire",
    "dialect_names",
    "load_profile",
]

PACKAGE = Path(__file__).resolve().parent.parent
CANONICAL = "turnwire"


class ProfileFault(ValueError):  # noqa: N818 - says whose fault
    """The profile cannot be used; the message names the file, the place and the remedy."""


class Wire(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The envelope and what it tolerates."""

    jsonrpc_member: Literal["required", "omitted", "either"] = "required"
    batch: Literal["reject", "support"] = "reject"
    unknown_members: Literal["tolerated", "refused"] = "tolerated"
    on_parse_error: Literal["reply", "silence"] = "reply"
    # Whether an error to a malformed request gives a readable id back; else null is lawful too.
    echo_readable_id: bool = True
    largest_id: int = 2**53 - 1
    # Code points of the longest string id; 0 where the contract does not say.
    longest_id: int = 0
    # Bytes of one message: where the result of the handshake says so, else the number, else unknown.
    message_limit: str = ""
    message_bytes: int = 0
    depth_limit: str = ""
    shutdown_ms: str = ""
    # Where an error lists what is wrong with params, each issue with a `path` in them; empty: it does not.
    issues: str = ""
    # Where the refusal of what is too much says when to come again; empty: it does not.
    retry_after: str = ""
    # What a client offers that asks for a WebSocket; empty: nothing.
    subprotocol: str = ""


class Handshake(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a session opens."""

    method: str
    params: dict[str, Any]
    # A member of params that must be there, for the check that leaves it out.
    required: str
    initialized: str = ""
    before_initialized: Literal["serve", "refuse"] = "serve"
    server_info: tuple[str, ...] = ()
    capabilities: str = "/capabilities"
    client_capabilities: str = "/capabilities"
    opt_out: str = ""
    # Where params say that the client asks for what is experimental.
    experimental: str = "/capabilities/experimental"


class Version(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the two sides agree on a version."""

    style: Literal["interval", "none"] = "none"
    wanted: str = "/protocolVersion"
    minimum: str = "/minimumProtocolVersion"
    agreed: str = "/protocolVersion"


class Operation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request that checks use by its role.

    In its params `$id` is the id of a thread, `$turn` that of its latest turn or null, `$text` a text, and `$unique` a
    name that no other request has.
    """

    method: str
    params: dict[str, Any] | None = None
    # Without this capability of the server the request is not asked of it.
    capability: str = ""
    # Where its result has the id of the thread, the text, the list, the number of the last event.
    thread: str = ""
    text: str = ""
    items: str = ""
    seq: str = ""
    # A member of params that must be there, and a value of the wrong type for it.
    required: str = ""
    wrong: Any = None


class Script(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a turn with a known course is asked for.

    The prompts obey `protocol/clauses/script.md` where the server promises that, else turnwire.conformance.endpoint.
    """

    # Who obeys: the server itself, where it says so, or a model that the judge hosts and the server is pointed at.
    source: Literal["server", "model"] = "server"
    capability: str = ""
    prompts: dict[str, str] = {}
    completed: str = ""
    status: str = ""
    interrupted: tuple[str, ...] = ()
    approval: str = ""
    opt_in: dict[str, Any] = {}
    turn: str = ""  # where the answer to a started turn has its id
    nonce: str = ""  # where a request for approval has what proves that its answer is meant for it
    stopped: str = ""  # where the answer to an interrupt has the status of the turn, if it comes when that has ended
    ended: str = ""  # where the answer to an interrupt says that the turn had ended before


class Paging(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the list of threads is walked.

    By `cursor` a page says at `next` what the next one is asked with, and the last says nothing there; by `offset` the
    next one is asked with how many were seen, and the last is short.
    """

    style: Literal["cursor", "offset", "none"] = "none"
    limit: str = "limit"
    at: str = "cursor"
    next: str = "/nextCursor"
    # Where an entry of the list has the id of its thread.
    identifier: str = "/id"


class Refused(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request that is refused, for the sake of what its error says; its params are as those of an operation."""

    method: str
    params: dict[str, Any] = {}


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One contract, whole."""

    name: str
    title: str
    protocol: str
    handshake: Handshake
    codes: dict[str, tuple[int, ...]]
    operations: dict[str, Operation] = {}
    wire: Wire = Wire()
    version: Version = Version()
    script: Script = Script()
    paging: Paging = Paging()
    # What a client answers to a request for approval: by `accept`, `decline` and `cancel`, its result.
    decisions: dict[str, dict[str, Any]] = {}
    refused: tuple[Refused, ...] = ()
    # How its messages are read as ours; without it only schema, codes and replies are judged in passing.
    reading: Reading | None = None
    # Which schema definition a payload is: method -> name. The canonical bundle says so itself, in x-methods.
    results: dict[str, str] = {}
    params: dict[str, str] = {}
    created: str = ""
    start_seconds: float = 20.0
    # Checks that this contract rules out, each with the reason.
    excluded: dict[str, str] = {}
    bundle: dict[str, Any] = {}

    def envelope(self, **members: Any) -> dict[str, Any]:
        """A message of the judge, in the form that the dialect wants."""
        return members if self.wire.jsonrpc_member == "omitted" else {"jsonrpc": "2.0", **members}

    def methods(self) -> list[dict[str, Any]]:
        """The rows of the method table, where the schema has one."""
        rows: list[dict[str, Any]] = self.bundle.get("x-methods", [])
        return rows

    def result_type(self, method: str) -> str:
        """The definition of a method's result, or an empty string."""
        return self.results.get(method) or self._row(method).get("result") or ""

    def params_type(self, method: str) -> str:
        """The definition of a method's params, or an empty string."""
        return self.params.get(method) or self._row(method).get("params") or ""

    def schemas(self) -> Schemas:
        """The oracle for this contract's payloads."""
        return Schemas(self.bundle)

    def _row(self, method: str) -> Mapping[str, Any]:
        return next((row for row in self.methods() if row["name"] == method), {})


def load_profile(name: str) -> Profile:
    """Read a profile by name (`turnwire`, or a dialect's folder) or by the path of its file or folder.

    Raises:
        ProfileFault: no such profile, or it is not well formed.
    """
    path = _find(name)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProfileFault(f"{path}: {error}") from None
    except OSError as error:
        raise ProfileFault(f"{path}: {error.strerror}") from None
    bundle = _read_bundle(_bundle_path(path, str(table.pop("schema", "schema.json"))))
    try:
        return msgspec.convert({**table, "bundle": bundle}, Profile)
    except msgspec.ValidationError as error:
        raise ProfileFault(f"{path}: {error}") from None


def dialect_names() -> list[str]:
    """The dialects that come with the package, sorted."""
    return sorted({path.parent.name for root in _dialect_roots() for path in root.glob("*/profile.toml")})


def _find(name: str) -> Path:
    if name == CANONICAL:
        return Path(__file__).resolve().parent / "canonical.toml"
    if name.endswith(".toml"):
        return Path(name)
    if (Path(name) / "profile.toml").is_file():
        return Path(name) / "profile.toml"
    for root in _dialect_roots():
        if (root / name / "profile.toml").is_file():
            return root / name / "profile.toml"
    known = ", ".join([CANONICAL, *dialect_names()])
    raise ProfileFault(f"no profile is called {name!r}; choose one of {known}, or give the path of a .toml file")


def _dialect_roots() -> list[Path]:
    """Where dialects lie: inside an installed package, and in a checkout beside it."""
    return [PACKAGE / "dialects", PACKAGE.parent.parent / "protocol" / "dialects"]


def _bundle_path(profile: Path, schema: str) -> Path:
    if schema == "canonical":
        return PACKAGE / "generated" / "schema.json"
    return profile.parent / schema


def _read_bundle(path: Path) -> Any:
    try:
        return parse(path.read_bytes())
    except OSError as error:
        raise ProfileFault(f"{path}: {error.strerror}; the profile's key `schema` names it") from None
    except NotStrict as error:
        raise ProfileFault(f"{path}: {error}") from None
