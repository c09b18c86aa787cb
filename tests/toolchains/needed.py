"""What tests need and a machine may lack: with CI set its absence fails the run, elsewhere it is skipped by name."""

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

__all__ = ["ESBUILD", "NODE_MODULES", "TSC", "absent", "demand_node"]

NODE_MODULES = Path(__file__).parents[2] / "typescript" / "node_modules"
ESBUILD = NODE_MODULES / ".bin" / "esbuild"
TSC = NODE_MODULES / "typescript" / "bin" / "tsc"


def absent(told: str) -> NoReturn:
    """Say what is not there."""
    if os.environ.get("CI"):
        pytest.fail(told)
    pytest.skip(told)


def demand_node(*packages: str) -> None:
    """Go on only where Node is, and these packages of typescript/."""
    missing = [] if shutil.which("node") else ["node"]
    missing += [name for name in packages if not (NODE_MODULES / name).exists()]
    if missing:
        absent(f"not installed: {', '.join(missing)}; `npm ci` in typescript/ brings all but node")
