"""What is shipped works: the wheel, alone in a fresh environment, serves, judges and generates.

The dependencies are copied from the environment that runs the tests, so that no network is needed.
"""

import importlib.metadata
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from architecture.tree import ROOT

pytestmark = pytest.mark.timeout(300)  # a build, an environment, and a whole judgement on a busy machine


def closure(requirements: Iterator[Requirement]) -> dict[str, importlib.metadata.Distribution]:
    """The installed distributions that the requirements need, with all that those need."""
    found: dict[str, importlib.metadata.Distribution] = {}
    pending = list(requirements)
    while pending:
        requirement = pending.pop()
        if requirement.name in found:
            continue
        try:
            distribution = importlib.metadata.distribution(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            continue  # what is really needed fails by its absence
        found[requirement.name] = distribution
        wanted = map(Requirement, distribution.requires or ())
        extras = {"extra": next(iter(requirement.extras), "")}
        pending += [needed for needed in wanted if needed.marker is None or needed.marker.evaluate(extras)]
    return found


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The wheel, built from this checkout."""
    directory = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(directory), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = directory.glob("*.whl")
    return built


def install(wheel: Path, home: Path, extras: set[str]) -> Path:
    """Put the wheel and what it needs into a new environment; return its directory of programs."""
    venv.create(home, with_pip=False, symlinks=True)
    site = next(home.glob("lib/python*/site-packages"))
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "install", "--quiet"]
    subprocess.run([*pip, "--no-index", "--no-deps", str(wheel)], check=True)
    (metadata,) = importlib.metadata.distributions(name="turnwire", path=[str(site)])
    wanted = [
        requirement
        for requirement in map(Requirement, metadata.requires or ())
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in extras)
    ]
    for distribution in closure(iter(wanted)).values():
        for file in distribution.files or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(str(distribution.locate_file(file)), site / file)
    return home / "bin"


@pytest.fixture(scope="session")
def programs(wheel, tmp_path_factory):
    """An environment with the judge and the generator."""
    return install(wheel, tmp_path_factory.mktemp("full") / "venv", {"conformance", "codegen"})


@pytest.fixture(scope="session")
def bare(wheel, tmp_path_factory):
    """An environment with msgspec alone."""
    return install(wheel, tmp_path_factory.mktemp("bare") / "venv", set())


def run(programs: Path, *argv: str) -> "subprocess.CompletedProcess[str]":
    """Run the installed program far from the checkout, and with nothing of it on any path."""
    env = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(programs.parent)}
    return subprocess.run(
        ["turnwire", *argv], executable=str(programs / "turnwire"), cwd=programs.parent, env=env,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_wheel_judges_the_server_that_it_brings(programs):
    done = run(programs, "check", "server", "--", "turnwire", "serve", "--agent", "scripted")

    assert done.returncode == 0, done.stdout + done.stderr


def test_wheel_generates(programs, tmp_path):
    done = run(programs, "generate-python", "--out", str(tmp_path / "bindings"))

    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr
    assert list((tmp_path / "bindings").rglob("*.py"))


@pytest.mark.parametrize(
    ("argv", "extra"),
    [
        (("check", "server", "--", "turnwire", "serve"), "conformance"),
        (("validate", "-"), "conformance"),
        (("generate-python", "--out", "x"), "codegen"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_missing_part_is_one_line_with_the_command_that_adds_it(bare, argv, extra):
    done = run(bare, *argv)

    said = done.stderr.strip().rpartition("run: ")[2]

    assert (done.returncode, said) == (2, f"pip install 'turnwire[{extra}]'")
    assert done.stderr.count("\n") == 1


def test_bare_wheel_runs_a_turn(bare):
    done = run(bare, "debug", "send-message", "text Hello")

    assert (done.returncode, "Hello" in done.stdout) == (0, True), done.stderr


def test_bare_wheel_says_its_versions(bare):
    done = run(bare, "version")

    assert (done.returncode, "protocol" in done.stdout) == (0, True), done.stderr
