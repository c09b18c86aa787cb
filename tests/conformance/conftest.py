"""One way for every test here to run the judge against the fixture server: in process, report as a document."""

import io
import json
import sys
from pathlib import Path

import pytest

import turnwire.conformance
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
        return (sys.executable, "-S", "-E", str(FIXTURE), *arguments, "--state", "{scratch}/state")

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
def other_contract(tmp_path):
    """Our contract with some lines otherwise, beside a bundle that can be changed too."""
    package = Path(turnwire.conformance.__file__).parent

    def write(lines, change=lambda bundle: None):
        bundle = json.loads((package.parent / "generated" / "schema.json").read_text(encoding="utf-8"))
        change(bundle)
        (tmp_path / "bundle.json").write_text(json.dumps(bundle), encoding="utf-8")
        text = (package / "canonical.toml").read_text(encoding="utf-8")
        for ours, theirs in {'schema = "canonical"': 'schema = "bundle.json"', **lines}.items():
            assert ours in text, "the contract has changed; so must what is made from it"
            text = text.replace(ours, theirs)
        path = tmp_path / "other.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def closed_profile(other_contract):
    """Closed params, and a method that is experimental."""
    row = {"name": "example/try", "sender": "client", "kind": "request", "stability": "experimental"}
    lines = {'unknown_members = "tolerated"': 'unknown_members = "refused"'}
    return other_contract(lines, lambda bundle: bundle["x-methods"].append(row))


@pytest.fixture
def foreign_profile(other_contract):
    """No member jsonrpc, silence on what cannot be read, batches, and nothing before `initialized`."""
    lines = {
        'jsonrpc_member = "required"': 'jsonrpc_member = "omitted"\non_parse_error = "silence"',
        'batch = "reject"': 'batch = "support"',
        'before_initialized = "serve"': 'before_initialized = "refuse"',
    }
    return other_contract(lines, lambda bundle: bundle["$defs"]["ErrorResponse"]["required"].remove("jsonrpc"))
