"""The Kotlin compiler as Maven has fetched it, called without Maven, which would take longer than most builds.

What was built once is kept by the digest of its sources, beside the repository of Maven and outside of any checkout.
"""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from turnwire_codegen.cases.trial import ToolchainError, cache

__all__ = ["Build", "Kotlin", "build", "kotlin"]

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
_JVM = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss8m", "-Xmx2g")
_FAULT = re.compile(r"^(?:file://)?(?P<path>.*?\.kt):\d+:\d+: error: (?P<text>.*)$", re.MULTILINE)
_KEPT = 24


class Kotlin(NamedTuple):
    """The commands of one toolchain."""

    java: str
    compiler: str
    libraries: str

    def command(self, classes: Path, main: str) -> list[str]:
        """What runs a main class that was built."""
        return [self.java, "-XX:+UseSerialGC", "-Xss8m", "-cp", f"{classes}{os.pathsep}{self.libraries}", main]


class Build(NamedTuple):
    """The folder of the classes, and the first complaint about each file that does not compile."""

    classes: Path
    faults: Mapping[str, str]


def kotlin() -> Kotlin:
    """The toolchain of this machine. Raises ToolchainError where it is missing."""
    java = shutil.which("java")
    if java is None:
        raise ToolchainError("java is not installed; install a JDK 17 or later, or name other --languages")
    repository = cache() / "m2"
    return Kotlin(java, _classpath(repository, _COMPILER), _classpath(repository, _LIBRARIES))


def build(tools: Kotlin, sources: Mapping[str, str], scratch: Path) -> Build:
    """Compile these files, or find that it was done before; `scratch` is a folder to do it in."""
    text = "\0".join(f"{path}\0{content}" for path, content in sorted(sources.items()))
    known = cache() / "kotlin" / hashlib.sha256(f"{tools.compiler}\0{text}".encode()).hexdigest()[:32]
    if known.is_dir():
        known.touch()
        return Build(known, {})
    home, classes = scratch / "src", scratch / "classes"
    shutil.rmtree(home, ignore_errors=True)
    shutil.rmtree(classes, ignore_errors=True)
    for path, content in sources.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(content, encoding="utf-8")
    faults = _compiled(tools, home, classes)
    if faults:
        return Build(classes, faults)
    return Build(_kept(classes, known), {})


def _compiled(tools: Kotlin, home: Path, classes: Path) -> Mapping[str, str]:
    words = ["-no-stdlib", "-no-reflect", "-nowarn", "-jvm-target", "17", "-cp", tools.libraries, "-d", str(classes)]
    main = "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"
    command = [tools.java, *_JVM, "-cp", tools.compiler, main, *words, str(home)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)  # noqa: S603 -- our own words
    if not done.returncode:
        return {}
    faults: dict[str, str] = {}
    for found in _FAULT.finditer(done.stderr):
        path = Path(found["path"]).relative_to(home).as_posix()
        faults.setdefault(path, f"{path}: {found['text']}")
    if not faults:
        raise ToolchainError(f"the Kotlin compiler failed: {done.stderr.strip()[:200]}")
    return faults


def _kept(classes: Path, known: Path) -> Path:
    """Move a build to where it is found again, and forget those that nobody asked for in a long time."""
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
    return known


def _classpath(repository: Path, artifacts: tuple[str, ...]) -> str:
    return os.pathsep.join(str(_newest(repository, artifact)) for artifact in artifacts)


def _newest(repository: Path, artifact: str) -> Path:
    """The jar of the newest version that was fetched."""
    name = artifact.rpartition("/")[2]
    jars = [jar for jar in (repository / artifact).glob(f"*/{name}-*.jar") if "-sources" not in jar.name]
    if not jars:
        raise ToolchainError(f"no {name} in {repository}; tests/toolchains/kotlin.sh fetches it")
    return max(jars, key=lambda jar: [int(part) for part in re.findall(r"\d+", jar.parent.name)])
