"""The TypeScript package as it would be published: it builds, its own tests pass, and what is packed can be used."""

import json
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import NamedTuple

import pytest

from architecture.tree import environment
from toolchains.needed import absent, demand_node

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "typescript"
SERVER = [sys.executable, "-m", "turnwire", "serve", "--agent", "scripted"]
MODULE_LINES = 400

# A program of someone who has installed the package and nothing else.
CONSUMER = """
import type { Item } from "turnwire";
import { Client, memoryPair, PROTOCOL_VERSION, RemoteError } from "turnwire";
import { checkThreadStartParams } from "turnwire/validators";

const [near] = memoryPair();
const client: Client = await Client.connect(near);
client.on("item/completed", ({ item }: { item: Item }) => void item.id);
client.onRequest("approval/request", ({ approval }) => ({ decision: "decline", nonce: approval.binding.nonce ?? "" }));
// @ts-expect-error a required member is missing
client.threadRead({}).catch((error: unknown) => error instanceof RemoteError && error.is("notFound") && error.data.id);
// @ts-expect-error the params are required
client.request("thread/read").catch(() => {});
// @ts-expect-error no such method
client.request("thread/unheard").catch(() => {});
// @ts-expect-error the server sends this one
client.request("approval/request", {}).catch(() => {});
// @ts-expect-error an answer has a decision
client.onRequest("approval/request", () => ({ nonce: "" }));
// @ts-expect-error the method decides what params there are
client.on("turn/started", ({ item }) => item);
console.log(PROTOCOL_VERSION, checkThreadStartParams({ threadId: "" })?.pointer);
await client.close();
for await (const message of client.notifications()) {
  if (message.method === "turn/completed") {
    console.log(message.params.turn.status);
    // @ts-expect-error the method decides what params there are
    console.log(message.params.item);
  } else if (message.method === "item/completed" && message.params.item.type === "toolCall") {
    console.log(message.params.item.toolName);
  }
}
"""
USE_OF_NODE = """
import { spawn } from "turnwire/node";
const client = await spawn(JSON.parse(process.env.TURNWIRE_SERVER));
const { serverInfo } = await client.initialize();
await client.close();
console.log(serverInfo.name);
"""

EXAMPLES = re.findall(r"(?s)```ts\n(.*?)```", (SOURCE / "README.md").read_text())


class Done(NamedTuple):
    code: int
    stdout: str
    stderr: str


