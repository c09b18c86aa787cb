/** A response that cannot be read ends its call at once, where its beginning says whose it is. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Receiver, Transport } from "turnwire";
import { Client, LineReader, RemoteProtocolError } from "turnwire";
import { rejection } from "./fake_server.js";

const LIMIT = 4000;

/** A client whose server answers its first request with these bytes, and each later one with an empty result. */
async function answered(answer: (id: unknown) => Uint8Array): Promise<Client> {
  let receiver: Receiver | undefined;
  let isFirst = true;
  let reader: LineReader | undefined;
  const transport: Transport = {
    open: (given) => {
      receiver = given;
      reader = new LineReader(given, LIMIT);
      return Promise.resolve();
    },
    send: (text) => {
      const { id } = JSON.parse(text) as { id: unknown };
      const line = isFirst ? answer(id) : Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
      isFirst = false;
      reader?.feed(Buffer.concat([line, Buffer.from("\n")]));
    },
    close: () => {
      receiver?.closed("it was closed");
      return Promise.resolve();
    },
  };
  return Client.connect(transport);
}

const LONG = "x".repeat(2 * LIMIT);
const OWN: [what: string, answer: (id: unknown) => Uint8Array, why: RegExp][] = [
  ["a long result", (id) => Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{"t":"${LONG}"}}`), /more than 4000 bytes/],
  ["spaces", (id) => Buffer.from(` { "id" : ${id} , "jsonrpc" : "2.0" , "result" : "${LONG}" }`), /more than 4000 bytes/],
  ["a long error", (id) => Buffer.from(`{"id":${id},"error":{"message":"${LONG}"}}`), /more than 4000 bytes/],
  [
    "bytes that are no text",
    (id) => Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":"`), Uint8Array.of(0xff), Buffer.from('"}')]),
    /not UTF-8/,
  ],
];

for (const [what, answer, why] of OWN) {
  test(`${what}: the call ends, the connection goes on`, async () => {
    const client = await answered(answer);
    const error = await rejection(client.ping());

    assert.ok(error instanceof RemoteProtocolError);
    assert.match(error.message, why);
    assert.match(error.message, /the response to ping cannot be read/);
    assert.deepEqual(await client.ping(), {});
    await client.close();
  });
}

const OTHERS: [what: string, answer: (id: unknown) => string][] = [
  ["an id behind what is long", (id) => `{"jsonrpc":"2.0","result":"${LONG}","id":${id}}`],
  ["a request under the same id", (id) => `{"jsonrpc":"2.0","id":${id},"method":"_x","params":{"t":"${LONG}"}}`],
  ["an id that nobody waits for", () => `{"jsonrpc":"2.0","id":77,"result":"${LONG}"}`],
  ["an id that is none", (id) => `{"jsonrpc":"2.0","id":[${id}],"result":"${LONG}"}`],
  ["a list", (id) => `[{"jsonrpc":"2.0","id":${id},"result":"${LONG}"}]`],
];

for (const [what, answer] of OTHERS) {
  test(`${what}: the call waits, and the end of the connection tells why`, async () => {
    const client = await answered((id) => Buffer.from(answer(id)));
    const first = rejection(client.ping());

    assert.deepEqual(await client.ping(), {});
    await client.close();
    assert.match((await first).message, /ping got no answer.*more than 4000 bytes/);
  });
}
