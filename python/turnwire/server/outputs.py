"""The capability `outputSchema`: the final text of a turn as JSON, held to a schema of the client.

Imported with the first schema that comes, since it needs `jsonschema`. What a schema may cost is bounded.
"""

from typing import Any

import msgspec

from turnwire.errors import Issue
from turnwire.judging import TooCostly, faults_within, is_cheap
from turnwire.schemas import Fault, InvalidSchema, check_schema, faults

__all__ = ["OutputInvalid", "read_output", "schema_issues"]

# A message is for a person; the first faults say what the matter is.
_FAULTS = 3
# Of the processor: what takes longer is no schema that somebody waits for.
_SECONDS = 1
_COSTLY = f"takes more than {_SECONDS} second of work"


class OutputInvalid(Exception):  # noqa: N818 - says what the output is
    """The output does not fit; the message says where and how."""


async def schema_issues(pointer: str, schema: Any) -> list[Issue]:
    """Of a schema that is none, or that cannot be applied."""
    try:
        check_schema(schema)
        await _faults(schema, None)
    except InvalidSchema as invalid:
        return [Issue(pointer, f"is no JSON Schema 2020-12: {invalid}"[:1024])]
    except TooCostly:
        return [Issue(pointer, _COSTLY)]
    return []


async def read_output(schema: Any, text: str | None) -> Any:
    """The value that the text is.

    Raises:
        OutputInvalid: it is no JSON, or does not fit the schema.
    """
    if text is None:
        raise OutputInvalid("There is no output, and a schema asks for one.")
    try:
        value = msgspec.json.decode(text.encode())
        found = await _faults(schema, value)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        raise OutputInvalid("The output is not JSON.") from None
    except InvalidSchema as invalid:
        raise OutputInvalid(f"The schema cannot be applied to the output: {invalid}") from None
    except TooCostly:
        raise OutputInvalid(f"Holding the output to its schema {_COSTLY}.") from None
    if found:
        said = "; ".join(str(fault) for fault in found[:_FAULTS])
        raise OutputInvalid(f"The output does not fit its schema: {said}")
    return value


async def _faults(schema: Any, value: Any) -> list[Fault]:
    return faults(schema, value) if is_cheap(schema) else await faults_within(schema, value, seconds=_SECONDS)
