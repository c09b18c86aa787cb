"""Reading messages: the table per method, the same two steps by hand, and pydantic's union over the same methods."""

import json
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
from measures.models import union_of_methods
from measures.rows import Row

from turnwire import wire
from turnwire.codec import Limits, Unlawful, decode_envelope, decode_params
from turnwire.errors import Refusal

TRANSCRIPTS = Path(__file__).parents[3] / "protocol" / "transcripts"
SHARE_OF_HAND = 0.95
ROUNDS = 21
LIMITS = Limits()


class Envelope(msgspec.Struct):
    """What one would write by hand."""

    jsonrpc: Literal["2.0"]
    id: int | str | msgspec.UnsetType = msgspec.UNSET
    method: str | msgspec.UnsetType = msgspec.UNSET
    params: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def rows() -> Iterator[Row]:
    messages = lawful_messages()
    methods = sorted({json.loads(message)["method"] for message in messages})
    by_hand, ours, table = hand_reader(methods), guarded, table_reader()
    pydantic = union_of_methods(methods).validate_json
    for read in (by_hand, ours, table, pydantic):
        for message in messages:
            read(message)
    rates = alternate(messages, by_hand, table, ours, pydantic)
    share = statistics.median(b / a for a, b, _, _ in rates)
    guards = statistics.median(c / a for a, _, c, _ in rates)
    times = statistics.median(c / d for _, _, c, d in rates)
    rate = statistics.median(b for _, b, _, _ in rates)
    yield Row(
        f"decoding {len(messages)} messages of {len(methods)} methods by the table, against the same two steps by hand",
        f"{share:.2f} ({rate:,.0f}/s)",
        f"≥ {SHARE_OF_HAND}",
        share >= SHARE_OF_HAND,
    )
    yield Row("the same with every guard of the envelope", f"{guards:.2f}")
    yield Row("the same, guards and all, against pydantic's tagged union", f"{times:.1f} times as fast")


def lawful_messages() -> list[bytes]:
    """The requests and notifications of the transcripts that the protocol takes; they hold unlawful ones too."""
    lines = [line for path in sorted(TRANSCRIPTS.glob("*.jsonl")) for line in path.read_bytes().splitlines()]
    messages = [bytes(msgspec.json.decode(line, type=dict[str, msgspec.Raw])["msg"]) for line in lines]
    return [message for message in messages if is_lawful(message)]


def is_lawful(message: bytes) -> bool:
    try:
        guarded(message)
    except (Unlawful, Refusal, KeyError):
        return False
    return True


def hand_reader(methods: list[str]) -> Callable[[bytes], Any]:
    read_envelope = msgspec.json.Decoder(Envelope).decode
    tables = {
        method: msgspec.json.Decoder(getattr(wire, str(wire.METHODS[method].params))).decode for method in methods
    }

    def read(message: bytes) -> Any:
        envelope = read_envelope(message)
        params = envelope.params
        return tables[envelope.method](b"{}" if params is msgspec.UNSET else params)

    return read


def table_reader() -> Callable[[bytes], Any]:
    read_envelope = msgspec.json.Decoder(Envelope).decode
    params_decoder = wire.params_decoder

    def read(message: bytes) -> Any:
        envelope = read_envelope(message)
        params = envelope.params
        return params_decoder(envelope.method)(b"{}" if params is msgspec.UNSET else params)

    return read


def guarded(message: bytes) -> Any:
    """What the server does."""
    envelope = decode_envelope(message, LIMITS)
    return decode_params(str(envelope.method), None if envelope.params is msgspec.UNSET else envelope.params)


def alternate(messages: list[bytes], *readers: Callable[[bytes], Any]) -> list[list[float]]:
    """Messages a second of CPU, a column a reader; the readers take turns."""
    rates = []
    for _ in range(ROUNDS):
        row = []
        for read in readers:
            started = time.process_time()
            for _ in range(20):
                for message in messages:
                    read(message)
            row.append(20 * len(messages) / (time.process_time() - started))
        rates.append(row)
    return rates
