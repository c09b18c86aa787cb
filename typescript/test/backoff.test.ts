/** What is tried again, and how long it is waited for. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionClosed, delayMs, RemoteError, RequestTimeout, withRetry } from "turnwire";
import { rejection } from "./fake_server.js";

const BUSY = new RemoteError(-32001, "busy", { code: "overloaded", retryable: true, retryAfterMs: 1 });
const FAST = { firstMs: 1, maxMs: 2 };

const ERRORS: [error: Error, attempts: number][] = [
  [BUSY, 3],
  [new RemoteError(-32010, "not yet", { code: "notSettled", retryable: true, retryAfterMs: 1 }), 3],
  [new RemoteError(-32004, "gone", { code: "notFound", retryable: false, kind: "thread", id: "t" }), 1],
  [new RemoteError(-32001, "no data"), 1],
  [new ConnectionClosed("lost"), 1],
  [new RequestTimeout("late"), 1],
  [new TypeError("a bug"), 1],
];

for (const [error, expected] of ERRORS) {
  test(`${error.name} ${error.message} is tried ${expected} times`, async () => {
    let attempts = 0;
    const operation = async (): Promise<never> => {
      attempts += 1;
      throw error;
    };
    const thrown = await rejection(withRetry(operation, { ...FAST, attempts: 3 }));

    assert.deepEqual([thrown, attempts], [error, expected]);
  });
}

test("what succeeds in the end is the result", async () => {
  let attempts = 0;
  const operation = async (): Promise<number> => {
    attempts += 1;
    if (attempts < 3) {
      throw BUSY;
    }
    return attempts;
  };

  assert.equal(await withRetry(operation, FAST), 3);
});

test("a signal ends the waiting", async () => {
  const stop = new AbortController();
  const trying = rejection(
    withRetry(() => Promise.reject(BUSY), { firstMs: 60_000, maxMs: 60_000, signal: stop.signal }),
  );
  setTimeout(() => stop.abort(new Error("enough")), 10);

  assert.equal((await trying).message, "enough");
});

const DELAYS: [attempt: number, random: number, atLeastMs: number, expected: number][] = [
  [1, 0, 0, 50],
  [1, 1, 0, 100],
  [2, 0, 0, 100],
  [3, 0.5, 0, 300],
  [9, 1, 0, 1000],
  [5000, 1, 0, 1000],
  [1, 0, 700, 750],
];

for (const [attempt, random, atLeastMs, expected] of DELAYS) {
  test(`attempt ${attempt} with ${random} after ${atLeastMs} waits ${expected}`, () => {
    assert.equal(delayMs(attempt, { firstMs: 100, maxMs: 1000, random: () => random }, atLeastMs), expected);
  });
}
