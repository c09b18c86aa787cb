"""Validators: of Python beside jsonschema-rs, and of TypeScript for codex's notifications beside what ajv makes."""

import gzip
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema_rs
from measures.processes import environment
from measures.rows import Row

from interop.codex_messages import MESSAGES
from interop.environment import Missing
from interop.schemas import codex_folder
from turnwire.wire import validators

PEERS = Path(__file__).parent.parent / "peers"
PACKAGE = Path(__file__).parents[3] / "typescript"
PROTOCOL = Path(__file__).parents[3] / "protocol"
REPEATS = 20
Pairs = list[tuple[Callable[[Any], Any], Any]]
MAX_KB = 120
ROUNDS = 21
WARMING = 5


class Size(NamedTuple):
    """Bytes of a bundle, and of it as it is sent."""

    bundle: int
    zipped: int

    def __str__(self) -> str:
        return f"{self.bundle / 1000:,.0f} KB, gzip {self.zipped / 1000:,.0f} KB"


def rows() -> Iterator[Row]:
    yield against_rust()
    try:
        codex_folder()
    except Missing as reason:
        yield Row("validator of codex's ServerNotification in TypeScript", f"not measured: {reason}")
    else:
        yield from against_ajv()


def against_rust() -> Row:
    """The examples of the protocol, each by the validator of its type."""
    bundle = json.loads((PROTOCOL / "bundle.json").read_text())
    found = [(path.parent.name, json.loads(path.read_text())) for path in sorted(PROTOCOL.glob("examples/*/*.json"))]
    peers = {
        name: jsonschema_rs.validator_for({"$ref": f"#/$defs/{name}", "$defs": bundle["$defs"]}).is_valid
        for name in dict(found)
    }
    judges = validators()
    ours: Pairs = [(judges[name], value) for name, value in found]
    theirs: Pairs = [(peers[name], value) for name, value in found]
    if any(judge(value) for judge, value in ours) or not all(judge(value) for judge, value in theirs):
        raise RuntimeError("an example was refused")
    spent = [(seconds(ours), seconds(theirs)) for _ in range(ROUNDS)]
    times = statistics.median(their / our for our, their in spent)
    rate = REPEATS * len(found) / statistics.median(our for our, _ in spent)
    return Row(
        f"generated validators judging {len(found)} examples of the protocol in Python, against jsonschema-rs",
        f"{times:.1f} times as fast ({rate:,.0f}/s)",
        "≥ 1",
        times >= 1,
    )


def seconds(pairs: Pairs) -> float:
    began = time.process_time()
    for _ in range(REPEATS):
        for judge, value in pairs:
            judge(value)
    return time.process_time() - began


def against_ajv() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        ours, theirs = bundles(Path(name))
        sizes = size(ours), size(theirs)
        pairs = rates(ours, theirs)
    yield Row(
        "validator of codex's ServerNotification in TypeScript, bundled and minified; by ajv",
        f"{sizes[0]}; {sizes[1]}",
        f"≤ {MAX_KB} KB",
        sizes[0].bundle <= MAX_KB * 1000,
    )
    times = statistics.median(our / their for our, their in pairs)
    rate = statistics.median(our for our, _ in pairs)
    yield Row(
        f"the same judging {len(MESSAGES)} valid messages, against ajv",
        f"{times:.1f} times as fast ({rate:,.0f}/s)",
        "≥ 1",
        times >= 1,
    )


def bundles(folder: Path) -> tuple[Path, Path]:
    """Both validators of the schema, each as one minified module."""
    schema = codex_folder() / "ServerNotification.json"
    run(sys.executable, "-m", "turnwire", "generate-ts", "--schema", str(schema), "--out", str(folder / "codex"))
    (folder / "ours.ts").write_text('export { checkServerNotification } from "./codex/validators.js";\n')
    run("node", str(PEERS / "ajv_validator.mjs"), str(schema), str(folder / "theirs.mjs"))
    return bundled(folder / "ours.ts"), bundled(folder / "theirs.mjs")


def bundled(entry: Path) -> Path:
    """What a bundler makes of a module and of all that it imports."""
    made = entry.with_suffix(".min.mjs")
    words = ("--bundle", "--minify", "--format=esm", "--platform=node", "--log-level=error")
    run(str(PACKAGE / "node_modules" / ".bin" / "esbuild"), *words, str(entry), f"--outfile={made}")
    return made


def size(bundle: Path) -> Size:
    content = bundle.read_bytes()
    return Size(len(content), len(gzip.compress(content, 9)))


def judged(ours: Path, theirs: Path, values: list[Any]) -> list[list[bool]]:
    """Which of the values each validator takes."""
    verdicts: list[list[bool]] = asked(ours, theirs, values, 0)["verdicts"]
    return verdicts


def rates(ours: Path, theirs: Path) -> list[tuple[float, float]]:
    """Messages a second, a pair a round; the first rounds are for the compiler of the engine.

    Raises:
        RuntimeError: a validator refuses a message.
    """
    answer = asked(ours, theirs, MESSAGES, WARMING + ROUNDS)
    if not all(map(all, answer["verdicts"])):
        raise RuntimeError("a message that is valid was refused")
    return [(our, their) for our, their in answer["rounds"][WARMING:]]


def asked(ours: Path, theirs: Path, values: list[Any], rounds: int) -> dict[str, Any]:
    given = {"ours": str(ours), "theirs": str(theirs), "name": "checkServerNotification", "values": values}
    text = run("node", str(PEERS / "validator_rates.mjs"), str(rounds), stdin=json.dumps(given))
    answer: dict[str, Any] = json.loads(text)
    return answer


def run(*words: str, stdin: str = "") -> str:
    """The output of a command, which must succeed; Node's packages are those of the TypeScript package.

    Raises:
        RuntimeError: it failed.
    """
    packages = {**environment(), "NODE_PATH": str(PACKAGE / "node_modules")}
    done = subprocess.run(words, check=False, capture_output=True, text=True, input=stdin, cwd=PACKAGE, env=packages)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words[:2])} failed: {done.stderr.strip()[:500]}")
    return done.stdout
