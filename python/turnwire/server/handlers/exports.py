"""schema/export (SCHEMA-1): the schema that the server was built from, as it lies in the package."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import UNSET

from turnwire.server.call import Call, Handler
from turnwire.server.offers import schema_file
from turnwire.wire import PROTOCOL_VERSION, SCHEMA_DIGEST, SchemaExportParams, SchemaExportResult

__all__ = ["HANDLERS"]


def schema_export(call: Call) -> SchemaExportResult:
    params: SchemaExportParams = call.params
    # Absent means both.
    schema = UNSET if params.format == "typescript" else msgspec.json.decode(_read("schema.json"))
    module = UNSET if params.format == "jsonSchema" else _read("schema.ts").decode()
    return SchemaExportResult(version=PROTOCOL_VERSION, digest=SCHEMA_DIGEST, json_schema=schema, typescript=module)


def _read(name: str) -> bytes:
    return Path(schema_file(name)).read_bytes()


HANDLERS: dict[str, Handler] = {"schema/export": schema_export}