def run(*words, cwd, typed="", **variables):
    done = subprocess.run(
        [*map(str, words)],
        cwd=cwd,
        input=typed,
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package, built; the checkout stays as it is."""
    demand_node("esbuild")
    if shutil.which("npm") is None:
        absent("not installed: npm")
    copy = tmp_path_factory.mktemp("package") / "turnwire"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("node_modules", "dist", "build"))
    (copy / "node_modules").symlink_to(SOURCE / "node_modules")
    built = run("npm", "run", "build", cwd=copy)
    assert (0, "") == (built.code, built.stderr), built.stdout
    return copy


@pytest.fixture(scope="module")
def installed(package, tmp_path_factory):
    """The folder of a program that has installed the packed package."""
    folder = tmp_path_factory.mktemp("program")
    packed = run("npm", "pack", "--json", "--ignore-scripts", "--pack-destination", folder, cwd=package)
    assert 0 == packed.code, packed.stderr
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        archive.extractall(folder / "node_modules", filter="data")
    (folder / "node_modules" / "package").rename(folder / "node_modules" / "turnwire")
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


@pytest.mark.timeout(300)
def test_its_own_tests_pass(package, tmp_path):
    major = int(run("node", "--version", cwd=package).stdout.lstrip("v").split(".")[0])
    done = run(
        "npm",
        "test",
        # What comes before it is the build, which stands.
        "--ignore-scripts",
        cwd=package,
        TURNWIRE_SERVER=json.dumps(SERVER),
        TURNWIRE_DURABLE_SERVER=json.dumps([*SERVER, "--state-dir", str(tmp_path)]),
        # Node 20 has a WebSocket, but shows it only when it is asked.
        NODE_OPTIONS="--experimental-websocket" if major == 20 else "",
    )
    counts = {name: int(count) for name, count in re.findall(r"(?m)^\S (\w+) (\d+)$", done.stdout)}
    failures = re.findall(r"(?ms)^(?:not ok|✖).{,1500}", done.stdout)

    assert 0 == done.code, "\n".join([*failures, done.stderr])
    assert {"fail": 0, "cancelled": 0, "todo": 0} == {name: counts[name] for name in ("fail", "cancelled", "todo")}
    assert 0 == counts["skipped"] or major < 20
    assert 100 < counts["pass"]


@pytest.mark.parametrize("project", ["tsconfig.json", "tsconfig.build.json", "test/tsconfig.json"])
def test_the_next_compiler_agrees(package, project):
    tsc = package / "node_modules" / "typescript-7" / "bin" / "tsc"

    assert (0, "", "") == run("node", tsc, "--noEmit", "-p", project, cwd=package)


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("  ping(", "  private ping(", "Type '\"ping\"' does not satisfy the constraint 'never'"),
        ("  ping(", "  unheard(): void {}\n\n  ping(", "Type '\"unheard\"' does not satisfy the constraint 'never'"),
    ],
)
def test_the_methods_are_those_of_the_table(package, right, wrong, complaint):
    methods = package / "src" / "methods.ts"
    text = methods.read_text()
    methods.write_text(text.replace(right, wrong))
    done = run("node", package / "node_modules" / "typescript-7" / "bin" / "tsc", "--noEmit", cwd=package)
    methods.write_text(text)

    assert 1 == text.count(right)
    assert complaint in done.stdout


def test_what_is_packed(installed):
    folder = installed / "node_modules" / "turnwire"
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    sources = {name for name in files if name.startswith("src/") and name.endswith(".ts")}
    outputs = {f"dist/{name[4:-3]}{ending}" for name in sources for ending in (".js", ".js.map", ".d.ts", ".d.ts.map")}

    assert {"package.json", "README.md", "LICENSE"} == files - sources - outputs - {"src/generated/manifest.json"}
    assert outputs <= files
    assert (ROOT / "LICENSE").read_bytes() == (folder / "LICENSE").read_bytes()


def targets_of(entry):
    return entry.values() if isinstance(entry, dict) else [entry]


def test_exports_are_packed(installed):
    folder = installed / "node_modules" / "turnwire"
    manifest = json.loads((folder / "package.json").read_text())
    targets = [target for entry in manifest["exports"].values() for target in targets_of(entry)]

    assert [] == [target for target in targets if not (folder / target).is_file()]
    assert {"name": "turnwire", "type": "module"} == {name: manifest[name] for name in ("name", "type")}
    assert not manifest.keys() & {"private", "dependencies", "peerDependencies"}


def compile_program(package, folder, source, *, compiler, resolution, types=()):
    options = {
        "strict": True,
        "exactOptionalPropertyTypes": True,
        "target": "ES2022",
        "lib": ["ES2022", "DOM"],
        "types": [*types],
        "typeRoots": [str(SOURCE / "node_modules" / "@types")],
        "module": "NodeNext" if resolution == "NodeNext" else "ESNext",
        "moduleResolution": resolution,
    }
    (folder / "program.ts").write_text(source)
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": ["program.ts"]}))
    return run("node", package / "node_modules" / compiler / "bin" / "tsc", "-p", ".", cwd=folder)


@pytest.mark.parametrize(
    ("compiler", "resolution"),
    [("typescript", "NodeNext"), ("typescript-7", "NodeNext"), ("typescript-7", "Bundler")],
)
def test_a_program_compiles_and_runs(package, installed, compiler, resolution):
    assert (0, "", "") == compile_program(package, installed, CONSUMER, compiler=compiler, resolution=resolution)
    assert (0, "1.0 /threadId\n", "") == run("node", "program.js", cwd=installed)


def test_a_mistake_of_a_program_is_seen(package, installed):
    mistaken = CONSUMER.replace("// @ts-expect-error", "//")
    done = compile_program(package, installed, mistaken, compiler="typescript-7", resolution="NodeNext")

    assert CONSUMER.count("@ts-expect-error") == done.stdout.count("error TS")


def test_a_program_of_node_talks_to_a_server(installed):
    (installed / "talk.js").write_text(USE_OF_NODE)

    assert (0, "turnwire\n", "") == run("node", "talk.js", cwd=installed, TURNWIRE_SERVER=json.dumps(SERVER))


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_compiles(package, installed, example):
    done = compile_program(package, installed, example, compiler="typescript-7", resolution="NodeNext", types=["node"])

    assert (0, "", "") == done


def test_the_first_example_runs(package, installed):
    words = json.dumps(SERVER)
    example = EXAMPLES[0].replace('["turnwire", "serve", "--agent", "scripted"]', words)
    compile_program(package, installed, example, compiler="typescript-7", resolution="NodeNext", types=["node"])
    done = run("node", "program.js", cwd=installed)
    expected = [
        "userMessage completed",
        "agentMessage completed",
        "may it run deploy?",
        "approval completed",
        "toolCall completed",
        "completed",
    ]

    assert words in example
    assert (0, "") == (done.code, done.stderr)
    # A handler does not wait for the loop that prints beside it.
    assert sorted(expected) == sorted(done.stdout.splitlines())


@pytest.mark.parametrize(
    ("text", "typed", "said"),
    [
        ("text Hello", "", ["Hello", "[completed]"]),
        ("approve deploy\ntext done", "y\n", ["Call deploy? [y/N] done", "[completed]"]),
        ("approve deploy\ntext not done", "n\n", ["Call deploy? [y/N] not done", "[completed]"]),
        ("fail no", "", ["", "[failed]"]),
    ],
)
def test_the_chat_runs_a_turn(package, installed, text, typed, said):
    chat = (ROOT / "examples" / "typescript" / "chat.ts").read_text()
    compiled = compile_program(package, installed, chat, compiler="typescript-7", resolution="NodeNext", types=["node"])
    done = run("node", "program.js", text, *SERVER, cwd=installed, typed=typed)

    assert (0, "", "") == compiled
    assert (0 if said[-1] == "[completed]" else 1, said, "") == (done.code, done.stdout.splitlines(), done.stderr)


def test_a_result_is_checked_by_its_own_validator():
    table = json.loads((ROOT / "protocol" / "schema" / "methods.json").read_text())["methods"]
    requests = [row for row in table if row["kind"] == "request" and row["sender"] != "server"]
    checks = re.findall(r'(?m)^  "?([\w/]+)"?: check(\w+),$', (SOURCE / "src" / "checked.ts").read_text())

    assert {row["name"]: row["result"] for row in requests} == dict(checks)


def test_the_version_is_told_once():
    version = json.loads((SOURCE / "package.json").read_text())["version"]
    lock = json.loads((SOURCE / "package-lock.json").read_text())

    assert f'"{version}"' in (SOURCE / "src" / "version.ts").read_text()
    assert version == lock["version"] == lock["packages"][""]["version"]


def test_a_module_is_a_page():
    pages = [*(SOURCE / "test").glob("*.ts"), *(SOURCE / "src").glob("*.ts"), *(SOURCE / "src" / "node").glob("*.ts")]
    long = {str(path): lines for path in pages if (lines := path.read_text().count("\n")) > MODULE_LINES}

    assert {} == long
    assert 20 < len(pages)
