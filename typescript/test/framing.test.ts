/** Any split of a stream gives the same messages; what is no message is said and passed over. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { LineReader } from "turnwire";

const LIMIT = 12;

/** What a receiver is told of a stream that comes in these chunks. */
function heard(chunks: Uint8Array[]): string[] {
  const told: string[] = [];
  const receiver = {
    message: (text: string) => told.push(text),
    unreadable: (why: string) => told.push(`! ${why}`),
    closed: () => {},
  };
  const reader = new LineReader(receiver as never, LIMIT);
  for (const chunk of chunks) {
    reader.feed(chunk);
  }
  reader.finish();
  return told;
}

function bytes(...parts: (string | number[])[]): Uint8Array {
  return Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));
}

const TOO_LONG = `! a line has more than ${LIMIT} bytes`;
const NOT_UTF8 = "! a line is not UTF-8";

const STREAMS: [what: string, stream: Uint8Array, expected: string[]][] = [
  ["lines", bytes("{}\n[]\n"), ["{}", "[]"]],
  ["a last line without an end", bytes("{}\n[]"), ["{}", "[]"]],
  ["blank lines", bytes("\n\n{}\n\n"), ["{}"]],
  ["carriage returns stay, JSON reads over them", bytes("{}\r\n"), ["{}\r"]],
  ["other line ends are text", bytes('"\u2028\u0085"\n'), ['"\u2028\u0085"']],
  ["characters of several bytes", bytes('"é😀"\n"ü"\n'), ['"é😀"', '"ü"']],
  ["a line at the limit", bytes(`${"x".repeat(LIMIT)}\n{}\n`), ["x".repeat(LIMIT), "{}"]],
  [
    "a line at the limit, and its carriage return",
    bytes(`${"x".repeat(LIMIT)}\r\n{}\n`),
    [`${"x".repeat(LIMIT)}\r`, "{}"],
  ],
  ["a line beyond the limit", bytes(`${"x".repeat(LIMIT + 1)}\n{}\n`), [TOO_LONG, "{}"]],
  ["a line far beyond the limit", bytes(`{}\n${"x".repeat(9 * LIMIT)}\n{}\n`), ["{}", TOO_LONG, "{}"]],
  ["an over-long last line", bytes("x".repeat(LIMIT + 1)), [TOO_LONG]],
  ["a carriage return within an over-long line", bytes(`${"x".repeat(LIMIT)}\ry\n`), [TOO_LONG]],
  ["bytes that are no UTF-8", bytes([0xff, 0xfe], "\n{}\n"), [NOT_UTF8, "{}"]],
  ["a byte order mark is no part of JSON", bytes([0xef, 0xbb, 0xbf], "{}\n"), ["\ufeff{}"]],
];

for (const [what, stream, expected] of STREAMS) {
  test(`${what}: any split`, () => {
    const one = [...stream].map((byte) => Uint8Array.of(byte));

    assert.deepEqual(heard(one), expected);
    for (let cut = 0; cut <= stream.length; cut += 1) {
      assert.deepEqual(heard([stream.subarray(0, cut), stream.subarray(cut)]), expected, `cut at ${cut}`);
    }
    for (let size = 2; size <= 5; size += 1) {
      const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, i) =>
        stream.subarray(i * size, (i + 1) * size),
      );
      assert.deepEqual(heard(chunks), expected, `chunks of ${size}`);
    }
  });
}
