"""What is made anew: ids, nonces and the time. Nothing else in the server reads the clock of the wall."""

import os
import time

__all__ = ["new_id", "new_nonce", "now_ms"]


def new_id(prefix: str) -> str:
    """An id that nothing else has (TURN-16): 80 random bits, in letters that the pattern of `Identifier` takes."""
    return f"{prefix}_{os.urandom(10).hex()}"


def new_nonce() -> str:
    """A value that nobody can guess, for the binding of an approval."""
    return os.urandom(24).hex()


def now_ms() -> int:
    """The wall clock in integer milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
