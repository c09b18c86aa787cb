"""Values through the types of Python: `python roundtrip.py [FOLDER]`, where a generated package stands.

A line {"type": NAME, "value": JSON} in; a line out, {"value": JSON} as the type writes it, or {"pointer": …, "rule": …}
where it is refused: by the validator, or where that has nothing to say, by the type. What is no JSON has the rule
"syntax". Without a folder the package is that of the protocol.
"""

import importlib
import json
import sys
from pathlib import Path

import msgspec

sys.path.append(str(Path(__file__).parents[1]))

from bindings.canonical import canonical
from codegen.workshop import import_package
from turnwire_codegen.emit.python.names import class_name


class _Row(msgspec.Struct):
    value: msgspec.Raw


def main(argv, stdin, stdout):
    """Answer every line."""
    package = import_package(Path(argv[0])) if argv else importlib.import_module("turnwire.generated")
    judges = importlib.import_module(f"{package.__name__}.validators").VALIDATORS
    decode = importlib.import_module(f"{package.__name__}.decoding").decode
    for line in stdin:
        stdout.write(f"{canonical(_answer(package, judges, decode, line))}\n")


def _answer(package, judges, decode, line):
    try:
        # The types read what this reads; only `json` keeps all digits, for the validators.
        msgspec.json.decode(line)
    except msgspec.DecodeError:
        return {"pointer": "", "rule": "syntax"}
    row = json.loads(line)
    name, value = row["type"], row["value"]
    if name not in judges:
        return {"pointer": "", "rule": "no definition of this name"}
    fault = judges[name](value)
    if fault is not None:
        return {"pointer": fault.pointer, "rule": fault.rule}
    try:
        read = decode(msgspec.json.decode(line, type=_Row).value, getattr(package, class_name(name)))
    except msgspec.DecodeError as error:
        return {"pointer": "", "rule": str(error)}
    return {"value": json.loads(msgspec.json.encode(read))}


if __name__ == "__main__":
    main(sys.argv[1:], sys.stdin, sys.stdout)
