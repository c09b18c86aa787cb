"""Where a peer of another house is installed: a cache outside the clone, made once and used offline ever after.

A peer that cannot be had is `Missing`, with the reason. In CI that is a failure; on a desk it is a skip with its name.
"""

import contextlib
import fcntl
import os
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from toolchains.needed import absent
from turnwire_codegen.cases.trial import cache as kept

HERE = Path(__file__).resolve().parent
VV_AGENT = "0.29.0"
CODEX = "0.171.0"
NEEDS_PYTHON = (3, 12)
# What vv-agent imports, as wheels only: a machine without compilers must do.
VV_AGENT_NEEDS = ("ripgrep", "openai", "pyyaml", "vv-llm", "jsonschema")


class Missing(Exception):  # noqa: N818 - says what the peer is
    """The peer cannot be had here; the message says what would help."""


class VvAgent(NamedTuple):
    """A command that runs a Python file where vv-agent can be imported, and where that file must lie."""

    argv: tuple[str, ...]
    server: str


def cache():
    """The directory that outlives a clone."""
    return kept() / "interop"


def require(find):
    """Give what `find` finds; a missing peer skips by name, or fails where CI is set."""
    try:
        return find()
    except Missing as reason:
        absent(f"no peer: {reason}")


def vv_agent():
    """vv-agent in a virtual environment of its own, or in a Debian of its own where no Python is new enough."""
    server = HERE / "vv_agent_server.py"
    python = new_python()
    if python is None:
        root = trixie()
        shutil.copyfile(server, root / "srv" / server.name)
        return VvAgent(("chroot", str(root), "/opt/vv-agent/bin/python"), f"/srv/{server.name}")
    home = cache() / f"vv-agent-{VV_AGENT}"
    with once(home) as fresh:
        if fresh:
            run(python, "-m", "venv", str(home))
            pip = (str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
            run(*pip, "--no-deps", f"vv-agent=={VV_AGENT}")
            run(*pip, "--only-binary", ":all:", *VV_AGENT_NEEDS)
    return VvAgent((str(home / "bin" / "python"),), str(server))


def codex():
    """The codex command line from npm."""
    if not shutil.which("npm"):
        raise Missing("npm is not installed, which brings codex")
    home = cache() / f"codex-{CODEX}"
    with once(home) as fresh:
        if fresh:
            run(
                "npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(home), f"@openai/codex@{CODEX}"
            )
    return home / "node_modules" / ".bin" / "codex"


def new_python():
    """An interpreter that vv-agent accepts; shims that only print advice do not count."""
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    named = [f"python3.{minor}" for minor in (14, 13, 12)]
    for candidate in [*named, "python3", *map(str, sorted(versions.glob("3.*/bin/python"), reverse=True))]:
        script = f"import sys; sys.exit(sys.version_info < {NEEDS_PYTHON})"
        with contextlib.suppress(OSError):
            if subprocess.run([candidate, "-c", script], capture_output=True, check=False).returncode == 0:
                return candidate
    return None


def trixie():
    """A Debian 13, whose Python is 3.13, with vv-agent in it."""
    root = cache() / "trixie"
    if (root / "ready").exists():
        return root
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        raise Missing("Python 3.12 or newer is not installed, and tests/interop/trixie.sh needs root and debootstrap")
    run(str(HERE / "trixie.sh"), str(root), f"vv-agent=={VV_AGENT}", *VV_AGENT_NEEDS)
    return root


@contextlib.contextmanager
def once(home):
    """Whether this is the first time; a half-made installation counts as none, and two runs wait for each other."""
    home.parent.mkdir(parents=True, exist_ok=True)
    with (home.parent / f"{home.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fresh = not (home / "ready").exists()
        if fresh:
            shutil.rmtree(home, ignore_errors=True)
        yield fresh
        if fresh:
            (home / "ready").touch()


def run(*argv):
    """Run one step of an installation; what it says is the reason when it fails."""
    try:
        subprocess.run(argv, capture_output=True, text=True, check=True, timeout=900)
    except subprocess.CalledProcessError as error:
        said = (error.stderr or error.stdout).strip().splitlines()
        raise Missing(f"`{' '.join(argv[:6])} …` failed: {said[-1] if said else error.returncode}") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(f"`{argv[0]}`: {error}") from None
