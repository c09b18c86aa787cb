"""The languages in which cases are tried. A language is a row of `DRIVERS`, and a module beside this one.

A driver is given the cases and an empty folder, and answers with an outcome for each case. What all drivers do alike
stands in `trial`: making the files of a case, and weighing what became of its values.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from turnwire_codegen.cases.folder import Case, Outcome
from turnwire_codegen.cases.kotlin import run_kotlin
from turnwire_codegen.cases.python import run_python
from turnwire_codegen.cases.swift import run_swift
from turnwire_codegen.cases.typescript import run_typescript

__all__ = ["DRIVERS", "Driver"]

# Raises ToolchainError where the language cannot be tried on this machine; the text says what is missing.
Driver = Callable[[tuple[Case, ...], Path], Mapping[str, Outcome]]
DRIVERS: Mapping[str, Driver] = {
    "python": run_python,
    "typescript": run_typescript,
    "swift": run_swift,
    "kotlin": run_kotlin,
}
