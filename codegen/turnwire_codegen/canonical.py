"""Regenerates everything that is generated and committed: `python -m turnwire_codegen.canonical [--check]`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from turnwire_codegen.emit.docs import PAGE, emit_docs
from turnwire_codegen.emit.jsonschema import bundle
from turnwire_codegen.emit.typescript import emit_module
from turnwire_codegen.files import Difference, OutputError, diff_all, manifested, write_all
from turnwire_codegen.load.beside import read_beside
from turnwire_codegen.load.canonical import load_canonical
from turnwire_codegen.outputs import emitted, given_canonical
from turnwire_codegen.passes import PASSES, STABLE_PASSES, run
from turnwire_codegen.problems import has_errors
from turnwire_codegen.source import canonical_folder

__all__ = ["main"]

COMMAND = "python -m turnwire_codegen.canonical"
# The languages whose bindings are committed, each with the folder that holds them and nothing else.
COMMITTED = {
    "generate-python": "python/turnwire/generated",
    "generate-ts": "typescript/src/generated",
    "generate-swift": "swift/Sources/Turnwire/Generated",
    "generate-kotlin": "kotlin/src/main/kotlin/turnwire/generated",
}
# The one file that a language carries for another: what `schema/export` gives out as TypeScript.
_CARRIED = ("generate-python", "schema.ts")


def main(argv: Sequence[str], stdout: TextIO, stderr: TextIO) -> int:
    """0 when all stands, 1 when the schema has problems or with --check something differs, 2 for wrong use."""
    if list(argv) not in ([], ["--check"]):
        stderr.write(f"unknown arguments: {' '.join(argv)}; use {COMMAND} [--check]\n")
        return 2
    folder = canonical_folder()
    root = folder.parent
    if not (root / "python" / "turnwire").is_dir():
        stderr.write(f"{root} is no checkout; run {COMMAND} where the sources are\n")
        return 2
    protocol, problems = load_canonical(folder)
    beside = read_beside(folder, problems)
    stderr.writelines(f"{problem}\n" for problem in problems)
    if protocol is None or has_errors(problems):
        return 1
    whole, stable = run(protocol, PASSES), run(protocol, STABLE_PASSES)
    given = given_canonical(whole, COMMAND)
    wanted: list[tuple[Path, dict[str, bytes]]] = [
        (folder, {"bundle.json": bundle(whole).text, "bundle.stable.json": bundle(stable).text}),
        (folder, {PAGE: emit_docs(whole, beside, given.header)}),
    ]
    for command, place in COMMITTED.items():
        files = emitted(command, given)
        if command == _CARRIED[0]:
            files = {**files, _CARRIED[1]: emit_module(whole, given.header)}
        wanted.append((root / place, manifested(root / place, files, keep_orphans=False, facts={})))
    try:
        return _settle(wanted, root, stdout, check=bool(argv))
    except OutputError as error:
        stderr.write(f"{error}\n")
        return 2


def _settle(wanted: list[tuple[Path, dict[str, bytes]]], root: Path, stdout: TextIO, *, check: bool) -> int:
    differing = 0
    for folder, output in wanted:
        differences = diff_all(folder, output)
        differing += len(differences)
        if check:
            stdout.writelines(f"{found.state}: {(folder / found.path).relative_to(root)}\n" for found in differences)
        else:
            write_all(folder, output, remove=_orphans(differences))
    if check and differing:
        stdout.write(f"mend with: {COMMAND}\n")
        return 1
    stdout.write("everything generated is current\n" if check else f"{differing} files changed\n")
    return 0


def _orphans(differences: list[Difference]) -> list[str]:
    return [difference.path for difference in differences if difference.state == "orphan"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdout, sys.stderr))
