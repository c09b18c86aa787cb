"""Which records are arms, and of what tag: the member that tells them apart is then the tag of the struct itself."""

from typing import NamedTuple

from turnwire_codegen.ir import ByField, Protocol, Ref, Union
from turnwire_codegen.passes.graph import declarations

__all__ = ["Tag", "arm_tags"]


class Tag(NamedTuple):
    """The wire name of the tag member and its value in one arm."""

    wire: str
    value: str | int


def arm_tags(protocol: Protocol, *, but: frozenset[str] = frozenset()) -> dict[str, Tag]:
    """The tag of every record that is an arm of a union that is not in `but`; loaders see to it that it has one."""
    tags: dict[str, Tag] = {}
    for declaration in declarations(protocol).values():
        if not isinstance(declaration, Union) or not isinstance(declaration.tagging, ByField):
            continue
        if declaration.name in but:
            continue
        for variant in declaration.variants:
            if isinstance(variant.type, Ref) and variant.tag is not None:
                tags[variant.type.name] = Tag(declaration.tagging.wire, variant.tag)
    return tags
