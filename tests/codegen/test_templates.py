"""Templates hold no logic: output, loops over names, tests of a name's presence, attribute access; nothing else."""

import pytest
from jinja2 import Environment, nodes

from codegen.workshop import ROOT
from turnwire_codegen.emit.render import environment

EMIT = ROOT / "codegen" / "turnwire_codegen" / "emit"
TEMPLATES = sorted(EMIT.glob("*/templates/*.j2"))
# A name is an attribute path; `include` names another template, which is looked at by itself.
ALLOWED = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.For,
    nodes.If,
    nodes.Name,
    nodes.Getattr,
    nodes.Include,
)


def logic(source: str) -> list[str]:
    """Every node of `source` that is more than printing."""
    found = []
    for node in Environment(autoescape=False).parse(source).find_all(nodes.Node):
        included = isinstance(node, nodes.Const) and node.value in {path.name for path in TEMPLATES}
        if not isinstance(node, ALLOWED) and not included:
            found.append(f"{type(node).__name__} in line {node.lineno}")
        if isinstance(node, nodes.If) and (node.elif_ or node.else_):
            found.append(f"else in line {node.lineno}")
        if isinstance(node, nodes.For) and (node.test or node.recursive or node.else_):
            found.append(f"loop with conditions in line {node.lineno}")
    return found


@pytest.mark.parametrize("path", TEMPLATES, ids=[f"{path.parts[-3]}/{path.name}" for path in TEMPLATES])
def test_no_logic(path):
    assert [] == logic(path.read_text())
    assert len(path.read_text().splitlines()) <= 60


@pytest.mark.parametrize(
    "source",
    [
        "{{ a | upper }}",
        "{{ a + b }}",
        "{{ a() }}",
        "{% if a == 1 %}{% endif %}",
        "{% if not a %}{% endif %}",
        "{% if a %}x{% else %}y{% endif %}",
        "{% set a = 1 %}",
        "{% for a in b if a %}{% endfor %}",
        "{{ a[0] }}",
        "{% macro m() %}{% endmacro %}",
        "{{ 'text' }}",
    ],
)
def test_logic_is_seen(source):
    assert logic(source) != []


def test_an_unknown_name_is_an_error():
    with pytest.raises(Exception, match="'nothing' is undefined"):
        environment("python").from_string("{{ nothing }}").render()


def test_each_language_has_the_same_things():
    expected = {"__init__.py", "names.py", "types.py", "view.py", "templates"}
    for folder in {path.parents[1] for path in TEMPLATES}:
        assert expected <= {path.name for path in folder.iterdir()}
