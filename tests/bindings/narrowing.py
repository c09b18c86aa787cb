"""What a reader of the generated types may lean on; each ignored error proves that a checker would see the mistake."""

from typing import Literal, assert_never, assert_type

from msgspec import UnsetType

from turnwire.generated import (
    AgentMessageItem,
    ApprovalKind,
    ErrorResponse,
    Item,
    ItemCompletedNotification,
    ServerNotification,
    SuccessResponse,
    ThreadReadParams,
    UnknownItem,
)
from turnwire.generated.decoding import Decoder, convert, decode, decoder
from turnwire.generated.errors import PARSE_ERROR


def text_of(item: Item) -> str:
    """A tag narrows, and so does a class."""
    if isinstance(item, UnknownItem):
        return item.tag
    if item.type == "agentMessage":
        assert_type(item, AgentMessageItem)
        return item.text
    if isinstance(item, AgentMessageItem):
        return item.text
    # An item of any other type may have no text.
    return str(item.text)  # type: ignore[union-attr]  # pyright: ignore[reportAttributeAccessIssue]


def tag_of(item: Item) -> str:
    """Every arm has its tag, the unknown one too."""
    return item.type


def on_notification(message: ServerNotification) -> str:
    """The class of the message decides what params there are."""
    if isinstance(message, ItemCompletedNotification):
        assert_type(message.method, Literal["item/completed"])
        return message.params.item.type
    return ""


def absent(message: AgentMessageItem) -> int | UnsetType:
    """What may be absent says so."""
    return message.completed_at + 1  # type: ignore[operator]  # pyright: ignore[reportOperatorIssue]


read = ThreadReadParams(thread_id="t")
wrong = ThreadReadParams()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
read.thread_id = "u"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
kind: ApprovalKind = "a kind of tomorrow"
code: Literal[-32700] = PARSE_ERROR


def item_type_of(data: bytes) -> str:
    """A class is what comes back from reading it."""
    assert_type(decode(data, ThreadReadParams), ThreadReadParams)
    assert_type(decoder(ThreadReadParams)(data), ThreadReadParams)
    assert_type(convert({}, ThreadReadParams), ThreadReadParams)
    assert_type(decode(data, Item), object)
    item = Decoder[Item]()(data)
    assert_type(item, Item)
    return item.type


def ways_of(data: bytes) -> int:
    """A union that a decoder gives is one that a checker sees to the end."""
    response = Decoder[ErrorResponse | SuccessResponse]()(data)
    match response:
        case ErrorResponse(error=error):
            return error.code
        case SuccessResponse():
            return 0
        case _:
            assert_never(response)


def anything(response: SuccessResponse) -> str:
    """What may be anything has to be looked at first."""
    return str(response.result.text)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
