"""What a module offers is what its `__all__` says, and a module says what it is before it says anything else."""

import ast

import pytest

from architecture.tree import Module, product


def is_public(module: Module) -> bool:
    """Private modules and the two-line `__main__` offer nothing."""
    return not any(part.startswith("_") for part in module.name.split("."))


def offered(module: Module) -> list[str] | None:
    """The literal `__all__`; None when there is none."""
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and [getattr(target, "id", "") for target in node.targets] == ["__all__"]:
            return ast.literal_eval(node.value)
    return None


def defined(module: Module) -> set[str]:
    """Public functions and classes of its own."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    own = [node for node in module.tree.body if isinstance(node, kinds)]
    named = {node.name for node in own if not node.name.startswith("_") and not is_registered(node)}
    return named - tabled(module)


def tabled(module: Module) -> set[str]:
    """Functions that are reached by a table of the module, such as a handler by its method."""
    tables = [node.value for node in module.tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    rows = [value for table in tables if isinstance(table, ast.Dict) for value in table.values]
    return {name.id for row in rows for name in ast.walk(row) if isinstance(name, ast.Name)}


def is_registered(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """A check is reached by its id in the catalogue, never by the name of its function."""
    calls = [decorator for decorator in node.decorator_list if isinstance(decorator, ast.Call)]
    return any(isinstance(call.func, ast.Name) and call.func.id == "check" for call in calls)


def visible(module: Module) -> set[str]:
    """Every name that the top level binds, imported names too."""
    names = {
        node.id for node in ast.walk(module.tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in module.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
    return names | {node.name for node in module.tree.body if hasattr(node, "name")}


PUBLIC = [module for module in product() if is_public(module)]


@pytest.mark.parametrize("module", PUBLIC, ids=lambda module: module.path)
def test_public_names_equal_all(module):
    if not defined(module) and offered(module) is None:
        return  # a package that is only a folder
    names = offered(module)

    assert names is not None, "no __all__"
    assert len(names) == len(set(names))
    assert sorted(defined(module) - set(names)) == []
    # A module that resolves names lazily (PEP 562) may offer what it does not bind.
    lazy = "__getattr__" in {node.name for node in module.tree.body if isinstance(node, ast.FunctionDef)}
    assert lazy or sorted(set(names) - visible(module)) == []


@pytest.mark.parametrize("module", product(), ids=lambda module: module.path)
def test_module_opens_with_what_it_is(module):
    docstring = ast.get_docstring(module.tree)

    assert docstring, "no docstring"
    assert 1 <= docstring.count("\n") + 1 <= 8
