/** JSON that keeps every digit: it is JSON.parse and JSON.stringify, but for whole numbers beyond 2^53. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson, stringifyJson } from "turnwire";

const LONG = 9007199254740993n;
const EXACT: [text: string, value: unknown][] = [
  ["9007199254740993", LONG],
  [" -9223372036854775808 ", -9223372036854775808n],
  ["18446744073709551615", 18446744073709551615n],
  ["[1,9007199254740993]", [1, LONG]],
  ['{"a":{"b":[9007199254740993,{"c":null}]},"d":false}', { a: { b: [LONG, { c: null }] }, d: false }],
  ['{"a":9007199254740993,"a":1}', { a: 1 }],
  ['{"a\\u0062\\"":9007199254740993,"":true}', { 'ab"': LONG, "": true }],
  ['[9007199254740993,"\\\\","a:9007199254740993",[],{}]', [LONG, "\\", "a:9007199254740993", [], {}]],
  ['{"id": 1234567890123456}', { id: 1234567890123456 }],
  ["[9007199254740993.0,9007199254740993e0,1234567890123456.5,-0]", [9007199254740992, 9007199254740992, 1234567890123456.5, -0]],
  ['["\\ud83d\\uDE00","\\\\ud83d","1e400"]', ["😀", "\\ud83d", "1e400"]],
  ["[1.5e+300,1e-400,5E2]", [1.5e300, 0, 500]],
];

for (const [text, value] of EXACT) {
  test(`exact: ${text}`, () => {
    assert.deepEqual(parseJson(text), value);
  });
}

const NO_JSON = [
  ...["", "{", "01234567890123456789", '{"a":9007199254740993,}', "[9007199254740993", "NaN", "1".repeat(4301)],
  ...["1e400", "[-1.8E+308]", '{"a": 0.1e310}', `${"9".repeat(309)}.5`],
  ...['"\\ud83d"', '["a\\uDE00"]', '{"\\ud83d\\u0041":1}', '"\\\\\\ud83d"'],
];

for (const text of NO_JSON) {
  test(`no JSON: ${text.slice(0, 30)}`, () => {
    assert.throws(() => parseJson(text), SyntaxError);
  });
}

test("a member called __proto__ is a member", () => {
  const value = parseJson('{"__proto__":{"polluted":9007199254740993}}') as object;

  assert.deepEqual(Object.entries(value), [["__proto__", { polluted: LONG }]]);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});

test("nothing is too deep", () => {
  const depth = 100000;
  let value = parseJson(`${"[".repeat(depth)}9007199254740993${"]".repeat(depth)}`);
  for (let at = 0; at < depth; at += 1) value = (value as unknown[])[0];

  assert.equal(value, LONG);
});

const WRITTEN: [value: unknown, text: string][] = [
  [LONG, "9007199254740993"],
  [{ a: [LONG, -LONG, 1n, "1"], b: undefined, c: new Date(0) }, '{"a":[9007199254740993,-9007199254740993,1,"1"],"c":"1970-01-01T00:00:00.000Z"}'],
  [{ "bigint:9007199254740993": LONG, b: "bigint:7" }, '{"bigint:9007199254740993":9007199254740993,"b":"bigint:7"}'],
  [['"bigint:1"', LONG], '["\\"bigint:1\\"",9007199254740993]'],
  [{ a: 1 }, '{"a":1}'],
];

for (const [value, text] of WRITTEN) {
  test(`written: ${text}`, () => {
    assert.equal(stringifyJson(value), text);
  });
}

test("a circle is no JSON, with a bigint in it too", () => {
  const circle: unknown[] = [LONG];
  circle.push(circle);

  assert.throws(() => stringifyJson(circle), TypeError);
});

/** The same generator on every run, so that a failure can be seen again. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 48271) % 2147483647;
    yield state / 2147483647;
  }
}

/** A random value without bigints, in which texts look like JSON. */
function random(next: () => number, depth: number): unknown {
  const pick = Math.floor(next() * (depth > 0 ? 8 : 6));
  const texts = ['"', "\\", "}", "9007199254740993", ":[", "\u2028", "😀", "a\nb", "__proto__"];
  const text = texts[Math.floor(next() * texts.length)] ?? "";
  const many = Array.from({ length: Math.floor(next() * 4) }, () => 0);
  switch (pick) {
    case 0:
      return null;
    case 1:
      return next() < 0.5;
    case 2:
      return Math.round((next() - 0.5) * 1e6);
    case 3:
      return (next() - 0.5) * 10 ** Math.floor(next() * 30 - 20);
    case 4:
    case 5:
      return text;
    case 6:
      return many.map(() => random(next, depth - 1));
    default:
      return Object.fromEntries(many.map((_, at) => [`${text}${at}`, random(next, depth - 1)]));
  }
}

test("beside a long number everything is read as JSON.parse reads it", () => {
  const source = numbers(7);
  for (let round = 0; round < 2000; round += 1) {
    const value = random(() => source.next().value, 4);
    const text = JSON.stringify(value, undefined, round % 3);

    assert.deepEqual(parseJson(`[9007199254740993,${text}]`), [LONG, JSON.parse(text)]);
    assert.equal(stringifyJson([LONG, value]), `[9007199254740993,${JSON.stringify(value)}]`);
  }
});
