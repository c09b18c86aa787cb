"""Swift for the tests: the package of this repository as it is built, others like it, the server as Swift sees it."""

import re
import sys
from pathlib import Path

from bindings.canonical import lines
from toolchains.needed import absent
from turnwire_codegen.cases.swift_toolchain import Build, Swift, build, swift
from turnwire_codegen.cases.trial import ToolchainError
from turnwire_codegen.outputs import make

__all__ = [
    "BARE",
    "MANIFEST",
    "ROOT",
    "foreign",
    "installed",
    "older_mode",
    "package",
    "roundtrip",
    "server",
    "turnwire",
]

ROOT = Path(__file__).parents[2]
# Debug information takes a third of the time, and nobody debugs here. Who imports the code wants no warnings of it.
BARE = ("-Xswiftc", "-gnone", "-Xswiftc", "-warnings-as-errors")
MODES = 'swiftLanguageVersions: [.v5, .version("6")]'
# What is generated is called as in the package of this repository, so that one program serves both.
MANIFEST = """// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "Foreign",
    targets: [
        .target(name: "Turnwire"),
        .executableTarget(name: "roundtrip", dependencies: ["Turnwire"]),
    ]
)
"""
# The page of the package is a program too, beside those that the package has.
TESTS = ".testTarget("
README = '.executableTarget(name: "readme", dependencies: ["Turnwire"], path: "readme"),'


def installed() -> Swift:
    """The compiler; where there is none, that fails the run in CI and is told elsewhere."""
    try:
        return swift()
    except ToolchainError as error:
        absent(str(error))


def package(tools: Swift, *options: str) -> Build:
    """The package with its tests, built once for all processes of a run."""
    paths = [
        ROOT / "Package.swift",
        ROOT / "swift" / "Sources" / "Turnwire" / "Generated" / "manifest.json",
        *(ROOT / "swift").rglob("*.swift"),
        *(ROOT / "examples" / "swift").rglob("*.swift"),
    ]
    sources = {str(path.relative_to(ROOT)): path.read_text() for path in paths}
    assert MODES in sources["Package.swift"]
    assert sources["Package.swift"].count(TESTS) == 1
    sources["Package.swift"] = sources["Package.swift"].replace(TESTS, f"{README}\n        {TESTS}")
    sources["readme/main.swift"] = page_program((ROOT / "swift" / "README.md").read_text())
    name = "turnwire-release" if "release" in options else "turnwire"
    return build(tools, name, sources, *(options or ("--build-tests", *BARE)))


def older_mode(tools: Swift) -> Build:
    """The library in the older of its two language modes; a compiler that knows both takes the newer one for it."""
    home = ROOT / "swift"
    paths = (home / "Sources" / "Turnwire").rglob("*.swift")
    return _built(tools, "turnwire-5", {str(path.relative_to(home)): path.read_text() for path in paths})


def page_program(page: str) -> str:
    """The Swift of a page as one program, without what belongs into a manifest."""
    blocks = re.findall(r"^```swift\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return "\n".join(block for block in blocks if not block.startswith("// Package.swift"))


def foreign(tools: Swift, name: str, schema: Path) -> Build:
    """All that is generated for another schema, types and validators, with the program that takes values through it."""
    made = make("generate-swift", schema, experimental=False)
    assert made.files is not None, [str(problem) for problem in made.problems]
    sources = {
        f"Sources/Turnwire/{path}": text.decode() for path, text in made.files.items() if path.endswith(".swift")
    }
    return _built(tools, name, sources)


def roundtrip(tools: Swift, built: Build, rows: list[tuple[str, object]]) -> list[str]:
    """What becomes of values, each of a named type."""
    done = tools.run([str(built.programs / "roundtrip")], ROOT, lines(rows))
    assert (0, "") == (done.returncode, done.stderr)
    return done.stdout.split("\n")[:-1]


def turnwire(tools: Swift) -> list[str]:
    """The command line as a program that was built can start it; a chroot has the machine's own below /host."""
    words = [sys.executable, "-m", "turnwire"]
    return ["chroot", "/host", "env", f"PYTHONPATH={ROOT / 'python'}", *words] if tools.chroot else words


def server(tools: Swift) -> list[str]:
    """The reference server, likewise."""
    return [*turnwire(tools), "serve", "--agent", "scripted"]


def _built(tools: Swift, name: str, sources: dict[str, str]) -> Build:
    """A library with the program that takes values through it, in the language mode 5."""
    main = (ROOT / "swift" / "Sources" / "roundtrip" / "main.swift").read_text()
    return build(tools, name, {**sources, "Package.swift": MANIFEST, "Sources/roundtrip/main.swift": main}, *BARE)
