"""The Kotlin compiler as Maven has fetched it, called without Maven, which would take longer than most builds.

What was built once is kept by the digest of its sources, beside the repository of Maven and outside of any checkout.
"""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from turnwire_codegen.cases.trial import ToolchainError, cache

__all__ = ["Build", "Kotlin", "build", "builds", "kotlin"]

# The compiler with all that it runs on, then what generated code is compiled against.
_COMPILER = (
    *("org/jetbrains/kotlin/kotlin-compiler-embeddable", "org/jetbrains/kotlin/kotlin-stdlib"),
    *("org/jetbrains/kotlin/kotlin-script-runtime", "org/jetbrains/kotlin/kotlin-reflect"),
    *("org/jetbrains/kotlin/kotlin-daemon-embeddable", "org/jetbrains/kotlinx/kotlinx-coroutines-core-jvm"),
    "org/jetbrains/annotations",
)
_LIBRARIES = (
    *("org/jetbrains/kotlin/kotlin-stdlib", "org/jetbrains/kotlinx/kotlinx-serialization-core-jvm"),
    *("org/jetbrains/kotlinx/kotlinx-serialization-json-jvm", "org/jetbrains/kotlinx/kotlinx-coroutines-core-jvm"),
)
# A compiler that runs once is not worth the JVM's second compiler, nor more than one thread for the garbage.
_JVM = (
    *("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss8m", "-Xmx2g", "-Dkotlin.environment.keepalive=true"),
    # What the first compiler makes of a process that compiles for minutes is more than the 48 MB that it has by itself.
    "-XX:ReservedCodeCacheSize=256m",
)
_FAULT = re.compile(r"^(?:file://)?(?P<path>.*?\.kt):\d+:\d+: (?:error|warning): (?P<text>.*)$", re.MULTILINE)
_KEPT = 48
# A file among the classes of a build: how long it took.
_TOOK = "compile-seconds"
_COMPILE = Path(__file__).with_name("Compile.java")


class Kotlin(NamedTuple):
    """The commands of one toolchain."""

    java: str
    compiler: str
    libraries: str

    def command(self, classes: Path, main: str) -> list[str]:
        """What runs a main class that was built."""
        return [self.java, "-XX:+UseSerialGC", "-Xss8m", "-cp", f"{classes}{os.pathsep}{self.libraries}", main]


class Build(NamedTuple):
    """The folder of the classes, the first complaint about each file that does not compile, and what it took.

    `seconds` are those of the processor, when it was compiled.
    """

    classes: Path
    faults: Mapping[str, str]
    seconds: float


def kotlin() -> Kotlin:
    """The toolchain of this machine. Raises ToolchainError where it is missing."""
    java = shutil.which("java")
    if java is None:
        raise ToolchainError("java is not installed; install a JDK 17 or later, or name other --languages")
    repository = cache() / "m2"
    return Kotlin(java, _classpath(repository, _COMPILER), _classpath(repository, _LIBRARIES))


def build(tools: Kotlin, sources: Mapping[str, str], scratch: Path) -> Build:
    """Compile these files, or find that it was done before; `scratch` is a folder to do it in."""
    return builds(tools, {"one": sources}, scratch, ("-nowarn",))["one"]


def builds(
    tools: Kotlin, programs: Mapping[str, Mapping[str, str]], scratch: Path, words: Sequence[str]
) -> Mapping[str, Build]:
    """Compile several programs, those that were not before in one process; `words` are said to the compiler besides."""
    homes = {name: cache() / "kotlin" / _digest(tools, sources, words) for name, sources in programs.items()}
    fresh = {
        name: _laid(tools, sources, scratch / name, words)
        for name, sources in programs.items()
        if not homes[name].is_dir()
    }
    seconds = _compiled(tools, tuple(fresh.values()))
    found: dict[str, Build] = {}
    for name, home in homes.items():
        faults = _faults(fresh[name]) if name in fresh else {}
        if faults:
            found[name] = Build(fresh[name] / "classes", faults, seconds[fresh[name]])
            continue
        if name in fresh:
            (fresh[name] / "classes" / _TOOK).write_text(f"{seconds[fresh[name]]}")
            _keep(fresh[name] / "classes", home)
        home.touch()
        found[name] = Build(home, {}, float((home / _TOOK).read_text()))
    return found


def _digest(tools: Kotlin, sources: Mapping[str, str], words: Sequence[str]) -> str:
    text = "\0".join([tools.compiler, *words, *(part for row in sorted(sources.items()) for part in row)])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _laid(tools: Kotlin, sources: Mapping[str, str], home: Path, words: Sequence[str]) -> Path:
    """A folder that `Compile.java` can take, made anew."""
    shutil.rmtree(home, ignore_errors=True)
    for path, content in sources.items():
        (home / "src" / path).parent.mkdir(parents=True, exist_ok=True)
        (home / "src" / path).write_text(content, encoding="utf-8")
    (home / "classes").mkdir()
    paths = ("-cp", tools.libraries, "-d", str(home / "classes"), str(home / "src"))
    lines = ("-no-stdlib", "-no-reflect", "-jvm-target", "17", *words, *paths)
    (home / "words").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return home


def _compiled(tools: Kotlin, homes: Sequence[Path]) -> Mapping[Path, float]:
    """Compile what is laid out in these folders; how many seconds of the processor each took."""
    if not homes:
        return {}
    command = [tools.java, *_JVM, "-cp", tools.compiler, str(_COMPILE), *map(str, homes)]
    # Paths below where it is called are told from there.
    done = subprocess.run(  # noqa: S603 -- our own words
        command, cwd=homes[0].parent, capture_output=True, encoding="utf-8", check=False
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    if done.returncode or len(rows) != len(homes):
        raise ToolchainError(f"the Kotlin compiler failed: {done.stderr.strip()[:200]}")
    for home, (code, _) in zip(homes, rows, strict=True):
        if code != "0" and not _faults(home):
            raise ToolchainError(f"the Kotlin compiler failed: {(home / 'told').read_text().strip()[:200]}")
    return {home: float(seconds) for home, (_, seconds) in zip(homes, rows, strict=True)}


def _faults(home: Path) -> Mapping[str, str]:
    """What the compiler said of each file of a folder first."""
    faults: dict[str, str] = {}
    for found in _FAULT.finditer((home / "told").read_text(encoding="utf-8")):
        path = (home.parent / found["path"]).relative_to(home / "src").as_posix()
        faults.setdefault(path, f"{path}: {found['text']}")
    return faults


def _keep(classes: Path, known: Path) -> None:
    """Put a build where it is found again, and forget those that nobody asked for in a long time."""
    known.parent.mkdir(parents=True, exist_ok=True)
    fresh = known.with_suffix(f".{os.getpid()}")
    shutil.copytree(classes, fresh)
    try:
        fresh.rename(known)
    except OSError:
        # Another process was faster; its build is the same.
        shutil.rmtree(fresh)
    builds = sorted(known.parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in builds[_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def _classpath(repository: Path, artifacts: tuple[str, ...]) -> str:
    return os.pathsep.join(str(_newest(repository, artifact)) for artifact in artifacts)


def _newest(repository: Path, artifact: str) -> Path:
    """The jar of the newest version that was fetched."""
    name = artifact.rpartition("/")[2]
    jars = [jar for jar in (repository / artifact).glob(f"*/{name}-*.jar") if "-sources" not in jar.name]
    if not jars:
        raise ToolchainError(f"no {name} in {repository}; tests/toolchains/kotlin.sh fetches it")
    return max(jars, key=lambda jar: [int(part) for part in re.findall(r"\d+", jar.parent.name)])
