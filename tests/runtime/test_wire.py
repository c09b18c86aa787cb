"""The types and tables of the protocol as the package sees them, and what importing them costs."""

import subprocess
import sys

import pytest

from turnwire import wire
from turnwire.wire import METHODS, TYPES, params_decoder, result_decoder


@pytest.mark.parametrize("name", TYPES)
def test_every_type_is_found(name: str) -> None:
    assert getattr(wire, name) is getattr(wire, name)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_its_decoders(name: str) -> None:
    method = METHODS[name]

    assert params_decoder(name) is params_decoder(name)
    if method.kind == "request":
        assert result_decoder(name) is result_decoder(name)
    else:
        with pytest.raises(KeyError):
            result_decoder(name)


def test_an_unknown_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="NoSuchType"):
        _ = wire.NoSuchType


@pytest.mark.parametrize("decoder", [params_decoder, result_decoder])
def test_an_unknown_method_has_no_decoder(decoder: object) -> None:
    with pytest.raises(KeyError):
        decoder("no/such")  # type: ignore[operator]


def modules_after(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import turnwire", ["msgspec", "asyncio", "turnwire.wire"]),
        ("import turnwire.connection, turnwire.state", ["asyncio", "socket", "subprocess", "threading", "dataclasses"]),
        (
            "import turnwire.peer, turnwire.transports.stdio",
            ["turnwire.generated.threads", "turnwire.generated.items", "turnwire.generated.lifecycle", "jsonschema"],
        ),
        (
            "from turnwire.wire import params_decoder; params_decoder('initialize')",
            ["turnwire.generated.threads", "turnwire.generated.items", "turnwire.generated.turns"],
        ),
    ],
)
def test_an_import_costs_no_more_than_it_must(statement: str, absent: list[str]) -> None:
    modules = modules_after(statement)

    assert [name for name in absent if name in modules] == []
