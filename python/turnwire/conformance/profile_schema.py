"""The published schema of a profile: `python -m turnwire.conformance.profile_schema` prints it.

It is made from the types that a profile is read into, so an editor that knows it knows what the judge will take.
"""

import json
import sys
from typing import Any

import msgspec

from turnwire.conformance.profiles import Profile

__all__ = ["printed", "profile_schema"]

SCHEMA_ID = "https://turnwire.dev/schema/profile.json"
BUNDLE = (
    "The JSON Schema of the messages: a file beside this one, or `canonical` for our own. Absent means `schema.json`."
)


def profile_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of `profile.toml`, as TOML tools read it."""
    schema = msgspec.json.schema(Profile)
    definitions = schema["$defs"]
    profile = definitions[Profile.__name__]
    # The bundle is read from the file that the key `schema` names.
    del profile["properties"]["bundle"]
    profile["properties"]["schema"] = {"type": "string", "description": BUNDLE, "default": "schema.json"}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA_ID, "title": "A profile"}
    return {**head, "$ref": f"#/$defs/{Profile.__name__}", "$defs": dict(sorted(definitions.items()))}


def printed() -> str:
    """The text of the published file."""
    return json.dumps(profile_schema(), indent=2, ensure_ascii=False, sort_keys=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(printed())
