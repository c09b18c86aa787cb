"""What the repository holds: nothing of the machine it was written on, and nothing at the top without a reason."""

import re

import pytest

from architecture.tree import ROOT, tracked

TOP = {
    ".ci", ".gitattributes", ".gitignore", ".pre-commit-hooks.yaml", "ARCHITECTURE.md", "CHANGELOG.md",
    "CONTRIBUTING.md", "LICENSE", "Makefile", "Package.swift", "README.md", "SECURITY.md", "action.yml", "codegen",
    "examples", "kotlin", "protocol", "pyproject.toml", "python", "swift", "tests", "typescript",
}  # fmt: skip

# Written apart, so that this file does not hold what it looks for.
MACHINE_PATH = re.compile(r"(?<![\w.~}])/(?:work|tmp|root)(?![\w.-])")
UNFINISHED = re.compile(r"(?:#|//|<!--)\s*(?:TO[D]O|FIX[M]E|X[X]X)\b|\b(?:TO[D]O|FIX[M]E)[:(]")


def places(pattern: "re.Pattern[str]") -> list[str]:
    """Every line of a tracked text file in which the pattern is found."""
    found = []
    for path in tracked():
        if b"\0" in (content := path.read_bytes()):
            continue
        for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}")
    return found


def test_no_file_knows_the_machine_it_was_written_on():
    assert places(MACHINE_PATH) == []


def test_nothing_is_left_for_later():
    assert places(UNFINISHED) == []


def test_top_level_is_as_the_architecture_says():
    assert {path.relative_to(ROOT).parts[0] for path in tracked()} - TOP == set()


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("cd /" + "work", True),
        ("open('/" + "tmp/x')", True),
        ("https://example.org/" + "work", False),
        ("cwd: /" + "workspace/shop", False),
    ],
)
def test_pattern_tells_a_path_of_the_machine(text, is_found):
    assert is_found == bool(MACHINE_PATH.search(text))


def test_every_decision_has_a_number_of_its_own():
    files = sorted((ROOT / "protocol" / "decisions").iterdir())

    assert [f"{number:04}" for number in range(1, len(files) + 1)] == [file.name[:4] for file in files]
    assert [] == [file.name for file in files if not file.read_text(encoding="utf-8").startswith(f"# {file.name[:4]} ")]
