"""The TypeScript client and a real server over a WebSocket: a whole conversation, in Node and in a browser's page.

Between them stands a proxy that cuts the connection when it is asked to.
"""

import asyncio
import contextlib
import json
import queue
import shutil
import socket
import struct
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from architecture.tree import environment
from toolchains.needed import ESBUILD, TSC, absent, demand_node

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "typescript"
PROGRAM = Path(__file__).with_name("websocket_program.ts")
TOKEN = "a-token-of-the-test"
WITHIN = 100.0
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SEEN = {
    "refused": "ConnectionClosed",
    "asked": ["deploy"],
    "interrupted": ["interrupted", "user"],
    "end": "completed done",
    "closed": "ConnectionClosed",
    "items": [
        *["userMessage completed", "agentMessage completed", "toolCall completed"],
        *["approval completed", "toolCall completed"],
        *["userMessage completed", "agentMessage interrupted"],
        *["userMessage completed", "userMessage completed", "agentMessage completed"],
        *["userMessage completed", "agentMessage completed", "agentMessage completed"],
    ],
}
CHANGES = ["connected", *["disconnected", "connected", "resumed"] * 2]
ENTRY = "import { converse } from './program.ts';\n"
IN_NODE = ENTRY + "console.log(JSON.stringify(await converse(JSON.parse(process.argv[2]))));\n"
IN_PAGE = ENTRY + (
    "const stage = await (await fetch('/stage')).json();\n"
    "const seen = await converse(stage).catch((error) => ({ failed: String(error) }));\n"
    "await fetch('/seen', { method: 'POST', body: JSON.stringify(seen) });\n"
)


class Way:
    """The way to the server: what comes at `port` goes on to it, until `cut`."""

    def __init__(self, port):
        self._target = port
        self._loop = asyncio.new_event_loop()
        self._writers = []
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._pass, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]

    def cut(self):
        """End every connection without a word, as a network does that is gone."""

        async def cut():
            writers, self._writers = self._writers, []
            for writer in writers:
                if writer.transport.is_closing():
                    continue
                end = writer.get_extra_info("socket")
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()

        self._run(cut())

    def close(self):
        self.cut()
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(WITHIN)

    async def _pass(self, reader, writer):
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        self._writers += [writer, back]
        await asyncio.gather(self._pump(reader, back), self._pump(there, writer))

    async def _pump(self, reader, writer):
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                writer.write(data)
        writer.close()


class Stage:
    """A server, the way to it, and a page that is told of both; `seen` is what the page has to say."""

    def __init__(self, page):
        self.seen = queue.Queue()
        stage = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                told = {"/": b"<script type=module src=/page.js></script>", "/stage": json.dumps(stage.told).encode()}
                kind = {"/page.js": "text/javascript", "/": "text/html"}.get(self.path, "application/json")
                self._answer(page if self.path == "/page.js" else told.get(self.path, b""), kind)

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.path == "/cut":
                    stage.way.cut()
                else:
                    stage.seen.put(json.loads(body))
                self._answer(b"", "text/plain")

            def log_message(self, *_):
                """Say nothing."""

            def _answer(self, body, kind):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self._http.server_port}"
        words = ["serve", "--ws", "127.0.0.1:0", "--token-env", "TOKEN", "--origin", self.origin]
        self._server = subprocess.Popen(
            [sys.executable, "-m", "turnwire", *words], stdout=subprocess.PIPE, text=True, env=environment(TOKEN=TOKEN)
        )
        self.way = Way(int(self._server.stdout.readline().rpartition(":")[2]))
        self.told = {"url": f"ws://127.0.0.1:{self.way.port}", "token": TOKEN, "cut": f"{self.origin}/cut"}

    def close(self):
        self._server.terminate()
        code = self._server.wait(WITHIN)
        self._server.stdout.close()
        self._http.shutdown()
        self._http.server_close()
        self.way.close()
        assert code == 0


def bundled(tmp_path, entry, platform):
    """The program, bundled from the sources of the package."""
    demand_node("esbuild")
    (tmp_path / "program.ts").write_text(PROGRAM.read_text())
    (tmp_path / "entry.ts").write_text(entry)
    alias = f"--alias:turnwire={SOURCE / 'src' / 'index.ts'}"
    words = ["entry.ts", "--bundle", "--format=esm", f"--platform={platform}", "--outfile=bundle.mjs", alias]
    done = subprocess.run([ESBUILD, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return tmp_path / "bundle.mjs"


@pytest.fixture
def staged(request):
    stages = []

    def make(page=b""):
        stages.append(Stage(page))
        return stages[-1]

    yield make
    for stage in stages:
        stage.close()


def assert_whole(seen):
    assert SEEN == {name: seen.get(name) for name in SEEN}, seen
    # An attempt may fail before the one that does not.
    changes = [kind for at, kind in enumerate(seen["changes"]) if seen["changes"][at - 1 : at] != [kind]]
    assert changes == CHANGES
    assert sorted(set(seen["heard"])) == sorted(seen["heard"]) == seen["recorded"]


def test_the_program_is_of_the_types(tmp_path):
    demand_node("typescript")
    options = {
        "lib": ["ES2022", "DOM"],
        "rootDir": str(ROOT),
        "paths": {"turnwire": [str(SOURCE / "src" / "index.ts")]},
        "module": "ESNext",
        "moduleResolution": "Bundler",
    }
    config = {"extends": str(PROGRAM.with_name("tsconfig.json")), "compilerOptions": options, "include": [str(PROGRAM)]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))
    done = subprocess.run(["node", TSC, "-p", "."], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.timeout(240)
def test_node_holds_a_whole_conversation(tmp_path, staged):
    program, stage = bundled(tmp_path, IN_NODE, "node"), staged()
    major = int(
        subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout[1:].split(".")[0]
    )
    # Node 20 has a WebSocket, but shows it only when it is asked.
    flags = ["--experimental-websocket"] if major < 22 else []
    done = subprocess.run(
        ["node", *flags, program, json.dumps(stage.told)], capture_output=True, text=True, check=False, timeout=WITHIN
    )

    assert done.returncode == 0, done.stderr
    assert_whole(json.loads(done.stdout))


@contextlib.contextmanager
def browser(url, profile):
    """A page in a browser, where there is one."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        absent("no browser found; install chromium to see the client in one")
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    process = subprocess.Popen(
        [found, *flags, f"--user-data-dir={profile}", url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(WITHIN)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("is_allowed", [True, False])
def test_a_page_holds_one_where_its_origin_is_allowed(tmp_path, staged, is_allowed):
    stage = staged(bundled(tmp_path, IN_PAGE, "browser").read_bytes())
    origin = stage.origin if is_allowed else stage.origin.replace("127.0.0.1", "localhost")
    with browser(origin, tmp_path / "profile"):
        seen = stage.seen.get(timeout=WITHIN)

    if is_allowed:
        assert_whole(seen)
    else:
        assert seen["failed"].startswith(f"ConnectionClosed: cannot connect to {stage.told['url']}"), seen
