"""What the measure of unions compares: three readers that read the same, and refuse the same."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from measures import unions


@pytest.mark.parametrize("reader", [unions.generated, unions.by_hand, unions.by_pydantic])
def test_the_unions_that_are_compared_read_and_check_the_same(reader: Callable[[], unions.Read]) -> None:
    read = reader()
    for text in unions.messages():
        message = json.loads(text)

        assert message["params"]["sequence"] == read(text).params.sequence
        for member in ("item", "sequence", "turnId"):
            broken = {**message, "params": {**message["params"], member: {"type": "no such"}}}
            with pytest.raises(ValueError, match=r"Invalid|Expected|valid"):
                read(json.dumps(broken).encode())
