"""Kotlin spelling of wire names: one set of reserved types, one rule for names that would collide."""

import re
from collections.abc import Callable, Iterable, Mapping

from turnwire_codegen.words import camel, pascal, upper_snake, words

__all__ = [
    "CANONICAL_PACKAGE",
    "case_names",
    "file_name",
    "identifier",
    "kept_apart",
    "member_name",
    "member_names",
    "package_name",
    "type_name",
    "unbarred",
]

# The package of the canonical protocol; the hand-written part of the library imports it by this name.
CANONICAL_PACKAGE = "turnwire.generated"
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_KEYWORDS = frozenset(
    {
        *("as", "break", "class", "continue", "do", "else", "false", "for", "fun", "if", "in", "interface", "is"),
        *("null", "object", "package", "return", "super", "this", "throw", "true", "try", "typealias", "typeof"),
        *("val", "var", "when", "while"),
    },
)
# What generated code says without saying where from; a definition of that name would hide it.
_RESERVED_TYPES = frozenset(
    {
        *("Any", "Boolean", "Companion", "Deprecated", "Double", "Int", "JvmInline", "List", "Long", "Map", "Set"),
        *("String", "Suppress", "ULong", "BigInteger", "JsonElement", "JsonNull", "JsonObject", "JsonPrimitive"),
        *("AnyCodec", "BigIntegerCodec", "BooleanCodec", "ConstCodec", "DecodingException", "DoubleCodec"),
        *("JsonCodec", "JsonSyntaxException", "JsonWritable", "ListCodec", "LongCodec", "MapCodec", "MembersIn"),
        *(
            "MembersOut",
            "Method",
            "MethodFacts",
            "NotificationMethod",
            "RequestMethod",
            "NullCodec",
            "NullableCodec",
            "Presence",
            "Serializable",
            "StringCodec",
        ),
        *("ULongCodec", "ClientNotifications", "ClientRequests", "ServerNotifications", "ServerRequests", "Errors"),
        *("Machines", "Capabilities", "Protocol", "Types", "Validators", "Validator", "Fault", "Plan", "Rule"),
        *(
            "Call",
            "ErrorRow",
            "Machine",
            "Capability",
            "Math",
            "Throwable",
            "KeepsUndeclared",
            "Decoder",
            "Encoder",
            "KSerializer",
        ),
        *("SerialDescriptor", "SerializationException", "BigDecimal", "MathContext", "StringBuilder", "Char"),
        *("ArrayList", "LinkedHashMap", "Nothing", "Unit", "Comparator", "Pattern", "Regex", "JsonArray"),
        *("JsonDecoder", "JsonEncoder", "JsonUnquotedLiteral", "OptIn", "ExperimentalSerializationApi"),
        *("AnyOf", "Bound", "Const", "Contains", "Evaluated", "Fields", "Format", "Held", "HeldCodec", "If"),
        *("Items", "JsonReader", "Length", "Matching", "MemberCount", "Members", "Multiple", "Never", "Not", "Numeric"),
        *("OneOf", "Required", "Scalar", "Tagged", "Texts", "Type", "Unevaluated", "UnevaluatedItems"),
        *("ItemCount", "UnevaluatedMembers", "Unique"),
        # Constants of the support, which stand in the same package.
        *("BYTE_OF_IPV4", "DEEP_STACK_BYTES", "ESCAPES", "MAX_DEPTH", "MAX_NUMBER", "MEANT", "USUAL"),
    },
)
# Generated files and classes that have numbers.
_NUMBERED = re.compile(r"(?:Held|Plans|Tuple)[0-9]+(?:AndRest)?(?:Codec)?")
# Files of the package that are no family.
_RESERVED_FILES = frozenset(
    {
        *("Capabilities", "Codecs", "Errors", "Formats", "Held", "Json", "Members", "Methods", "Plans", "Protocol"),
        *("Rules", "States", "Tables", "Tuples", "Types", "Validators"),
    },
)


def package_name(title: str) -> str:
    """The package of a foreign schema: the words of its title as one, as `agentclientprotocol`."""
    name = identifier("".join(words(title))) or "schema"
    if not name[0].isalpha():
        name = f"v{name}"
    return f"{name}_" if name in _KEYWORDS else name


def type_name(name: str) -> str:
    """The type of a definition: the definition's own name where Kotlin can say it."""
    spelled = name if _IDENTIFIER.fullmatch(name) else pascal(name)
    if not spelled or not spelled[0].isalpha():
        spelled = f"T{spelled}"
    taken = spelled in _RESERVED_TYPES or spelled in _KEYWORDS or _NUMBERED.fullmatch(spelled)
    return f"{spelled}_" if taken else spelled


def file_name(family: str) -> str:
    """The file of a family without its ending."""
    name = pascal(family) or "Family"
    return f"{name}Family" if name in _RESERVED_FILES or _NUMBERED.fullmatch(name) else name


def member_names(wires: Mapping[str, str], reserved: Iterable[str] = ()) -> dict[str, str]:
    """Wire name to property; `wires` has what the user calls each, empty where the name follows from the wire."""
    return kept_apart({wire: given or wire for wire, given in wires.items()}, member_name, reserved)


def case_names(texts: Mapping[str, str]) -> dict[str, str]:
    """Each key to the entry of an enum that its text makes, as `IN_PROGRESS`."""
    return kept_apart(texts, _case)


def unbarred(name: str) -> str:
    """A name as code says it: a word of the language stands in backticks."""
    return f"`{name}`" if name in _KEYWORDS else name


def kept_apart(texts: Mapping[str, str], spell: Callable[[str], str], reserved: Iterable[str] = ()) -> dict[str, str]:
    """Each key to its text as it is spelled; of two that would be alike the later one gets an underscore."""
    taken = set(reserved)
    names: dict[str, str] = {}
    # A text that is spelled as it is has the first right to its name.
    for text, key in sorted(
        ((text, key) for key, text in texts.items()), key=lambda row: (spell(row[0]) != row[0], row)
    ):
        name = spell(text)
        while name in taken:
            name += "_"
        taken.add(name)
        names[key] = name
    return {key: names[key] for key in texts}


def identifier(text: str) -> str:
    """What of a text can stand in a name."""
    return "".join(char for char in text if char.isascii() and (char.isalnum() or char == "_"))


def member_name(wire: str) -> str:
    """A member or a method as a property."""
    name = identifier(camel(wire)) or "empty"
    if not name[0].isalpha():
        name = f"n{name}"
    # Every object has a `getClass` on the JVM.
    return "class_" if name == "class" else name


def _case(value: str) -> str:
    name = identifier(upper_snake(value)) or "EMPTY"
    return name if name[0].isalpha() else f"V{name}"
