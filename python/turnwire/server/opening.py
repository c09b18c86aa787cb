"""What a turn is started with, whoever starts it: a client, or the queue of its thread."""

from collections.abc import Sequence

import msgspec
from msgspec import UNSET, UnsetType

from turnwire.server.resuming import Carried
from turnwire.wire import InputPart, Turn

__all__ = ["Opening"]


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """`given` is what the agent gets; the turn shows it as its input, unless it resumes another."""

    given: Sequence[InputPart]
    model: str | UnsetType = UNSET
    client_message_id: str | UnsetType = UNSET
    principal: str | None = None
    # The idempotency key of the request, which the first event of the turn is recorded with.
    key: str | UnsetType = UNSET
    # The paused turn that this one goes on with, and how what waits in it is resolved.
    resumes: Turn | None = None
    carried: Sequence[Carried] = ()
