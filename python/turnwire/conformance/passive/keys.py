"""REC-5: "A request with an `idempotencyKey` that was recorded gives its first result again". "The same key with other
params gets -32009".

Of each request only digests are kept: its params without the key, and the thread or turn that its result made.
"""

import hashlib
from typing import Any, NamedTuple

from turnwire.conformance.passive.findings import Findings
from turnwire.conformance.pointer import pick
from turnwire.conformance.strict import dumps

__all__ = ["Keys"]

# A client that retries does so soon; ours keeps some thousands of keys too.
KEPT = 4096


class _Kept(NamedTuple):
    """What came of a key the first time."""

    params: bytes
    made: str


class Keys:
    """The keys of one conversation, `member` being the one of params that holds them."""

    def __init__(self, member: str, findings: Findings) -> None:
        self._member = member
        self._findings = findings
        self._kept: dict[tuple[str, str], _Kept] = {}

    def refused(self, method: str, params: dict[str, Any]) -> None:
        """Judge a refusal: with other params than the first it is what the clause wants."""
        first = self._kept.get((method, str(params.get(self._member))))
        if first is not None and first.params != self._digest(params):
            self._findings.judge("idem.other-params")

    def answered(self, method: str, params: dict[str, Any], result: Any) -> None:
        """Judge a result by the first one that came under the same key."""
        key = params.get(self._member)
        if not self._member or not isinstance(key, str):
            return
        made = next((found for at in MADE if isinstance(found := pick(result, at), str)), "")
        now = _Kept(self._digest(params), made)
        first = self._kept.setdefault((method, key), now)
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        if first is now:
            return
        self._findings.judge("idem.other-params" if first.params != now.params else "idem.same-key")
        if first.params != now.params:
            self._findings.broke(
                "idem.other-params", f"a refusal of {method}: its key was used with other params", "a result"
            )
        elif first.made != now.made:
            self._findings.broke("idem.same-key", f"{first.made} again: {method} has a key that was used", now.made)

    def _digest(self, params: dict[str, Any]) -> bytes:
        return hashlib.sha256(dumps({name: value for name, value in params.items() if name != self._member})).digest()


# Where the results of requests that make something have its id.
MADE = ("/turn/id", "/thread/id", "/turnId", "/threadId", "/id")
