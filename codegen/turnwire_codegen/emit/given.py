"""What an emitter is given, and what it gives: the one form of all of them.

A command of `outputs` names a module of this package, which has two functions:
`emit(given: Given) -> Files` makes every file that the command writes, by path; and
`findings(protocol, origins) -> list[Finding]` says what became of each part, `origins` having its pointer.
"""

from collections.abc import Mapping
from typing import Protocol as Interface

import msgspec

from turnwire_codegen.checks import Checks
from turnwire_codegen.emit.header import Header
from turnwire_codegen.emit.jsonschema.canonical import digest
from turnwire_codegen.ir import Protocol
from turnwire_codegen.load.beside import Beside
from turnwire_codegen.problems import Finding

__all__ = ["Emitter", "Files", "Given"]

Files = dict[str, bytes]


class Given(msgspec.Struct, frozen=True):
    """The protocol after its passes, the schema shipped with the types, its checks, and the command for the header.

    `checks.plans` is None where nothing can be checked; `beside` is empty but for the commands that tell.
    """

    protocol: Protocol
    schema: bytes
    checks: Checks
    command: str
    beside: Beside = Beside()

    @property
    def header(self) -> Header:
        """The head of every file."""
        title, version = self.protocol.title, self.protocol.version
        return Header(title=title, version=version, digest=digest(self.schema), command=self.command)


class Emitter(Interface):
    """What the module of an emitter has."""

    def emit(self, given: Given) -> Files:
        """The files of the command, by path."""

    def findings(self, protocol: Protocol, origins: Mapping[str, str]) -> list[Finding]:
        """What the types keep, what is left to the validators, and what is lost."""
