"""The capability `outputSchema`: the final text of a turn as JSON, held to a schema of the client.

Imported with the first schema that comes, since it needs `jsonschema`.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from turnwire.errors import Issue
from turnwire.schemas import InvalidSchema, check_schema, faults

__all__ = ["OutputInvalid", "read_output", "schema_issues"]

# A message is for a person; the first faults say what the matter is.
_FAULTS = 3


class OutputInvalid(Exception):  # noqa: N818 - says what the output is
    """The output does not fit; the message says where and how."""


def schema_issues(pointer: str, schema: Any) -> Iterator[Issue]:
    """Of a schema that is none, or that cannot be applied."""
    try:
        check_schema(schema)
        faults(schema, None)
    except InvalidSchema as invalid:
        yield Issue(pointer, f"is no JSON Schema 2020-12: {invalid}"[:1024])


def read_output(schema: Any, text: str | None) -> Any:
    """The value that the text is.

    Raises:
        OutputInvalid: it is no JSON, or does not fit the schema.
    """
    if text is None:
        raise OutputInvalid("There is no output, and a schema asks for one.")
    try:
        value = msgspec.json.decode(text.encode())
        found = faults(schema, value)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        raise OutputInvalid("The output is not JSON.") from None
    except InvalidSchema as invalid:
        raise OutputInvalid(f"The schema cannot be applied to the output: {invalid}") from None
    if found:
        said = "; ".join(str(fault) for fault in found[:_FAULTS])
        raise OutputInvalid(f"The output does not fit its schema: {said}")
    return value
