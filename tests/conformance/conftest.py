"""One way for every test here to run the judge against the fixture server: in process, report as a document."""

import io
import json
import sys
from pathlib import Path

import pytest

from turnwire.conformance.api import CheckServerOptions, run_check_server

FIXTURE = Path(__file__).parent / "fixture"


class Judged:
    """What one run said: its exit code, its report as a document, and both streams."""

    def __init__(self, exit_code, stdout, stderr):
        self.exit_code = exit_code
        self.stdout = stdout
        self.stderr = stderr

    @property
    def report(self):
        return json.loads(self.stdout)

    @property
    def verdicts(self):
        return {row["id"]: row["verdict"] for row in self.report["checks"]}

    def row(self, identifier):
        return next(row for row in self.report["checks"] if row["id"] == identifier)


@pytest.fixture
def fixture_argv():
    """The command line of the fixture server; without site-packages it starts in a few milliseconds."""

    def argv(*arguments):
        return (sys.executable, "-S", "-E", str(FIXTURE), *arguments)

    return argv


@pytest.fixture
def judge():
    """Run the judge with these options."""

    def run(argv, **options):
        stdout, stderr = io.StringIO(), io.StringIO()
        wanted = {"format": "json", "quiet": True, "retries": 0, **options}
        exit_code = run_check_server(CheckServerOptions(argv=tuple(argv), **wanted), stdout, stderr)
        return Judged(exit_code, stdout.getvalue(), stderr.getvalue())

    return run


@pytest.fixture
def closed_profile(tmp_path):
    """A contract of another kind: closed params, and a method that is experimental."""
    package = Path(sys.modules["turnwire.conformance"].__file__).parent
    bundle = json.loads((package.parent / "generated" / "schema.json").read_text(encoding="utf-8"))
    row = {"name": "example/try", "sender": "client", "kind": "request", "stability": "experimental"}
    bundle["x-methods"].append(row)
    (tmp_path / "bundle.json").write_text(json.dumps(bundle), encoding="utf-8")
    text = (package / "canonical.toml").read_text(encoding="utf-8")
    text = text.replace('schema = "canonical"', 'schema = "bundle.json"')
    text = text.replace('unknown_members = "tolerated"', 'unknown_members = "refused"')
    path = tmp_path / "closed.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)
