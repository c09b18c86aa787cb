"""Whether a request that is refused is refused for what is wrong with it: a caller decides by the code.

Only what is beyond doubt is judged: a method that the contract does not have, and params that its schema refuses.
"""

from typing import Any

from turnwire.conformance.passive.findings import Findings
from turnwire.conformance.passive.payloads import Payloads

__all__ = ["Refusals"]

# Codes that say of another fault than of params that it is there.
OF_OTHERS = ("parse_error", "invalid_request", "method_not_found")
INTERNAL = -32603


class Refusals:
    """The codes of errors in one conversation."""

    def __init__(self, payloads: Payloads, findings: Findings) -> None:
        self._payloads = payloads
        self._findings = findings
        self._is_open = False

    def opened(self) -> None:
        """The handshake is done; before it a server may refuse whatever comes."""
        self._is_open = True

    def judge(self, method: str, params: dict[str, Any], code: Any) -> None:
        """RPC-21, RPC-11: an unknown method has one code and wrong params another, which ones the contract says."""
        codes = self._payloads.codes
        if type(code) is not int:
            return  # what is no code at all is another rule's to say
        if not method or not self._payloads.methods or code in self._before_all():
            return
        if method not in self._payloads.methods:
            if self._is_open and "method_not_found" in codes:
                self._expect("rpc.method-not-found", codes["method_not_found"], code, f"the unknown method {method!r}")
            return
        if not self._is_open and method != self._payloads.handshake.method:
            return
        wrong = {*self._coded(*OF_OTHERS), INTERNAL} - set(codes.get("invalid_params", ()))
        name = self._payloads.params_type(method)
        if name and "invalid_params" in codes and self._payloads.fault(name, params):
            self._findings.judge("rpc.invalid-params-type")
            if code in wrong:
                self._expect("rpc.invalid-params-type", codes["invalid_params"], code, f"wrong params of {method}")

    def _before_all(self) -> set[int]:
        """What may keep a server from looking at a request at all, whatever is wrong with it."""
        stops = ("shutting_down",) if self._payloads.has_shutdown else ()
        return self._coded("overloaded", *stops, *(() if self._is_open else ("not_initialized",)))

    def _expect(self, check: str, lawful: tuple[int, ...], code: Any, to: str) -> None:
        self._findings.judge(check)
        if code not in lawful:
            self._findings.broke(check, f"{' or '.join(map(str, lawful))} to {to}", f"{code}")

    def _coded(self, *conditions: str) -> set[int]:
        return {code for condition in conditions for code in self._payloads.codes.get(condition, ())}
