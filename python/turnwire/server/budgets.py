"""The budget of a turn: what is used of it, and the bound that was reached, if any.

The host bounds a run; the server measures it and ends the turn (`endReason` `budget`) at the first bound.
"""

from __future__ import annotations

import time
from typing import TypeAlias

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from turnwire.wire import Budget, Usage

__all__ = ["Meter"]

_Bound: TypeAlias = int | UnsetType


class Meter:
    """What one turn uses, from now on."""

    def __init__(self, budget: Budget) -> None:
        self._began = time.monotonic()
        self._budget = replace(budget, used_tokens=UNSET, used_calls=UNSET, used_ms=UNSET, exhausted=UNSET)

    @property
    def seconds(self) -> float | None:
        """How long the turn may take; None where that is not bounded."""
        limit = self._budget.limit_ms
        return None if limit is UNSET else limit / 1000

    def take(self, usage: Usage) -> None:
        """The turn used so much so far. Counts that are not known stay unknown (TURN-15)."""
        tokens = usage.total_tokens
        if tokens is UNSET and usage.input_tokens is not UNSET and usage.output_tokens is not UNSET:
            tokens = usage.input_tokens + usage.output_tokens
        calls = UNSET if usage.calls is UNSET else len(usage.calls)
        self._budget = replace(self._budget, used_tokens=tokens, used_calls=calls)

    def read(self) -> Budget:
        """The budget with what is used of it now; `exhausted` says which bound was passed."""
        used = replace(self._budget, used_ms=int((time.monotonic() - self._began) * 1000))
        if _is_over(used.used_tokens, used.limit_tokens):
            return replace(used, exhausted="tokens")
        if _is_over(used.used_calls, used.limit_calls):
            return replace(used, exhausted="calls")
        # At the bound of time the turn is ended, so reaching it is enough.
        if used.limit_ms is not UNSET and used.used_ms is not UNSET and used.used_ms >= used.limit_ms:
            return replace(used, exhausted="time")
        return used


def _is_over(used: _Bound, limit: _Bound) -> bool:
    """At the bound a run goes on, beyond it it does not (LIM-1)."""
    return used is not UNSET and limit is not UNSET and used > limit
