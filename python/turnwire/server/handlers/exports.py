"""schema/export (SCHEMA-1): the schema that the server was built from, as it lies in the package."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from turnwire.server.call import Call, Handler
from turnwire.server.offers import schema_file
from turnwire.wire import PROTOCOL_VERSION, SCHEMA_DIGEST, SchemaExportParams, SchemaExportResult

__all__ = ["HANDLERS"]


def schema_export(call: Call) -> SchemaExportResult:
    params: SchemaExportParams = call.params
    # Absent means both.
    schema = UNSET if params.format == "typescript" else msgspec.json.decode(schema_file("schema.json").read_bytes())
    module = UNSET if params.format == "jsonSchema" else schema_file("schema.ts").read_text("utf-8")
    return SchemaExportResult(version=PROTOCOL_VERSION, digest=SCHEMA_DIGEST, json_schema=schema, typescript=module)


HANDLERS: dict[str, Handler] = {"schema/export": schema_export}
