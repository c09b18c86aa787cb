"""Swift: all cases are one package, a type each; a value is accepted by validator and type, and comes back equal."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from turnwire_codegen.cases.folder import Case, Outcome
from turnwire_codegen.cases.swift_toolchain import Swift, build, swift
from turnwire_codegen.cases.trial import Answer, ToolchainError, files_of, weighed
from turnwire_codegen.emit.swift.text import quoted
from turnwire_codegen.emit.swift.validators import emit_validators
from turnwire_codegen.load.foreign.front import load_foreign

__all__ = ["run_swift", "tried"]

_PACKAGE = """// swift-tools-version:5.9
import PackageDescription

let package = Package(name: "Cases", targets: [.executableTarget(name: "Cases")])
"""
# A line `CASE<tab>JSON` in; a line `=JSON` out, `?TEXT` where the type refuses, `!TEXT` where only the validator does.
_MAIN = """
func answer(
    _ check: (JSONValue) -> JSONFault?, _ text: Substring, _ read: (JSONValue) throws -> (any JSONRepresentable)?
) -> String {{
    do {{
        let json = try JSONValue(parsing: text.utf8)
        let value = try read(json)!
        if let fault = check(json) {{ return "!\\(fault)" }}
        return "=\\(String(decoding: value.jsonBytes, as: UTF8.self))"
    }} catch {{
        return "?\\(error)"
    }}
}}

let answers: [String: (Substring) -> String] = [
{rows}
]
while let line = readLine() {{
    let parts = line.split(separator: "\\t", maxSplits: 1)
    print(answers[String(parts[0])]!(parts[1]))
}}
"""
# A row of the dictionary above.
_ROW = '    "{name}": {{ answer({name}.checkRoot, $0) {{ {read} }} }},'
_VALIDATORS = "Validators"


def run_swift(cases: tuple[Case, ...], scratch: Path) -> Mapping[str, Outcome]:
    """The outcome of every case; what is built is kept in the cache. Raises ToolchainError."""
    outcomes, answers = tried(cases, scratch)
    by_name = {case.name: case for case in cases}
    return {**outcomes, **{name: weighed(by_name[name], told) for name, told in answers.items()}}


def tried(cases: tuple[Case, ...], scratch: Path) -> tuple[Mapping[str, Outcome], Mapping[str, list[Answer]]]:
    """The outcome of each case that cannot be tried, and of the others what became of each value.

    A refusal says `validator` only where the type alone would have taken the value.
    """
    tools = swift()
    outcomes: dict[str, Outcome] = {}
    answers: Mapping[str, list[Answer]] = {}
    named = {f"Case{number}": case for number, case in enumerate(cases)}
    made: dict[str, Mapping[str, bytes]] = {}
    for name, case in named.items():
        files = files_of(case, "generate-swift", partial(emit_validators, home=name))
        if isinstance(files, Outcome):
            outcomes[case.name] = files
        else:
            made[name] = files
    while made:
        built = build(tools, "cases", _sources(made, named), "-Xswiftc", "-gnone")
        broken = {path.partition("/")[2].removesuffix(".swift"): fault for path, fault in built.faults.items()}
        if broken and not broken.keys() & made.keys():
            raise ToolchainError(f"the Swift compiler says: {next(iter(broken.items()))}")
        for name in broken.keys() & made.keys():
            outcomes[named[name].name] = Outcome("does-not-build", broken[name])
            del made[name]
        if not broken:
            told = _answers(tools, built.programs / "Cases", {name: named[name] for name in made}, scratch)
            answers = {named[name].name: told[name] for name in made}
            break
    return outcomes, answers


def _sources(made: Mapping[str, Mapping[str, bytes]], named: Mapping[str, Case]) -> Mapping[str, str]:
    """Every file of the package: the support once, and a file for each case, in which a type holds all others."""
    sources = {"Package.swift": _PACKAGE}
    for name, files in made.items():
        parts = [f"enum {name}: JSONChecking {{}}"]
        for path, content in files.items():
            text = content.decode()
            if path.startswith("Support/"):
                sources[f"Sources/{path}"] = text
            elif path.startswith(_VALIDATORS):
                # Those of the definitions would be called alike in all cases; that of the root is in the case.
                parts += [text] if f"extension {name} {{" in text else []
            elif path.endswith(".swift") and path != "Methods.swift":
                parts.append(f"extension {name} {{\n{text}}}")
        sources[f"Sources/{name}.swift"] = "\n".join(parts)
    rows = "\n".join(_ROW.format(name=name, read=_read(name, named[name])) for name in made)
    return {**sources, "Sources/main.swift": _MAIN.format(rows=rows)}


def _read(name: str, case: Case) -> str:
    """The value as the type of the root, or where it has none as any JSON."""
    loaded, _, _ = load_foreign(case.path / "schema.json")
    return "$0" if loaded is None or loaded.root is None else f"try {name}.Definitions.read({quoted(loaded.root)}, $0)"


def _answers(tools: Swift, program: Path, cases: Mapping[str, Case], folder: Path) -> Mapping[str, list[Answer]]:
    rows = [(name, value) for name, case in cases.items() for value in (*case.valid, *case.invalid)]
    text = "".join(f"{name}\t{json.dumps(value)}\n" for name, value in rows)
    done = tools.run([str(program)], folder, text)
    lines = done.stdout.split("\n")[:-1]
    if done.returncode or len(lines) != len(rows):
        raise ToolchainError(f"what was built failed: {done.stderr.strip()[:200]}")
    answers: dict[str, list[Answer]] = {name: [] for name in cases}
    for (name, _), line in zip(rows, lines, strict=True):
        answers[name].append(_answer(line))
    return answers


def _answer(line: str) -> Answer:
    if line.startswith("="):
        return Answer(back=json.loads(line[1:]))
    return Answer(f"{'validator' if line.startswith('!') else 'type'}: {line[1:]}")
