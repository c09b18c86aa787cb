"""What an emitter sees, and all that it sees: frozen values, wire spelling only, references by name.

No word of a target language stands here. A schema that has no form here is a Problem of its loader, never a silent Any.
What is marked *close* is said for languages whose types reach so far; `passes.wide` takes it away for all others.
"""

from typing import Any, Literal

import msgspec

from turnwire_codegen.rules import Rule

__all__ = [
    "Alias",
    "AnyValue",
    "Arm",
    "ByField",
    "ByKey",
    "ByShape",
    "Capability",
    "Case",
    "Const",
    "Declaration",
    "Enum",
    "ErrorRow",
    "Family",
    "Field",
    "ListOf",
    "Machine",
    "MapOf",
    "Method",
    "Notes",
    "Nullable",
    "Protocol",
    "Record",
    "Ref",
    "Scalar",
    "Tagging",
    "TupleOf",
    "TypeNode",
    "Union",
    "Untagged",
    "Variant",
]

# The `x-` keywords of a node without their prefix: `{"since": "1.0", "stability": "experimental"}`.
Notes = dict[str, Any]
Kind = Literal["string", "integer", "number", "boolean", "null"]


class Scalar(msgspec.Struct, frozen=True, tag_field="node"):
    """A JSON scalar with the rules that bind it; `width` is 64 where an integer is said to have so many bits,
    and 128 where it is one of some values of which one has more than 64.

    Close: of its rules, the values that it may have (`rules.Const`).
    """

    kind: Kind
    rules: tuple[Rule, ...] = ()
    width: int = 0


class Const(msgspec.Struct, frozen=True, tag_field="node"):
    """Exactly this scalar."""

    value: str | int | float | bool | None


class Ref(msgspec.Struct, frozen=True, tag_field="node"):
    """A declaration by name; `rules` are what the place of use adds."""

    name: str
    rules: tuple[Rule, ...] = ()


class ListOf(msgspec.Struct, frozen=True, tag_field="node"):
    """An array of one type."""

    item: "TypeNode"
    rules: tuple[Rule, ...] = ()


class TupleOf(msgspec.Struct, frozen=True, tag_field="node"):
    """An array whose first items have types of their own; without `rest` there are no others.

    Close: with `least`, only so many of the first need be there, and `rules` are those of the list.
    """

    items: "tuple[TypeNode, ...]"
    rest: "TypeNode | None" = None
    least: int | None = None
    rules: tuple[Rule, ...] = ()


class MapOf(msgspec.Struct, frozen=True, tag_field="node"):
    """An object whose member names are data. Close: `keys` is the type of the names."""

    value: "TypeNode"
    rules: tuple[Rule, ...] = ()
    keys: "TypeNode | None" = None


class Nullable(msgspec.Struct, frozen=True, tag_field="node"):
    """The type, or null. Absence is another thing: see `Field.required`."""

    of: "TypeNode"


class AnyValue(msgspec.Struct, frozen=True, tag_field="node"):
    """Any JSON value, kept as it came. Close: with `nothing` there is none."""

    nothing: bool = False


TypeNode = Scalar | Const | Ref | ListOf | TupleOf | MapOf | Nullable | AnyValue


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """A member of a record. `default` is documentation: it is never written back.

    `name` is in camelCase what the user calls it, empty where it follows from the wire.
    """

    wire: str
    type: TypeNode
    required: bool
    name: str = ""
    doc: str = ""
    default: Any = msgspec.UNSET
    notes: Notes = {}


class Arm(msgspec.Struct, frozen=True):
    """What holds of an object beside its fields: these members, closer than they are declared there."""

    fields: tuple[Field, ...]


class Record(msgspec.Struct, frozen=True, kw_only=True, tag_field="node"):
    """An object. Undeclared members are carried as `extra`, refused when `closed`, or tolerated; then `keeps` says
    whether a reader that writes it again must write them too, or may drop them.

    Close: of each of `choices`, which members go together, one arm holds.
    """

    name: str
    doc: str
    fields: tuple[Field, ...]
    extra: TypeNode | None = None
    closed: bool = False
    keeps: bool = False
    choices: tuple[tuple[Arm, ...], ...] = ()
    notes: Notes = {}


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One value of an enum; `name` is in camelCase what the user calls it, empty where it follows from the value."""

    value: str | int | float | bool | None
    name: str = ""
    doc: str = ""
    notes: Notes = {}


class Enum(msgspec.Struct, frozen=True, kw_only=True, tag_field="node"):
    """Named values; an open enum accepts others, which its readers keep."""

    name: str
    doc: str
    cases: tuple[Case, ...]
    open: bool = False
    notes: Notes = {}


class ByField(msgspec.Struct, frozen=True, tag_field="node"):
    """The member of this name tells the arms apart."""

    wire: str


class ByKey(msgspec.Struct, frozen=True, tag_field="node"):
    """The only member's name tells the arms apart."""


class ByShape(msgspec.Struct, frozen=True, tag_field="node"):
    """The JSON kind of the value tells the arms apart."""


class Untagged(msgspec.Struct, frozen=True, tag_field="node"):
    """Only a trial of each arm tells them apart."""


Tagging = ByField | ByKey | ByShape | Untagged


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """An arm of a union, with the value of its tag where there is one."""

    type: TypeNode
    tag: str | int | None = None
    notes: Notes = {}


class Union(msgspec.Struct, frozen=True, kw_only=True, tag_field="node"):
    """One of several types; an open union accepts arms that it does not know, and keeps them."""

    name: str
    doc: str
    tagging: Tagging
    variants: tuple[Variant, ...]
    open: bool = False
    notes: Notes = {}


class Alias(msgspec.Struct, frozen=True, kw_only=True, tag_field="node"):
    """Another name of a type."""

    name: str
    doc: str
    type: TypeNode
    notes: Notes = {}


Declaration = Record | Enum | Union | Alias


class Method(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the method table; `params` and `result` name declarations."""

    name: str
    sender: Literal["client", "server", "both"]
    kind: Literal["request", "notification"]
    clause: str
    doc: str
    params: str | None = None
    result: str | None = None
    errors: tuple[str, ...] = ()
    emits: tuple[str, ...] = ()
    durable: bool = False
    capability: str | None = None
    scope: str | None = None
    stability: Literal["stable", "experimental"] = "stable"
    since: str | None = None
    notes: Notes = {}


class ErrorRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the error table; `data` names the members beyond code and retryable."""

    code: int
    name: str
    retryable: bool
    when: str
    clause: str
    data: str | None = None
    notes: Notes = {}


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """A state machine as a total table: state, event, next state; None where the event cannot come in that state."""

    name: str
    initial: str
    terminal: tuple[str, ...]
    transitions: dict[str, dict[str, str | None]]
    doc: str = ""
    notes: Notes = {}


class Capability(msgspec.Struct, frozen=True, kw_only=True):
    """What one side offers, and which methods and members stand behind the offer."""

    key: str
    side: Literal["server", "client"]
    promise: str
    methods: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    notes: Notes = {}


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """The declarations of one schema file."""

    name: str
    title: str
    doc: str
    declarations: tuple[Declaration, ...]


class Protocol(msgspec.Struct, frozen=True, kw_only=True):
    """A whole protocol: its types by family, its tables, its version."""

    id: str
    title: str
    version: str
    families: tuple[Family, ...]
    methods: tuple[Method, ...] = ()
    errors: tuple[ErrorRow, ...] = ()
    machines: tuple[Machine, ...] = ()
    capabilities: tuple[Capability, ...] = ()
