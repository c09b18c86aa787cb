"""The Agent Client Protocol: params and results say by `x-method` what they belong to and by `x-side` who answers.

The agent answers what a client sends, so the side `agent` means the sender `client`; `protocol` is either.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from turnwire_codegen.ir import Method
from turnwire_codegen.load.foreign.document import CONTAINERS, Layout
from turnwire_codegen.load.foreign.plain import Loaded, load_plain

__all__ = ["is_acp", "load_acp"]

_SENDERS: dict[str, Literal["client", "server", "both"]] = {"agent": "client", "client": "server", "protocol": "both"}


def is_acp(document: Any) -> bool:
    """Whether a definition of the file says its method and its side."""
    return any(True for _ in _marked(document))


def load_acp(document: Any, path: Path, layout: Layout) -> Loaded:
    """The types of the file with a method table made of their marks."""
    loaded = load_plain(document, path, layout)
    marked = list(_marked(document))
    results = {node["x-method"]: name for name, node in marked if name.endswith("Response")}
    methods: dict[str, Method] = {}
    for name, node in marked:
        method = node["x-method"]
        if method not in methods and name.endswith(("Request", "Notification")):
            methods[method] = Method(
                name=method,
                sender=_SENDERS[node["x-side"]],
                kind="notification" if name.endswith("Notification") else "request",
                clause="",
                doc=str(node.get("description", "")),
                params=name,
                result=results.get(method),
            )
    return msgspec.structs.replace(
        loaded,
        protocol=msgspec.structs.replace(loaded.protocol, methods=tuple(methods.values())),
    )


def _marked(document: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for container in CONTAINERS if isinstance(document, dict) else ():
        for name, node in document.get(container, {}).items():
            if isinstance(node, dict) and isinstance(node.get("x-method"), str) and node.get("x-side") in _SENDERS:
                yield name, node
