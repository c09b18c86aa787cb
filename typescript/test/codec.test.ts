/** One text, one message: what each kind of text is read as, and what cannot be written. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalProtocolError, RemoteError } from "turnwire";
import type { Message } from "../dist/codec.js";
import { readMessage, writeNotification, writeRequest, writeResult } from "../dist/codec.js";

const FAULTS = [
  "hello",
  "[]",
  "1",
  "null",
  "\ufeff{}",
  '{"jsonrpc":"2.0","method":"m","params":NaN}',
  '{"id":1,"result":{}}',
  '{"jsonrpc":"1.0","id":1,"result":{}}',
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","method":7,"result":1}',
  '{"jsonrpc":"2.0","method":"m","params":[1]}',
  '{"jsonrpc":"2.0","method":"m","id":null}',
  '{"jsonrpc":"2.0","method":"m","id":1.5}',
  '{"jsonrpc":"2.0","method":"m","id":9007199254740993}',
  '{"jsonrpc":"2.0","method":"m","id":true}',
  `{"jsonrpc":"2.0","method":"m","id":"${"x".repeat(513)}"}`,
  '{"jsonrpc":"2.0","id":[],"result":1}',
];

for (const text of FAULTS) {
  test(`a fault: ${text.slice(0, 60)}`, () => {
    assert.equal(readMessage(text)?.kind, "fault");
  });
}

const READ: [text: string, expected: Message | undefined][] = [
  [" \t\r", undefined],
  ['{"jsonrpc":"2.0","method":"m"}', { kind: "notification", method: "m", params: {} }],
  ['{"jsonrpc":"2.0","method":"m","params":{"a":1},"more":1}', { kind: "notification", method: "m", params: { a: 1 } }],
  ['{"jsonrpc":"2.0","method":"m","id":"","result":1}', { kind: "request", id: "", method: "m", params: {} }],
  ['{"jsonrpc":"2.0","method":"m","id":-3}\r', { kind: "request", id: -3, method: "m", params: {} }],
  ['{"jsonrpc":"2.0","id":"1","result":null}', { kind: "result", id: "1", result: null }],
  ['{"jsonrpc":"2.0","id":1,"result":{},"error":null}', { kind: "result", id: 1, result: {} }],
  [
    `{"jsonrpc":"2.0","method":"m","id":"${"😀".repeat(512)}"}`,
    { kind: "request", id: "😀".repeat(512), method: "m", params: {} },
  ],
];

for (const [text, expected] of READ) {
  test(`read: ${text.slice(0, 60)}`, () => {
    assert.deepEqual(readMessage(text), expected);
  });
}

const RESPONSES: [text: string, name: string, message: string][] = [
  ['{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"gone"}}', "RemoteError", "gone"],
  ['{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}', "RemoteError", "what?"],
  [
    '{"jsonrpc":"2.0","id":1,"error":{"code":"-1","message":"x"}}',
    "RemoteProtocolError",
    "the error has no integer code and string message",
  ],
  ['{"jsonrpc":"2.0","id":1,"error":7}', "RemoteProtocolError", "the response has not one of result and error"],
  [
    '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""},"result":1}',
    "RemoteProtocolError",
    "the response has not one of result and error",
  ],
  ['{"jsonrpc":"2.0","id":null,"result":1}', "RemoteProtocolError", "the response has not one of result and error"],
];

for (const [text, name, sentence] of RESPONSES) {
  test(`an error: ${text}`, () => {
    const message = readMessage(text);
    assert(message?.kind === "error");

    assert.deepEqual([message.error.name, message.error.message], [name, sentence]);
  });
}

test("params of a request that are no object are refused under its id", () => {
  const message = readMessage('{"jsonrpc":"2.0","method":"m","id":"7","params":[]}');
  assert(message?.kind === "fault" && message.reply !== undefined);
  const { id, error } = JSON.parse(message.reply);

  assert.deepEqual([id, error.code, error.data.code, error.data.issues[0].path], ["7", -32602, "invalidParams", ""]);
});

const DATA: [data: unknown, code: string | undefined, retryable: boolean][] = [
  [{ code: "overloaded", retryable: true, retryAfterMs: 5 }, "overloaded", true],
  [{ code: "of tomorrow", retryable: false }, "of tomorrow", false],
  [{ retryable: true }, undefined, false],
  ["text", undefined, false],
  [null, undefined, false],
];

for (const [data, code, retryable] of DATA) {
  test(`error data: ${JSON.stringify(data)}`, () => {
    const error = new RemoteError(-1, "m", data);

    assert.deepEqual([error.data?.code, error.retryable], [code, retryable]);
  });
}

test("an absent member is not written, and no result is null", () => {
  assert.equal(writeRequest(1, "m", undefined), '{"jsonrpc":"2.0","id":1,"method":"m"}');
  assert.equal(
    writeNotification("m", { a: undefined, b: "\u2028" }),
    '{"jsonrpc":"2.0","method":"m","params":{"b":"\u2028"}}',
  );
  assert.equal(writeResult("1", undefined), '{"jsonrpc":"2.0","id":"1","result":null}');
});

const STRINGS: [text: string, isSent: boolean][] = [
  ["😀", true],
  ["\\ud800 written out", true],
  ["\\\\ud800", true],
  ["half \ud83d", false],
  ["\ude00 half", false],
  ["\\\ud83d", false],
];

for (const [text, isSent] of STRINGS) {
  test(`half of a surrogate pair is not sent: ${JSON.stringify(text)}`, () => {
    const write = (): string => writeRequest(1, "m", { text });

    if (isSent) {
      assert.equal(JSON.parse(write()).params.text, text);
    } else {
      assert.throws(write, LocalProtocolError);
    }
  });
}
