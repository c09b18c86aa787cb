"""One match from the IR's types to words: `list of [Item](#type-Item)`, with every rule that binds the value."""

from turnwire_codegen import rules
from turnwire_codegen.emit.docs.names import target
from turnwire_codegen.emit.docs.text import code, inline, link, literal
from turnwire_codegen.ir import AnyValue, Const, ListOf, MapOf, Nullable, Ref, Scalar, TupleOf, TypeNode

__all__ = ["type_link", "type_text"]


def type_text(node: TypeNode) -> str:
    """The type as Markdown that may stand in a cell."""
    match node:
        case Scalar(kind, bound):
            return _bound(kind, bound)
        case Const(value):
            return literal(value)
        case Ref(name, bound):
            return _bound(type_link(name), bound)
        case ListOf(item, bound):
            return _bound(f"list of {_grouped(item)}", bound)
        case TupleOf(items, rest):
            tail = [] if rest is None else [f"then any number of {_grouped(rest)}"]
            return f"list of exactly: {', '.join([*map(_grouped, items), *tail])}"
        case MapOf(AnyValue(), bound):
            return _bound("object", bound)
        case MapOf(value, bound):
            return _bound(f"map of {_grouped(value)}", bound)
        case Nullable(of):
            # A comma tells a list that may be null from a list of what may be null.
            return f"{type_text(of)}{',' if isinstance(of, ListOf | MapOf | TupleOf) else ''} or null"
        case AnyValue():
            return "any JSON"


def type_link(name: str) -> str:
    """A definition by its name, as a link to where it is described."""
    return link(inline(name), target("type", name))


def _grouped(node: TypeNode) -> str:
    """A type inside another; what has a comma or an `or` of its own stands in parentheses."""
    text = type_text(node)
    return f"({text})" if isinstance(node, Nullable | TupleOf) else text


def _bound(text: str, bound: tuple[rules.Rule, ...]) -> str:
    said = ", ".join(filter(None, map(_words, bound)))
    return f"{text} ({said})" if said else text


def _words(rule: rules.Rule) -> str:
    match rule:
        case rules.Bound(low, high, above, below):
            if low is not None and high is not None:
                return f"{low} to {high}"
            ends = {"at least": low, "at most": high, "above": above, "below": below}
            return ", ".join(f"{word} {end}" for word, end in ends.items() if end is not None)
        case rules.Multiple(of):
            return f"a multiple of {of}"
        case rules.Length(low, high):
            return _count(low, high, "code points")
        case rules.Count(of, low, high):
            return _count(low, high, of)
        case rules.Pattern(source):
            return f"matches {code(source)}"
        case rules.Format(name):
            return f"format {code(name)}"
        case rules.Unique():
            return "no two items equal"
        case _:
            raise AssertionError(f"{type(rule).__name__} binds no type")


def _count(low: int, high: int | None, what: str) -> str:
    if high is None:
        return f"at least {low} {what}" if low else ""
    if low == high:
        return f"exactly {low} {what}"
    return f"{low} to {high} {what}" if low else f"at most {high} {what}"
