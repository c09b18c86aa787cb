"""The protocol schemas of other houses, as their packages bring them; fetched once, to the cache beside the peers."""

import ast
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from interop.environment import Missing, cache, codex, once, run, vv_agent

__all__ = ["SCHEMAS", "codex_folder"]

ACP = "2.4.0"
CC = "0.2.9"
MCP = "2.3.0"


def codex_folder():
    """The folder that the real command line of codex writes: bundles, and a folder `v2` of a file a type."""
    program = codex()
    home = cache() / f"{program.parents[2].name}-schema"
    with once(home) as fresh:
        if fresh:
            (home / "home").mkdir(parents=True)
            environment = {**os.environ, "HOME": str(home / "home"), "CODEX_HOME": str(home / "home")}
            words = [str(program), "app-server", "generate-json-schema", "--out", str(home / "out")]
            subprocess.run(words, env=environment, capture_output=True, timeout=120, check=True)
    return home / "out"


def _codex(name):
    return lambda: codex_folder() / f"{name}.json"


def _acp(version):
    return lambda: _acp_home() / "node_modules/@agentclientprotocol/sdk/schema" / version / "schema.json"


def _acp_home():
    if not shutil.which("npm"):
        raise Missing("npm is not installed, which brings the schemas of ACP")
    home = cache() / f"acp-{ACP}"
    with once(home) as fresh:
        if fresh:
            words = ("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix")
            run(*words, str(home), f"@agentclientprotocol/sdk@{ACP}")
    return home


def cc():
    """The schema that ChainlessChain's SDK carries as a string of its Python source."""
    home = cache() / f"cc-{CC}"
    with once(home) as fresh:
        if fresh:
            home.mkdir(parents=True)
            pip = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps")
            run(*pip, "--dest", str(home), f"chainlesschain-agent-sdk=={CC}")
            with zipfile.ZipFile(next(home.glob("*.whl"))) as wheel:
                source = wheel.read("chainlesschain_agent_sdk/generated_app_protocol.py").decode()
            (home / "cc.json").write_text(_assigned(source, "CC_AGENT_PROTOCOL_SCHEMA"))
    return home / "cc.json"


def _assigned(source, name):
    """The text that `name: … = json.loads("…")` parses."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            return node.value.args[0].value
    raise Missing(f"the SDK of ChainlessChain has no {name}")


def mcp():
    """The schema of revision 2026-07-28 that MCP's SDK for Python is made from; only its source archive has it."""
    home = cache() / f"mcp-{MCP}"
    with once(home) as fresh:
        if fresh:
            home.mkdir(parents=True)
            pip = (sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps")
            run(*pip, "--no-binary", ":all:", "--dest", str(home), f"mcp=={MCP}")
            with tarfile.open(next(home.glob("*.tar.gz"))) as archive:
                (home / "mcp.json").write_bytes(archive.extractfile(f"mcp-{MCP}/schema/2026-07-28.json").read())
    return home / "mcp.json"


def vv_agent_folder():
    """The files that vv-agent exports, by its own function, in the interpreter that has it."""
    peer = vv_agent()
    home = cache() / "vv-agent-schema"
    script = "import json; from vv_agent.app_server.schema import json_schema_bundle as b; print(json.dumps(b()))"
    with once(home) as fresh:
        if fresh:
            done = subprocess.run([*peer.argv, "-c", script], capture_output=True, text=True, check=True, timeout=120)
            home.mkdir(parents=True)
            for name, text in json.loads(done.stdout).items():
                (home / f"{Path(name).stem}.json").write_text(text)
    return home


def _vv(name):
    return lambda: vv_agent_folder() / f"{name}.json"


# Each may raise Missing.
SCHEMAS = {
    "codex-bundle": _codex("codex_app_server_protocol.schemas"),
    "codex-v2": _codex("codex_app_server_protocol.v2.schemas"),
    "codex-client-request": _codex("ClientRequest"),
    "codex-server-notification": _codex("ServerNotification"),
    "acp-v1": _acp("v1"),
    "acp-v2": _acp("v2"),
    "cc": cc,
    "mcp": mcp,
    "vv-agent": vv_agent_folder,
    "vv-agent-client-request": _vv("ClientRequest"),
    "vv-agent-server-notification": _vv("ServerNotification"),
}
