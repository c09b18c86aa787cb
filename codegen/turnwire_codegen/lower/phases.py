"""The phases in which a fault is looked for, each a function over the layers of a schema that gives its rules.

The order of `PHASES` and, inside a phase, that of the layers is the order of the rules in a plan: it decides which
pointer is told. An optional rule that can never fail is left out.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from turnwire_codegen import rules
from turnwire_codegen.lower.context import Context
from turnwire_codegen.lower.document import Site
from turnwire_codegen.lower.tags import tagging_of
from turnwire_codegen.lower.unevaluated import unevaluated_rules
from turnwire_codegen.rules import FORMATS, Plan, Rule, Target

__all__ = ["PHASES", "Phase"]

Phase = Callable[[Context, Sequence[Site]], Iterator[Rule]]
_KINDS = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def _layer_by_layer(rules_of: Callable[[Context, Site], Iterator[Rule]]) -> Phase:
    def phase(context: Context, layers: Sequence[Site]) -> Iterator[Rule]:
        for layer in layers:
            yield from rules_of(context, layer)

    return phase


def _kinds(context: Context, layer: Site) -> Iterator[Rule]:
    if layer.schema is False:
        yield rules.Type(())
    if not context.keywords.has(layer, "type"):
        return
    kinds = context.keywords.names(layer, "type")
    for kind in kinds:
        if kind not in _KINDS:
            (context.place(layer) / "type").error(
                f"no JSON type is called {kind!r}", f"one of {', '.join(sorted(_KINDS))}"
            )
    yield rules.Type(kinds)


def _constants(context: Context, layer: Site) -> Iterator[Rule]:
    if context.keywords.has(layer, "const"):
        yield rules.Const((layer.schema["const"],))
    values = context.keywords.get(layer, "enum")
    if isinstance(values, list):
        yield rules.Const(tuple(values))
    elif context.keywords.has(layer, "enum"):
        (context.place(layer) / "enum").error("enum is no list", "write a list of values")


def _scalars(context: Context, layer: Site) -> Iterator[Rule]:
    read = context.keywords
    bound = rules.Bound(
        min=read.number(layer, "minimum"),
        max=read.number(layer, "maximum"),
        above=read.number(layer, "exclusiveMinimum"),
        below=read.number(layer, "exclusiveMaximum"),
    )
    if bound != rules.Bound():
        yield bound
    of = read.number(layer, "multipleOf")
    if of is not None and of > 0:
        yield rules.Multiple(of)
    elif of is not None:
        (context.place(layer) / "multipleOf").error("multipleOf is not above 0", "write a number above 0")
    length = rules.Length(min=read.count(layer, "minLength") or 0, max=read.count(layer, "maxLength"))
    if length != rules.Length():
        yield length
    source = read.text(layer, "pattern")
    if source is not None and context.portable(source, context.place(layer) / "pattern"):
        yield rules.Pattern(source)
    name = read.text(layer, "format")
    if name in FORMATS:
        yield rules.Format(name)


def _counts(context: Context, layer: Site) -> Iterator[Rule]:
    read = context.keywords
    items = rules.Count("items", min=read.count(layer, "minItems") or 0, max=read.count(layer, "maxItems"))
    if items != rules.Count("items"):
        yield items
    members = rules.Count(
        "members", min=read.count(layer, "minProperties") or 0, max=read.count(layer, "maxProperties")
    )
    if members != rules.Count("members"):
        yield members
    names = read.names(layer, "required")
    if names:
        yield rules.Required(names)


def _declared(context: Context, layers: Sequence[Site]) -> Iterator[Rule]:
    """Members in order of first mention, items by index; at each place one layer after the other."""
    members: dict[str, list[Target]] = {}
    for layer in layers:
        for name, child in context.keywords.mapped(layer, "properties"):
            members.setdefault(name, []).append(context.target(child))
    fields = rules.Fields(tuple((name, plan) for name, plans in members.items() for plan in plans if plan != Plan()))
    if fields != rules.Fields(()):
        yield fields
    heads = [tuple(map(context.target, context.keywords.prefix(layer))) for layer in layers]
    tails = [_rest(context, layer) for layer in layers]
    prefix = tuple(
        tuple(head[index] if index < len(head) else tail for head, tail in zip(heads, tails, strict=True))
        for index in range(max(map(len, heads), default=0))
    )
    items = rules.Items(tuple(map(_demanding, prefix)), _demanding(tuple(tails)))
    if any(items.prefix) or items.rest:
        yield items


def _rest(context: Context, layer: Site) -> Target:
    rest = context.keywords.rest(layer)
    return Plan() if rest is None else context.target(rest)


def _demanding(plans: tuple[Target, ...]) -> tuple[Target, ...]:
    return tuple(plan for plan in plans if plan != Plan())


def _keys(context: Context, layer: Site) -> Iterator[Rule]:
    child = context.keywords.child(layer, "propertyNames")
    if child is not None:
        yield rules.Members(keys=context.target(child))


def _members(context: Context, layer: Site) -> Iterator[Rule]:
    read = context.keywords
    patterns = tuple(
        (source, context.target(child))
        for source, child in read.mapped(layer, "patternProperties")
        if context.portable(source, context.place(layer) / "patternProperties" / source)
    )
    child = read.child(layer, "additionalProperties")
    extra = None if child is None else context.target(child)
    if extra is not None and extra != Plan():
        but = tuple(name for name, _ in read.mapped(layer, "properties"))
        yield rules.Members(patterns=patterns, extra=extra, but=but)
    elif patterns:
        yield rules.Members(patterns=patterns)


def _gatherings(context: Context, layer: Site) -> Iterator[Rule]:
    read = context.keywords
    if read.get(layer, "uniqueItems") is True:
        yield rules.Unique()
    child = read.child(layer, "contains")
    if child is None:
        return
    least, most = read.count(layer, "minContains"), read.count(layer, "maxContains")
    rule = rules.Contains(context.target(child), min=1 if least is None else least, max=most)
    if rule.min or rule.max is not None:
        yield rule


def _exclusions(context: Context, layer: Site) -> Iterator[Rule]:
    child = context.keywords.child(layer, "not")
    if child is not None:
        yield rules.Choice("not", (context.target(child),))


def _conditions(context: Context, layer: Site) -> Iterator[Rule]:
    read = context.keywords
    for name, names in read.dependent_names(layer):
        yield rules.If(Plan((rules.Required((name,)),)), then=Plan((rules.Required(names),)))
    for name, child in read.dependent_schemas(layer):
        yield rules.If(Plan((rules.Type(("object",)), rules.Required((name,)))), then=context.target(child))
    condition = read.child(layer, "if")
    if condition is None:
        return
    then, other = read.child(layer, "then"), read.child(layer, "else")
    if then is not None or other is not None:
        yield rules.If(
            context.target(condition),
            then=None if then is None else context.target(then),
            other=None if other is None else context.target(other),
        )


def _choices(context: Context, layer: Site) -> Iterator[Rule]:
    for key in ("anyOf", "oneOf"):
        arms = context.keywords.children(layer, key)
        if not arms:
            continue
        plans = tuple(map(context.target, arms))
        tagging = tagging_of(context.keywords, arms)
        if tagging is None:
            yield _untagged("any" if key == "anyOf" else "one", plans)
            continue
        # The open arm, if any, stands last: it alone has no tag.
        order = sorted(range(len(plans)), key=lambda index: tagging.values[index] is None)
        tags = tuple(value for value in tagging.values if value is not None)
        ordered = tuple(plans[index] for index in order)
        yield rules.Choice("tagged", ordered, tag=tagging.tag, tags=tags, open=len(tags) < len(plans))


def _untagged(mode: Literal["any", "one"], plans: tuple[Target, ...]) -> Rule:
    """A choice of constants is an enum; beside any string, constant strings only document."""
    values: list[Any] = []
    others: list[Target] = []
    for plan in plans:
        match plan:
            case Plan(rules=(rules.Const(values=constants),)):
                values.extend(constants)
            case Plan(rules=(rules.Type(kinds=("string",)), rules.Const(values=constants))) if _are_strings(constants):
                values.extend(constants)
            case _:
                others.append(plan)
    if not others and (mode == "any" or _are_distinct(values)):
        return rules.Const(tuple(values))
    if mode == "any" and others == [Plan((rules.Type(("string",)),))] and _are_strings(values):
        return rules.Type(("string",))
    return rules.Choice(mode, plans)


def _are_strings(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _are_distinct(values: list[Any]) -> bool:
    """Whether the strings differ; of other values, whose equality has rules of its own, nothing is claimed."""
    return _are_strings(values) and len(set(values)) == len(values)


PHASES: tuple[Phase, ...] = (
    _layer_by_layer(_kinds),
    _layer_by_layer(_constants),
    _layer_by_layer(_scalars),
    _layer_by_layer(_counts),
    _declared,
    _layer_by_layer(_keys),
    _layer_by_layer(_members),
    _layer_by_layer(_gatherings),
    _layer_by_layer(_exclusions),
    _layer_by_layer(_conditions),
    _layer_by_layer(_choices),
    _layer_by_layer(unevaluated_rules),
)
