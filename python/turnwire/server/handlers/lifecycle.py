"""initialize, ping and shutdown (LIFE-*)."""

from __future__ import annotations

from msgspec import UNSET

from turnwire import wire
from turnwire._version import __version__
from turnwire.errors import (
    Issue,
    already_initialized,
    experimental_required,
    invalid_params,
    unsupported_version,
)
from turnwire.server.call import Call, Handler
from turnwire.server.offers import capabilities_of, is_experimental
from turnwire.wire import (
    CLIENT_CAPABILITIES,
    PROTOCOL_MAJOR,
    PROTOCOL_VERSION,
    SCHEMA_DIGEST,
    SCHEMA_ID,
    ClientCapabilities,
    EmptyResult,
    InitializeParams,
    InitializeResult,
    SchemaInfo,
    ServerInfo,
)

__all__ = ["CONSTANTS", "HANDLERS"]

# This server speaks one major version.
_SERVER = (PROTOCOL_MAJOR, PROTOCOL_MAJOR)
_NAME = "turnwire"
_DONE = EmptyResult()


def initialize(call: Call) -> InitializeResult:
    if call.caller.initialized:
        raise already_initialized()
    params: InitializeParams = call.params
    version, downgraded = _agreed_version(params)
    capabilities = ClientCapabilities() if params.capabilities is UNSET else params.capabilities
    _demand_opt_in(capabilities)
    state = call.state
    result = InitializeResult(
        protocol_version=version,
        minimum_protocol_version=_SERVER[0],
        downgraded=downgraded,
        server_info=ServerInfo(name=_NAME, version=__version__),
        user_agent=f"{_NAME}/{__version__} (protocol {PROTOCOL_VERSION})",
        capabilities=capabilities_of(state.host, experimental=capabilities.experimental is True),
        limits=state.limits,
        agents=list(state.host.agents()),
        extensions=[],
        schema=SchemaInfo(id=SCHEMA_ID, version=PROTOCOL_VERSION, digest=SCHEMA_DIGEST),
    )
    # LIFE-6: whatever could fail has not failed, so the connection is open now and not before.
    call.caller.open(capabilities)
    return result


def ping(_call: Call) -> EmptyResult:
    return _DONE


async def shutdown(call: Call) -> EmptyResult:
    call.caller.drain()
    work = call.state.work
    if work is not None:
        grace = call.state.limits.shutdown_ms
        await work.settle("shutdown", grace_ms=0 if grace is UNSET else grace)
    call.state.shut_down.set()
    return _DONE


def _agreed_version(params: InitializeParams) -> tuple[int, bool]:
    """LIFE-4: "The highest version in the intervals of both sides wins.\""""
    highest = params.protocol_version
    lowest = highest if params.minimum_protocol_version is UNSET else params.minimum_protocol_version
    if lowest > highest:
        issue = Issue("/minimumProtocolVersion", "is above protocolVersion", f"at most {highest}")
        raise invalid_params([issue])
    version = min(highest, _SERVER[1])
    if version < max(lowest, _SERVER[0]):
        raise unsupported_version((lowest, highest), _SERVER)
    return version, version < max(highest, _SERVER[1])


def _demand_opt_in(capabilities: wire.ClientCapabilities) -> None:
    for key, capability in CLIENT_CAPABILITIES.items():
        member = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
        if is_experimental(capability) and getattr(capabilities, member) and capabilities.experimental is not True:
            raise experimental_required(f"ClientCapabilities.{key}")


CONSTANTS: dict[str, EmptyResult] = {"ping": _DONE}
HANDLERS: dict[str, Handler] = {"initialize": initialize, "ping": ping, "shutdown": shutdown}
