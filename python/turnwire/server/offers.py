"""What this server offers: a capability that is advertised is served whole (LIFE-7), any other not at all (LIFE-8)."""

import os
from importlib.util import find_spec
from typing import Any

from msgspec import UNSET

from turnwire import wire
from turnwire.server.host import Host
from turnwire.wire import (
    METHODS,
    SERVER_CAPABILITIES,
    Capability,
    ConformanceCapability,
    PermissionModesCapability,
    RewindCapability,
    ServerCapabilities,
)

__all__ = [
    "EXPERIMENTAL_MEMBERS",
    "GATED_MEMBERS",
    "OFFERED",
    "PERMISSION_MODES",
    "capabilities_of",
    "is_experimental",
    "offered_by",
    "schema_file",
]


def schema_file(name: str) -> str:
    """A form of the schema that lies in the package beside the generated code."""
    # Without pathlib, which would cost a start more than all that this module does.
    return os.path.join(os.path.dirname(wire.__file__), "generated", name)  # noqa: PTH118, PTH120 - see above


# SCHEMA-1 promises both forms, so neither is offered where one was not generated.
_EXPORT = ("schemaExport",) if os.path.exists(schema_file("schema.ts")) else ()  # noqa: PTH110 - see above


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ImportError:
        # So says a finder that keeps a package from being imported at all.
        return False


# The final output is judged by a package that this one does without.
_OUTPUT = ("outputSchema",) if _is_installed("jsonschema") else ()

PERMISSION_MODES = ("ask", "acceptEdits", "auto", "readOnly")
"""The permission modes that this server knows (APPR-14)."""

OFFERED = frozenset(
    (
        *("threads", "turns", "queue", "steer", "fork", "rewind", "approvals", "approvalRules", "permissionModes"),
        *("userInput", "appContext", "events", "models", *_EXPORT, *_OUTPUT),
    )
)
"""The keys whose methods and members every server serves. `conformance` gates neither."""


def offered_by(host: Host) -> frozenset[str]:
    """The keys that the server of a host serves: some need an agent that can do it."""
    agents = host.agents()
    reviews = ("reviews",) if any(agent.supports.review is True for agent in agents) else ()
    tools = ("dynamicTools",) if host.client_tools else ()
    return OFFERED.union(reviews, tools, ("traces",) if host.traces is not None else ())


def is_experimental(capability: Capability) -> bool:
    """Whether a capability is marked experimental, which its methods are then too."""
    return any(METHODS[method].stability == "experimental" for method in capability.methods)


def _gated() -> dict[str, dict[str, str]]:
    """Params type → member → the capability that offers the member."""
    found: dict[str, dict[str, str]] = {}
    for capability in SERVER_CAPABILITIES.values():
        for place in capability.members:
            type_name, _, member = place.partition(".")
            found.setdefault(type_name, {})[member] = capability.key
    return found


GATED_MEMBERS = _gated()
EXPERIMENTAL_MEMBERS = frozenset(
    place for capability in SERVER_CAPABILITIES.values() if is_experimental(capability) for place in capability.members
)


def capabilities_of(host: Host, *, experimental: bool) -> ServerCapabilities:
    """What `initialize` says, to clients that opted in to what is experimental and to those that did not."""
    known = (key for key in offered_by(host) if experimental or not is_experimental(SERVER_CAPABILITIES[key]))
    offered: dict[str, Any] = {_snake(key): True for key in known} | {
        "rewind": RewindCapability(files=host.files is not None or UNSET),
        "permission_modes": PermissionModesCapability(modes=list(PERMISSION_MODES)),
    }
    for agent in host.agents():
        script = host.script(agent.id)
        if script is not None:
            return ServerCapabilities(**offered, conformance=ConformanceCapability(script=script, agent=agent.id))
    return ServerCapabilities(**offered)


def _snake(key: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
