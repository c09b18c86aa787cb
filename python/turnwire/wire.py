"""The protocol's types and tables, as the rest of the package sees them.

This is the only hand-written module that imports `turnwire.generated`. A type is built when it is first asked for
(`from turnwire.wire import ThreadStartParams`), so a process pays for the families that it speaks and for no other.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from turnwire import generated
from turnwire.door import guarded
from turnwire.generated.decoding import decoder
from turnwire.generated.door import WAYS
from turnwire.generated.errors import ERRORS, Error
from turnwire.generated.methods import METHODS, TYPES, Method
from turnwire.generated.protocol import (
    CLIENT_CAPABILITIES,
    PROTOCOL_MAJOR,
    PROTOCOL_VERSION,
    SCHEMA_DIGEST,
    SCHEMA_ID,
    SERVER_CAPABILITIES,
    Capability,
)
from turnwire.generated.states import MACHINES, Machine

if TYPE_CHECKING:
    # What `__getattr__` resolves at run time, spelled for type checkers.
    from turnwire.generated import *  # noqa: F403
    from turnwire.generated.checking import Fault

__all__ = [
    "CLIENT_CAPABILITIES",
    "ERRORS",
    "MACHINES",
    "METHODS",
    "PROTOCOL_MAJOR",
    "PROTOCOL_VERSION",
    "SCHEMA_DIGEST",
    "SCHEMA_ID",
    "SERVER_CAPABILITIES",
    "TYPES",
    "Capability",
    "Error",
    "Machine",
    "Method",
    "params_decoder",
    "result_decoder",
    "validators",
]


@cache
def params_decoder(method: str) -> Callable[[bytes], Any]:
    """A function from the JSON text of params to their type, built on first use; see `door` for what a client sends.

    Raises:
        KeyError: the protocol has no such method, or it has no params.
    """
    row = METHODS[method]
    return _decoder(row.params, is_sent=row.sender != "server")


@cache
def result_decoder(method: str) -> Callable[[bytes], Any]:
    """As `params_decoder`, for the result of a request; a client sends that of a request of the server.

    Raises:
        KeyError: the protocol has no such method, or it is a notification.
    """
    row = METHODS[method]
    return _decoder(row.result, is_sent=row.sender != "client")


@cache
def validators() -> "Mapping[str, Callable[[Any], Fault | None]]":
    """By the name of a type, a function from a plain JSON value to its first fault; None where it is valid.

    They are many, so they are imported when first asked for.
    """
    found: Mapping[str, Callable[[Any], Fault | None]] = import_module("turnwire.generated.validators").VALIDATORS
    return found


def _decoder(name: str | None, *, is_sent: bool) -> Callable[[bytes], Any]:
    if name is None:
        raise KeyError(name)
    decode = decoder(getattr(generated, name))
    return guarded(decode, WAYS) if is_sent and name in WAYS else decode


def __getattr__(name: str) -> Any:
    """The type `name` of the protocol; its family is imported when first asked for."""
    if name not in TYPES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(generated, name)
    return found
