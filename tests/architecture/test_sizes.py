"""A page is a page: a module that outgrows 400 lines, or a function that outgrows 40, says two things at once."""

import ast
from collections.abc import Iterator

import pytest

from architecture.tree import ROOT, Module, modules

MODULE_LINES = 400
FUNCTION_LINES = 40
TEMPLATE_LINES = 60

# What may be longer, each with the reason why it is one thing all the same.
LONGER_MODULES: dict[str, str] = {}
LONGER_FUNCTIONS: dict[str, str] = {}


def functions(module: Module) -> Iterator[tuple[str, int]]:
    """Every function of a module by its qualified name, with its lines from `def` to its end."""
    pending: list[tuple[str, ast.AST]] = [(module.path, module.tree)]
    while pending:
        owner, node = pending.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                assert child.end_lineno is not None
                yield f"{owner}:{child.name}", child.end_lineno - child.lineno + 1
            name = getattr(child, "name", "")
            pending.append((f"{owner}:{name}" if name else owner, child))


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.path)
def test_module_is_a_page_or_has_a_reason(module):
    lines = module.text.count("\n")

    assert lines <= MODULE_LINES or module.path in LONGER_MODULES, f"{lines} lines"


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.path)
def test_functions_are_short_or_have_a_reason(module):
    long = {name: lines for name, lines in functions(module) if lines > FUNCTION_LINES and name not in LONGER_FUNCTIONS}

    assert long == {}


def test_templates_are_short():
    templates = sorted((ROOT / "codegen").rglob("*.j2")) + sorted((ROOT / "codegen").rglob("*.jinja"))
    long = {str(path): lines for path in templates if (lines := path.read_text().count("\n")) > TEMPLATE_LINES}

    assert long == {}
    assert templates, "the generator has templates; the pattern above has lost them"


def test_every_exception_is_still_needed():
    sizes = {module.path: module.text.count("\n") for module in modules()}
    lengths = dict(pair for module in modules() for pair in functions(module))
    stale = [path for path in LONGER_MODULES if sizes.get(path, 0) <= MODULE_LINES]
    stale += [name for name in LONGER_FUNCTIONS if lengths.get(name, 0) <= FUNCTION_LINES]

    assert stale == []


def test_the_measure_sees_a_long_function():
    text = "class A:\n    def f(self):\n" + "        x = 1\n" * 41

    assert list(functions(Module("m.py", "m", text, ast.parse(text)))) == [("m.py:A:f", 42)]
