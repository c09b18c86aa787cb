"""What a whole run of the judge takes, of itself and of the servers that it starts, on each store of ours."""

import sys
from collections.abc import Iterator

from measures.processes import SERVE, cost
from measures.rows import Row

STORES = {
    "memory": (),
    "jsonl": ("--store", "jsonl", "--state-dir", "{scratch}/state"),
    "sqlite": ("--store", "sqlite", "--state-dir", "{scratch}/state"),
}
# A run stands in front of every merge, also on the small machines that a CI has.
SECONDS = 60


def rows() -> Iterator[Row]:
    judge = (sys.executable, "-m", "turnwire", "check", "server", "--jobs", "2", "--")
    spent = [cost((*judge, *SERVE, *store)).cpu_seconds for store in STORES.values()]
    yield Row(
        f"judging our server on {', '.join(STORES)}: CPU of judge and servers",
        ", ".join(f"{seconds:.0f} s" for seconds in spent),
        f"≤ {SECONDS} s each",
        max(spent) <= SECONDS,
    )
