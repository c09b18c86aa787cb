"""Every example in the documentation runs: what a reader pastes works, and what the page shows is what comes out.

```console blocks are run by bash, the blocks of a page in one directory. Output that is shown must come, `…` stands for
anything, and `[2]` below it for an exit code that is not 0. ```python blocks are run, ```json blocks are read.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from architecture.tree import ROOT, environment, tracked

pytestmark = pytest.mark.timeout(300)  # a page may judge a server, on a busy machine

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)")
EXIT = re.compile(r"\[(\d+)\]")
# Set-up changes the machine or needs the network; what can be known of it without running is tested below.
SET_UP = re.compile(r"(?:make|git clone|cd|pip install|pipx|uv|npm)\b")

PAGES = sorted(path for path in tracked() if path.suffix == ".md")


class Step(NamedTuple):
    """A command with the output and the exit code that the page promises."""

    command: str
    output: str
    code: int


def blocks(page: Path, *languages: str) -> list[str]:
    return [text for language, text in FENCE.findall(page.read_text(encoding="utf-8")) if language in languages]


def steps(block: str) -> Iterator[Step]:
    """The commands of a console block: `$ ` begins one, `> ` goes on with it, all else is output."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        length = 1
        while length < len(lines) and lines[length].startswith("> "):
            length += 1
        command = "\n".join([lines[0], *(line[2:] for line in lines[1:length])])
        output = lines[length:]
        code = EXIT.fullmatch(output[-1]) if output else None
        yield Step(command, "\n".join(output[:-1] if code else output), int(code[1]) if code else 0)


def matches(shown: str, came: str) -> bool:
    """Whether the output is the shown one; `…` alone on a line stands for lines, within one for a part of it."""
    pattern = "\n".join(
        r"(?:.*\n)*?.*" if line.strip() == "…" else ".*".join(map(re.escape, line.split("…")))
        for line in shown.strip().splitlines()
    )
    return not shown.strip() or re.fullmatch(pattern, came.strip()) is not None


@pytest.fixture
def shell(tmp_path):
    """Run one command in the directory of the page, with our `turnwire` and `python` first on the path."""
    programs, place = tmp_path / "bin", tmp_path / "page"
    programs.mkdir()
    place.mkdir()
    for name, words in {"turnwire": "-m turnwire", "python": ""}.items():
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        program.chmod(0o755)
    env = environment(NO_COLOR="1")
    env["PATH"] = f"{programs}:{env['PATH']}"

    def run(*argv: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            argv, cwd=place, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )

    return run


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")], ids=lambda page: page.name)
def test_console_blocks_run_as_shown(page, shell):
    for step in (step for block in blocks(page, "console") for step in steps(block)):
        if SET_UP.match(step.command):
            continue
        done = shell("bash", "-c", step.command)

        assert (done.returncode, matches(step.output, done.stdout)) == (step.code, True), (
            f"{step.command}\n{done.stdout}"
        )


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name)
def test_python_blocks_run(page, shell):
    for text in blocks(page, "python"):
        done = shell(sys.executable, "-c", text)

        assert done.returncode == 0, f"{text}\n{done.stdout}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_says_nothing_that_is_not_there(page):
    text = page.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for link in LINK.findall(text):
        assert (page.parent / link).exists(), link
    for target in re.findall(r"(?:`|^\$ )make (\w+)", text, re.MULTILINE):
        assert target in targets
    for block in blocks(page, "json"):
        json.loads(block)


@pytest.mark.parametrize(
    ("shown", "came", "expected"),
    [
        ("", "anything", True),
        ("a\nb", "a\nb\n", True),
        ("a\n…\nd", "a\nb\nc\nd\n", True),
        ("a … c", "a b c\n", True),
        ("a", "a\nb\n", False),
        ("a\n…\nd", "a\nb\nc\n", False),
    ],
)
def test_matching_can_fail(shown, came, expected):
    assert matches(shown, came) is expected


def test_steps_are_commands_with_their_output():
    block = "$ echo a \\\n> b\na b\n$ false\n[1]\n"

    assert list(steps(block)) == [Step("echo a \\\nb", "a b", 0), Step("false", "", 1)]
