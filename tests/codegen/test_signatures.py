"""Generated Python says Any nowhere: what may be anything is an object, which has to be looked at first."""

import pytest

from codegen.signatures import found_in, signatures_with_any
from codegen.workshop import ROOT

SOURCES = [
    ("def decode(data: bytes, of: Any) -> object: ...", ["decode"]),
    ("def decode(*data: bytes, of: object) -> dict[str, Any]: ...", ["decode"]),
    ("def decode(data: bytes, **of: Any) -> object: ...", ["decode"]),
    ("class Bag(dict[str, Any]): ...", ["Bag"]),
    ("class Item:\n    data: list[Any] | None = None\n    def read(self) -> Any: ...", ["Item.data", "Item.read"]),
    ("Validator = Callable[[Any], bool]", ["Validator"]),
    ('Tree: TypeAlias = "list[ Any ]"', ["Tree"]),
    ("if TYPE_CHECKING:\n    Tree: TypeAlias = list[Any]\nelse:\n    Tree = choice(Any)", ["Tree"]),
    ("if not TYPE_CHECKING:\n    def __getattr__(name) -> Any: ...", []),
    ("def __getattr__(name: str) -> Any: ...", ["__getattr__"]),
    ("def _read(value: Any) -> Any: ...\nclass _Hole:\n    value: Any", []),
    ("def read(value: object) -> Anything: ...\nText = Annotated[str, Meta(description='any')]", []),
]


@pytest.mark.parametrize(("source", "expected"), SOURCES, ids=range(len(SOURCES)))
def test_any_is_found_where_it_is_said(source, expected):
    assert expected == found_in(source)


def test_no_signature_of_ours_says_any():
    assert [] == signatures_with_any(ROOT / "python" / "turnwire" / "generated")
