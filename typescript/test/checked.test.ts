/** A client that trusts no server: what is not lawful reaches no handler and no caller. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { protocolChecks } from "turnwire/checked";
import type { Json } from "./fake_server.js";
import { connected, INITIALIZED, rejection } from "./fake_server.js";

const checks = protocolChecks;

const RESULTS: [method: "ping" | "turn/queue/list" | "schema/export", result: unknown, why: string | undefined][] = [
  ["ping", {}, undefined],
  ["ping", { more: 1 }, undefined],
  ["ping", null, "type"],
  ["turn/queue/list", { threadId: "t", entries: [], held: "no" }, "type at /held"],
  ["schema/export", {}, "required"],
];

for (const [method, result, why] of RESULTS) {
  test(`${method} with ${JSON.stringify(result)}`, async () => {
    const { client, server } = await connected({ checks });
    const call = client.request(method, { threadId: "t" } as never);
    const outcome = call.then(
      () => undefined,
      (error: Error) => error.message,
    );
    await server.answer(result);

    const expected = why && `the result of ${method} is not what the protocol says: ${why}`;
    assert.equal((await outcome)?.slice(0, expected?.length), expected);
  });
}

test("the handshake is checked", async () => {
  const { client, server } = await connected({ checks });
  const handshake = client.initialize();
  await server.answer(INITIALIZED);
  await handshake;
  const again = rejection(client.initialize());
  await server.answer({ ...INITIALIZED, schema: { ...INITIALIZED.schema, digest: "short" } });

  assert.match((await again).message, /^the result of initialize is not what .*: \w+ at \/schema\/digest$/);
});

test("a notification that is not lawful is a fault, one that is not known is kept", async () => {
  const { client, server } = await connected({ checks });
  server.say({ method: "thread/closed", params: { threadId: 7 } });
  server.say({ method: "thread/closed" });
  server.say({ method: "_acme/news", params: { any: [] } });
  server.say({ method: "of/tomorrow", params: {} });
  server.say({ method: "thread/closed", params: { threadId: "t", more: 1 } });
  const heard: [string, unknown][] = [];
  for await (const { method, params } of client.notifications()) {
    heard.push([method, params]);
    if (method === "thread/closed") {
      break;
    }
  }

  assert.deepEqual(heard, [
    ["_acme/news", { any: [] }],
    ["of/tomorrow", {}],
    ["thread/closed", { threadId: "t", more: 1 }],
  ]);
  assert.deepEqual(
    client.faults.map((fault) => fault.split(': "')[0]),
    [
      "thread/closed is not what the protocol says: type at /params/threadId",
      "thread/closed is not what the protocol says: required at /params",
    ],
  );
});

test("a request that is not lawful is refused with the pointer, one that is not known by its name", async () => {
  const { client, server } = await connected({ checks });
  client.onRequest("approval/request", () => ({ decision: "accept", nonce: "n" }));
  server.say({ id: 1, method: "approval/request", params: { approval: { approvalId: 7 } } });
  const refused = (await server.next())["error"] as Json;
  server.say({ id: 2, method: "of/tomorrow", params: {} });
  const unknown = (await server.next())["error"] as Json;
  const [issue] = (refused["data"] as { issues: Json[] }).issues;

  assert.deepEqual([refused["code"], issue?.["path"]], [-32602, "/approval"]);
  assert.equal(unknown["code"], -32601);
});
