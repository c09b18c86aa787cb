"""All languages at once: texts whose spelling no walk makes, because it makes values; each is read alike or by none."""

import json

import pytest

from bindings.canonical import Spelled
from bindings.languages import found, of_protocol

# The builds of two compilers are waited for, when nothing of them is in the cache.
pytestmark = pytest.mark.timeout(1500)

# Where anything may stand: in an arm that nobody knows, and where a type says so.
UNKNOWN = '{{"type":"hologram","value":{}}}'
_REST = '"id":"i","status":"completed","threadId":"t","toolName":"x","turnId":"u","type":"toolCall"}}'
OPAQUE = '{{"arguments":{},"createdAt":1,' + _REST
INTEGER = '{{"createdAt":{},' + _REST
NUMBER = '{{"itemId":"i","progress":{},"threadId":"t","turnId":"u"}}'

NUMBERS = [
    *[("-0", "0"), ("-0.0", "0"), ("0e5", "0"), ("1.0", "1"), ("1e2", "100"), ("0.1E+1", "1"), ("1e0000002", "100")],
    *[("9007199254740991", "9007199254740991"), ("0.30000000000000004", "0.30000000000000004"), ("1E-7", "1e-7")],
    *[("5e-324", "5e-324"), ("2.5e-324", "5e-324"), ("1e-400", "0"), ("0.000001", "0.000001"), ("1e21", "1e+21")],
    *[("123456789012345680000.0", "123456789012345680000"), ("1.7976931348623157e308", "1.7976931348623157e+308")],
    # Written as fractions, numbers are the doubles that they mean.
    *[("9007199254740993.0", "9007199254740992"), ("9223372036854775807.0", "9223372036854776000")],
]
# Whole numbers are exact where no type makes a double of them.
WHOLE = [
    *["9007199254740992", "9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808"],
    *["9223372036854775808", "18446744073709551615", "18446744073709551616", "12345678901234567890"],
    *["1234567890123456789012345", "-1234567890123456789012345", "9" * 4300],
]
NO_NUMBERS = [
    *["01", "-01", "1.", ".5", "+1", "1e", "1e+", "-", "0x10", "1_000", "NaN", "Infinity", "-Infinity", "\uff11"],
    *["1e400", "-1e400", "1.7976931348623159e308", "1" + "0" * 309 + ".5"],
]
TEXTS = [
    (r'"\u0000\u001f\u007f"', '"\\u0000\\u001f\x7f"'),
    (r'"\/\b\f\n\r\t\"\\"', r'"/\b\f\n\r\t\"\\"'),
    (r'"\ud83d\ude00\uD83D\uDE00"', '"😀😀"'),
    (r'"\\ud83d"', r'"\\ud83d"'),
    (r'"\u00e9\u0065\u0301\ufeff\uFFFF\u2028"', '"ée\u0301\ufeff\uffff\u2028"'),
    ('"\x7f\u2028\u2029"', '"\x7f\u2028\u2029"'),
]
NO_TEXTS = [
    *[r'"\ud83d"', r'"\ude00"', r'"\ud83d\u0041"', r'"\ude00\ud83d"', r'"\\\ud83d"', r'{"\ud800":1}', r'["\uDBFF"]'],
    *[r'"\x41"', r'"\u12"', r'"\U0041"', r'"\u+041"', '"\t"', "'a'", '"', '"\\"'],
]
OTHERS = [
    ('{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'),
    (r'{"a":1,"\u0061":2}', '{"a":2}'),
    ('{"é":1,"e\u0301":2}', '{"e\u0301":2,"é":1}'),
    (
        '{"0":1,"__proto__":{"a":2},"constructor":3,"toString":4,"":5,"10":6,"2":7}',
        '{"":5,"0":1,"10":6,"2":7,"__proto__":{"a":2},"constructor":3,"toString":4}',
    ),
    # By UTF-16 units an emoji is before a ligature, by code points behind it.
    (r'{"\"":1,"\\":2,"😀":3,"ﬁ":4,"\u0000":5}', '{"\\u0000":5,"\\"":1,"\\\\":2,"😀":3,"ﬁ":4}'),
    (" [ 1 ,\t{ } ] ", "[1,{}]"),
    ("[" * 320 + "]" * 320, "[" * 320 + "]" * 320),
    ("[true,false,null]", "[true,false,null]"),
]
NOTHING = [
    *["", "[1,]", "[,1]", "[1 2]", "[1]]", "[", '{"a"', '{"a":}', '{"a":1,}', "{a:1}", '{"a":1 "b":2}', "{1:2}"],
    *["tru", "nul", "True", "nullx", "/*a*/1", "\u00a01", "\ufeff1", "\x0c1", "undefined"],
]


@pytest.fixture(scope="module")
def languages(tmp_path_factory):
    return found(of_protocol(tmp_path_factory.mktemp("languages")))


def told(roundtrip, rows):
    """By text, what a program says of it; `rows` are a type and a text each."""
    return dict(zip((text for _, text in rows), roundtrip([(of, Spelled(text)) for of, text in rows]), strict=True))


def test_what_is_json_is_read_alike(languages):
    rows = [
        ("Item", place, *row)
        for place in (UNKNOWN, OPAQUE)
        for row in (*NUMBERS, *((text, text) for text in WHOLE), *TEXTS, *OTHERS)
    ]
    rows += [("ItemToolCallProgressParams", NUMBER, *row) for row in NUMBERS]
    expected = {place.format(text): f'{{"value":{place.format(back)}}}' for _, place, text, back in rows}
    given = [(of, place.format(text)) for of, place, text, _ in rows]

    assert {language: {} for language in languages} == {
        language: {text: line for text, line in told(roundtrip, given).items() if line != expected[text]}
        for language, roundtrip in languages.items()
    }


def test_what_is_no_json_is_refused_by_all(languages):
    given = [("Item", place.format(text)) for place in (UNKNOWN, OPAQUE) for text in (*NO_NUMBERS, *NO_TEXTS, *NOTHING)]
    given += [("ItemToolCallProgressParams", NUMBER.format(text)) for text in NO_NUMBERS]

    assert {language: {'{"pointer":"","rule":"syntax"}'} for language in languages} == {
        language: set(told(roundtrip, given).values()) for language, roundtrip in languages.items()
    }


def test_whole_numbers_are_so_in_any_spelling(languages):
    """What is whole by its value is an integer, within its bounds, as the double that it means."""
    read = ["-0", "-0.0", "0e5", "1.0", "1e2", "1e-400", "9007199254740991", "9007199254740991.0"]
    type_, bound = ({"pointer": "/createdAt", "rule": rule} for rule in ("type", "bound"))
    refused = {
        **dict.fromkeys(["0.5", "1E-7", "5e-324", "0.30000000000000004"], type_),
        **dict.fromkeys(["-1", "9007199254740992", "9007199254740993.0", "1e20", "1e21", *WHOLE], bound),
    }
    given = [("Item", INTEGER.format(text)) for text in (*read, *refused)]
    expected = [*map(INTEGER.format, map(str, (0, 0, 0, 1, 100, 0, 2**53 - 1, 2**53 - 1)))]

    assert {
        language: ([f'{{"value":{text}}}' for text in expected], [*refused.values()]) for language in languages
    } == {
        language: (lines[: len(read)], [json.loads(line) for line in lines[len(read) :]])
        for language, roundtrip in languages.items()
        for lines in [[*told(roundtrip, given).values()]]
    }
