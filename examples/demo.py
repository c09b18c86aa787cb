"""What `make demo` runs: generate bindings, hold a conversation with a tool and an approval, judge the server.

Each step is a command that you can paste; this program only prints it, runs it, and counts at the end.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONVERSATION = """\
think The test fails since the session cookie is set twice. I look at the code first.
tool search {"query": "set_cookie", "path": "src/login"}
text The cookie is set in login() and again in refresh(). I take out the second one and run the tests.
approve run_tests {"path": "tests/login"}
usage 1840 212
text All tests of the login pass."""


def main() -> int:
    """Run the steps; 0 when every one of them did what it should."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="turnwire-demo-") as directory:
        place = Path(directory)
        heading("1. One schema gives typed bindings")
        made = step("generate-python", "--out", "bindings/python", cwd=place)
        made += step("generate-ts", "--out", "bindings/typescript", cwd=place)
        heading("2. A turn with a tool and an approval, on the reference server")
        talked = step("debug", "send-message", CONVERSATION, "--approve", cwd=place)
        heading("3. Judge a server, this one or yours")
        server = ("turnwire", "serve", "--agent", "scripted")
        judged = step("check", "server", "--quiet", "--report", "json=report.json", "--", *server, cwd=place)
        heading("Summary")
        print(f"  bindings      {counted(place / 'bindings')}")
        print(f"  conversation  {'completed' if talked == 0 else 'failed'}")
        print(f"  judgement     {verdicts(place / 'report.json')}")
        print(f"  time          {time.monotonic() - began:.1f} s")
    return made or talked or judged


def heading(text: str) -> None:
    """A line that stands out, in bold on a terminal."""
    is_plain = not sys.stdout.isatty() or os.environ.get("NO_COLOR")
    print(f"\n{text}\n" if is_plain else f"\n\x1b[1m{text}\x1b[0m\n", flush=True)


def step(*argv: str, cwd: Path) -> int:
    """Print the command and run it, with `turnwire` found beside this Python."""
    print(f"$ {shlex.join(['turnwire', *argv])}", flush=True)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return subprocess.run(  # noqa: S603 - the commands stand above
        [sys.executable, "-m", "turnwire", *argv], cwd=cwd, env={**os.environ, "PATH": path}, check=False
    ).returncode


def counted(directory: Path) -> str:
    """How many files of which language there are."""
    languages = {"Python": "*.py", "TypeScript": "*.ts"}
    return ", ".join(f"{len(list(directory.rglob(pattern)))} {name}" for name, pattern in languages.items())


def verdicts(report: Path) -> str:
    """The verdicts of the judge with their numbers."""
    if not report.is_file():
        return "the server could not be judged"
    found = [check["verdict"] for check in json.loads(report.read_text())["checks"]]
    return ", ".join(f"{found.count(verdict)} {verdict}" for verdict in dict.fromkeys(found))


if __name__ == "__main__":
    sys.exit(main())
