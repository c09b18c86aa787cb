"""What a protocol becomes in each language: passes, then one emitter, then files as bytes."""

from collections.abc import Callable, Mapping

from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.jsonschema import bundle
from turnwire_codegen.emit.python import emit_python
from turnwire_codegen.ir import Protocol
from turnwire_codegen.passes.readers import loosen_readers

__all__ = ["OUTPUTS", "python_files"]

Files = dict[str, bytes]


def python_files(protocol: Protocol, command: str) -> Files:
    """The Python package of a protocol whose passes have run."""
    made = bundle(protocol)
    return emit_python(loosen_readers(protocol), _header(protocol, made.digest, command), made.canonical)


OUTPUTS: Mapping[str, Callable[[Protocol, str], Files]] = {"python": python_files}


def _header(protocol: Protocol, digest: str, command: str) -> Header:
    return Header(title=protocol.title, version=protocol.version, digest=digest, command=command)
