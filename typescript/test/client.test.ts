/** A client against a server that does what the test says: every call ends, and nothing is approved by default. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionClosed, Refusal, RemoteError } from "turnwire";
import type { Json } from "./fake_server.js";
import { connected, INITIALIZED, rejection } from "./fake_server.js";

const APPROVAL = { approvalId: "a", binding: { nonce: "n-1" } };

test("replies in any order reach their callers", async () => {
  const { client, server } = await connected();
  const calls = [client.threadRead({ threadId: "a" }), client.threadRead({ threadId: "b" }), client.ping()];
  const [first, second, third] = [await server.next(), await server.next(), await server.next()];
  server.say({ id: third["id"], result: {} });
  server.say({ id: second["id"], result: { thread: { id: "b" } } });
  server.say({ id: first["id"], result: { thread: { id: "a" } } });

  assert.deepEqual(await Promise.all(calls), [{ thread: { id: "a" } }, { thread: { id: "b" } }, {}]);
  assert.equal(new Set(server.heard.map(({ id }) => id)).size, 3);
});

for (const id of ["", "1", 1, 0, -7, "x".repeat(512)]) {
  test(`a request of the server is answered under its id ${JSON.stringify(id).slice(0, 20)}`, async () => {
    const { client, server } = await connected();
    const call = client.ping();
    await server.next();
    server.say({ id, method: "ping" });

    assert.deepEqual(await server.next(), { jsonrpc: "2.0", id, result: {} });
    server.say({ id: 1, result: {} });
    assert.deepEqual(await call, {});
  });
}

const ANSWERS: [method: string, params: Json, answer: Json][] = [
  ["approval/request", { approval: APPROVAL }, { result: { decision: "decline", nonce: "n-1" } }],
  ["approval/request", {}, { result: { decision: "decline", nonce: "" } }],
  ["userInput/request", {}, { code: -32601 }],
  ["tool/call", {}, { code: -32601 }],
  ["rpc.discover", {}, { code: -32601 }],
  ["toString", {}, { code: -32601 }],
];

for (const [method, params, expected] of ANSWERS) {
  test(`without a handler ${method} is answered ${JSON.stringify(expected)}`, async () => {
    const { server } = await connected();
    server.say({ id: "q", method, params });
    const { result, error } = await server.next();

    assert.deepEqual(result === undefined ? { code: (error as Json)["code"] } : { result }, expected);
  });
}

test("a handler answers, refuses, or fails without a word of why", async () => {
  const told: string[] = [];
  const { client, server } = await connected({ report: (what) => told.push(what) });
  client.onRequest("approval/request", ({ approval }) => ({ decision: "accept", nonce: approval.binding.nonce ?? "" }));
  client.onRequest("userInput/request", () => {
    throw new Refusal("unauthorized", "Not you.");
  });
  client.onRequest("tool/call", async () => Promise.reject(new Error("secret")));
  client.onRequest("_acme/ask", (params) => params["it"]);
  server.say({ id: 1, method: "approval/request", params: { approval: APPROVAL } });
  server.say({ id: 2, method: "userInput/request", params: {} });
  server.say({ id: 3, method: "tool/call", params: {} });
  server.say({ id: 4, method: "_acme/ask", params: { it: 7 } });
  const answers = [await server.next(), await server.next(), await server.next(), await server.next()];
  const byId = new Map(answers.map((answer) => [answer["id"], answer]));

  assert.deepEqual(byId.get(1)?.["result"], { decision: "accept", nonce: "n-1" });
  assert.deepEqual(byId.get(2)?.["error"], {
    code: -32007,
    message: "Not you.",
    data: { code: "unauthorized", retryable: false },
  });
  assert.deepEqual(byId.get(3)?.["error"], {
    code: -32603,
    message: "The handler failed.",
    data: { code: "internalError", retryable: false },
  });
  assert.equal(byId.get(4)?.["result"], 7);
  assert.deepEqual(told, ["the handler of tool/call failed"]);
});

test("a notification that comes before the response is kept for who asks later", async () => {
  const { client, server } = await connected();
  const call = client.threadStart();
  const { id } = await server.next();
  server.say({ method: "thread/started", params: { seq: 1 } });
  server.say({ method: "turn/started", params: { seq: 2 } });
  server.say({ method: "thread/closed", params: { threadId: "t" } });
  server.say({ id, result: { thread: { id: "t" } } });
  await call;
  const heard = [];
  for await (const { params } of client.notifications("turn/started")) {
    heard.push(params.seq);
    break;
  }
  for await (const { method } of client.notifications()) {
    heard.push(method);
    if (method === "thread/closed") {
      break;
    }
  }

  assert.deepEqual(heard, [2, "thread/started", "thread/closed"]);
});

test("handlers take their notifications in place of the backlog, until they are taken away", async () => {
  const told: string[] = [];
  const { client, server } = await connected({ report: (what) => told.push(what) });
  const heard: unknown[] = [];
  const offs = [
    client.on("thread/closed", ({ threadId }) => void heard.push(threadId)),
    client.on("thread/closed", async ({ threadId }) => void heard.push(`${threadId}!`)),
    client.on("_acme/news", () => Promise.reject(new Error("no"))),
  ];
  server.say({ method: "thread/closed", params: { threadId: "a" } });
  server.say({ method: "_acme/news" });
  await client.ping({}, { timeoutMs: 1 }).catch(() => {});
  offs.forEach((off) => off());
  server.say({ method: "thread/closed", params: { threadId: "b" } });
  for await (const { params } of client.notifications("thread/closed")) {
    heard.push(params.threadId);
    break;
  }

  assert.deepEqual(heard, ["a", "a!", "b"]);
  assert.deepEqual(told, ["a handler of _acme/news failed"]);
});

test("an error of the server is typed by its name", async () => {
  const { client, server } = await connected();
  const call = rejection(client.turnStart({ threadId: "t", input: [] }));
  const { id } = await server.next();
  const data = { code: "turnActive", retryable: false, turnId: "u" };
  server.say({ id, error: { code: -32020, message: "busy", data } });
  const error = await call;
  assert(error instanceof RemoteError && error.is("turnActive"));

  assert.deepEqual([error.code, error.message, error.data.turnId, error.retryable], [-32020, "busy", "u", false]);
  assert.equal(error.is("overloaded"), false);
});

test("a request that is not answered in time ends, and a late answer is ignored", async () => {
  const { client, server } = await connected();
  const error = await rejection(client.ping({}, { timeoutMs: 5 }));
  const { id } = await server.next();
  server.say({ id, result: {} });
  server.say({ id, error: { code: -32603, message: "late too" } });
  const call = client.ping();
  await server.answer({ alive: true });

  assert.deepEqual([error.name, error.message], ["RequestTimeout", "ping got no answer within 5 ms"]);
  assert.deepEqual(await call, { alive: true });
  assert.deepEqual(client.faults, []);
});

test("an error about something unreadable is kept as a fault", async () => {
  const { client, server } = await connected();
  server.say({ id: null, error: { code: -32700, message: "what?" } });
  const call = client.ping();
  await server.answer({});
  await call;

  assert.match(client.faults.join(), /^the other side could not read a message: what\?: /);
});

test("a signal stops the waiting, and a request that was aborted before is not sent", async () => {
  const { client, server } = await connected();
  const aborting = new AbortController();
  const call = rejection(client.ping({}, { signal: aborting.signal }));
  const { id } = await server.next();
  aborting.abort(new Error("enough"));
  server.say({ id, result: {} });

  assert.equal((await call).message, "enough");
  assert.equal((await rejection(client.ping({}, { signal: aborting.signal }))).message, "enough");
  assert.equal(server.heard.length, 1);
});

test("what waits fails when the connection ends, and nothing is sent after it", async () => {
  const { client, server } = await connected();
  const calls = [rejection(client.ping()), rejection(client.threadRead({ threadId: "t" }))];
  const loop = rejection(client.notifications().next());
  await server.next();
  server.say("<html>");
  await server.transport.close();
  const errors = [...(await Promise.all(calls)), await loop, await rejection(client.ping())];

  assert.deepEqual(
    errors.map(({ name }) => name),
    Array(4).fill("ConnectionClosed"),
  );
  assert.match(errors[0]?.message ?? "", /^ping got no answer.*the other end closed it.*it is not JSON: "<html>"$/);
  assert.throws(() => client.notify("initialized"), ConnectionClosed);
  assert(client.ended.aborted && client.ended.reason instanceof ConnectionClosed);
});

test("a loop over notifications ends when this side closes", async () => {
  const { client, server } = await connected();
  server.say({ method: "thread/closed", params: { threadId: "t" } });
  const heard: string[] = [];
  const loop = (async () => {
    for await (const { method } of client.notifications()) {
      heard.push(method);
    }
  })();
  await client.ping({}, { timeoutMs: 1 }).catch(() => {});
  await client.close();
  await client.close();
  await loop;

  assert.deepEqual(heard, ["thread/closed"]);
  assert(server.isClosed);
});

test("a loop that is left takes nothing more", async () => {
  const { client, server } = await connected();
  const loop = client.notifications();
  const waiting = [loop.next(), loop.next()];
  await loop.return?.();
  server.say({ method: "thread/closed", params: { threadId: "t" } });
  const next = await client.notifications().next();

  assert.deepEqual(
    (await Promise.all([...waiting, loop.next()])).map(({ done }) => done),
    [true, true, true],
  );
  assert.equal(next.value?.method, "thread/closed");
});

test("requests that wait are bounded, and a request that has ended makes room", async () => {
  const { client, server } = await connected({ maxPending: 2, timeoutMs: 20 });
  const calls = [rejection(client.ping()), rejection(client.ping())];
  const full = await rejection(client.ping());
  await Promise.all(calls);
  const call = client.ping({}, { timeoutMs: 1000 });
  await server.next();
  await server.next();
  await server.answer({});

  assert.equal(full.name, "PendingFull");
  assert.deepEqual(await call, {});
  assert.equal(server.heard.length, 3);
});

test("a message beyond the limit of the server is not sent", async () => {
  const { client, server } = await connected();
  const handshake = client.initialize();
  await server.answer(INITIALIZED);
  await handshake;
  const params = { threadId: "t", input: [{ type: "text" as const, text: "é".repeat(1000) }] };
  const error = await rejection(client.turnStart(params));

  assert.deepEqual([error.name, server.heard.length], ["LocalProtocolError", 1]);
  assert.match(error.message, /^turn\/start was not sent: the server takes at most 2000 bytes/);
});

test("initialize declares what handlers show, and what the options add", async () => {
  const { client, server } = await connected({ clientInfo: { name: "me" }, capabilities: { traces: true } });
  client.onRequest("approval/request", () => ({ decision: "decline", nonce: "" }));
  client.onRequest("tool/call", () => ({ success: true }));
  const handshake = client.initialize();
  const { params } = await server.answer(INITIALIZED);

  assert.deepEqual(params, {
    protocolVersion: 1,
    clientInfo: { name: "me" },
    capabilities: { approvals: true, dynamicTools: true, traces: true },
  });
  assert.deepEqual(await handshake, INITIALIZED);
  assert.deepEqual(client.server, INITIALIZED);
});

test("garbage is kept as faults and stops nothing", async () => {
  const { client, server } = await connected();
  for (let count = 0; count < 30; count += 1) {
    server.say(`garbage ${count}`);
  }
  server.say({ id: null, error: { code: -32700, message: "what?" } });
  server.say({ id: 99, result: {} });
  server.say({ id: "r", method: "ping", params: [] });
  const reply = await server.next();
  const call = client.ping();
  await server.answer({});

  assert.deepEqual(await call, {});
  assert.equal(client.faults.length, 20);
  assert.equal(client.faults[0], 'it is not JSON: "garbage 0"');
  assert.equal((reply["error"] as Json)["code"], -32602);
});

test("the end of the connection is told to handlers that still work", async () => {
  const { client, server } = await connected();
  const aborted = new Promise((resolve) => {
    client.onRequest("approval/request", (_, { signal }) => {
      signal.addEventListener("abort", () => resolve(signal.reason.name));
      return new Promise(() => {});
    });
  });
  server.say({ id: 1, method: "approval/request", params: { approval: APPROVAL } });
  await client.ping({}, { timeoutMs: 1 }).catch(() => {});
  await server.transport.close();

  assert.equal(await aborted, "ConnectionClosed");
});

for (const result of [null, 7, [], {}, { limits: null }, { limits: { messageBytes: "no" } }]) {
  test(`a handshake of ${JSON.stringify(result)} stops nothing`, async () => {
    const { client, server } = await connected();
    const handshake = client.initialize();
    await server.answer(result);
    const call = client.ping();
    await handshake;
    await server.answer({});

    assert.deepEqual(await call, {});
  });
}
