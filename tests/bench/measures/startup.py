"""From the start to the `initialize` response, against what Python needs to import asyncio and msgspec."""

import statistics
import sys
from collections.abc import Iterator

from measures.processes import INITIALIZE, SERVE, cost
from measures.rows import Row

PAIRS = 21
RATIO = 1.6
PEAK_MB = 40


def rows() -> Iterator[Row]:
    base = (sys.executable, "-c", "import asyncio, msgspec")
    # The first of each writes bytecode and warms the disk; pairs alternate, so that a busy machine is busy for both.
    cost(base), cost(SERVE, INITIALIZE)
    pairs = [(cost(base), cost(SERVE, INITIALIZE)) for _ in range(PAIRS)]
    assert all(b'"serverInfo"' in served.stdout for _, served in pairs), "initialize was not answered"
    ratio = statistics.median(served.cpu_seconds / bare.cpu_seconds for bare, served in pairs)
    served_ms = 1000 * statistics.median(served.cpu_seconds for _, served in pairs)
    peak_mb = max(served.peak_kb for _, served in pairs) / 1024
    yield Row(
        f"start, `initialize`, end of input: CPU against `import asyncio, msgspec` (median of {PAIRS} pairs)",
        f"{ratio:.2f} ({served_ms:.0f} ms)",
        f"≤ {RATIO}",
        ratio <= RATIO,
    )
    yield Row("the same: largest resident memory", f"{peak_mb:.1f} MB", f"≤ {PEAK_MB} MB", peak_mb <= PEAK_MB)
