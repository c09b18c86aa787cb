"""How a dialect's messages are read as ours: the data by which the rules of order hold for a server of another house.

Every place is an RFC 6901 pointer into the whole message, so that an id of JSON-RPC is a place like any other.
"""

from typing import Literal

import msgspec

__all__ = ["Answers", "Reading", "Tells"]


class Tells(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a notification or request of the server tells of, and where its parts are.

    `subject` is what the notification and the request of one approval must agree on, but for the members in `aside`.
    """

    means: Literal[
        "thread-started",
        "thread-status",
        "turn-started",
        "turn-ended",
        "item-started",
        "item-delta",
        "item-ended",
        "approval-told",
        "approval-asked",
        "approval-settled",
    ]
    thread: str = "/params/threadId"
    turn: str = "/params/turnId"
    item: str = "/params/itemId"
    kind: str = "/params/type"
    status: str = "/params/status"
    # The first of these that is a string is the text of an item, or what a delta adds to it.
    text: tuple[str, ...] = ()
    approval: str = ""
    nonce: str = ""
    subject: str = ""
    aside: tuple[str, ...] = ()
    # The decision that settles nothing, such as one that is put off.
    decision: str = ""


class Answers(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the result of a request means. Places are pointers into `{"params": …, "result": …}`."""

    means: Literal["thread-started", "thread-resumed", "thread-left", "turn-started", "turn-interrupted"]
    thread: str = "/params/threadId"
    turn: str = "/result/turnId"


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One dialect in our words, and which rules it promises."""

    # The ids of the passive checks that this contract promises; what it never promised is not asked of it.
    promises: tuple[str, ...]
    tells: dict[str, Tells]
    answers: dict[str, Answers] = {}
    # The dialect's words for the states of threads, turns and items; a word that is missing is taken as it is.
    thread_status: dict[str, str] = {}
    turn_status: dict[str, str] = {}
    item_status: dict[str, str] = {}
    # Types of items that are told of once, when they are whole.
    whole_items: tuple[str, ...] = ()
    # The member of params that makes a request safe to repeat; empty: there is none.
    key_member: str = ""
