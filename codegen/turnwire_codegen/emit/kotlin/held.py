"""The rules that a type holds beside its kind: a codec with them is a constant, named by what it says."""

import re
import zlib
from collections.abc import Sequence
from typing import NamedTuple

from turnwire_codegen.emit.kotlin.layout import Expression, flat, laid_out
from turnwire_codegen.emit.kotlin.leaves import leaf
from turnwire_codegen.emit.kotlin.scope import Scope
from turnwire_codegen.rules import FORMATS, Bound, Count, Format, Length, Multiple, Pattern, Rule, Unique
from turnwire_codegen.words import camel

__all__ = ["HeldView", "held", "held_views"]

# A longer name says less than its digest.
_NAME = 60
# So many keep the object that has them well below what a method of the JVM can hold.
_AN_OBJECT = 300
# What looks at members and arms is the validators' part.
_HELD = (Bound, Multiple, Length, Pattern, Count, Unique)
_SAID = ((", ", " to "), ("-", " minus "), (".", " point "))


class HeldView(NamedTuple):
    """An object, and the lines of its properties."""

    name: str
    lines: tuple[str, ...]


def held(codec: str, rules: Sequence[Rule], scope: Scope) -> str:
    """The codec that refuses what breaks one of the rules; `codec` itself where there are none to hold."""
    said = [
        leaf(rule) for rule in rules if isinstance(rule, _HELD) or (isinstance(rule, Format) and rule.name in FORMATS)
    ]
    if not said:
        return codec
    name = _name(codec, [flat(rule) for rule in said])
    # The first object has no number.
    home = f"Held{len(scope.held) // _AN_OBJECT or ''}"
    return f"{scope.held.setdefault(name, (home, Expression('HeldCodec', (codec, *said))))[0]}.{name}"


def held_views(scope: Scope) -> list[HeldView]:
    """The objects with all codecs that were asked for; what one is made of stands before it."""
    lines: dict[str, list[str]] = {}
    for name, (home, expression) in scope.held.items():
        lines.setdefault(home, []).extend(laid_out(expression, f"val {name} = "))
    return [HeldView(home, tuple(of)) for home, of in lines.items()]


def _name(codec: str, said: Sequence[str]) -> str:
    """`StringCodec` and `Length(1, 160)` are `stringLength1To160`."""
    kind = re.sub(r"Held[0-9]*\.|Codec", "", codec)
    text = f"{kind} {' '.join(said)}"
    for sign, word in _SAID:
        text = text.replace(sign, word)
    name = camel(re.sub(r"[^A-Za-z0-9]+", " ", text))
    if "Matching" in text or len(name) > _NAME:
        return f"{camel(re.sub(r'[^A-Za-z0-9]+', ' ', kind))[:_NAME]}X{zlib.crc32(text.encode()):08x}"
    return name
