/** A WebSocket as a transport: what is asked of the server, what comes of each kind of frame, and how it ends. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Transport, WebSocketLike } from "turnwire";
import { Client, WebSocketTransport } from "turnwire";
import { FakeServer, INITIALIZED, rejection } from "./fake_server.js";
import { listen } from "./websocket_server.js";

/** A WebSocket that does what the test says. */
class FakeSocket implements WebSocketLike {
  static last: FakeSocket;
  binaryType = "blob";
  onopen: WebSocketLike["onopen"] = null;
  onerror: WebSocketLike["onerror"] = null;
  onclose: WebSocketLike["onclose"] = null;
  onmessage: WebSocketLike["onmessage"] = null;
  readonly sent: string[] = [];
  readonly url: string;
  readonly protocols: string[];

  constructor(url: string, protocols: string[]) {
    this.url = url;
    this.protocols = protocols;
    FakeSocket.last = this;
  }

  send(data: string): void {
    this.sent.push(data);
  }

  close(): void {
    this.onclose?.({ code: 1000, reason: "" });
  }
}

const URL = "ws://localhost/rpc";

async function opened(): Promise<{ client: Client; socket: FakeSocket }> {
  const connecting = Client.connect(new WebSocketTransport(URL, { WebSocket: FakeSocket }));
  FakeSocket.last.onopen?.({} as never);
  return { client: await connecting, socket: FakeSocket.last };
}

const TOKENS: [token: string | undefined, protocols: string[]][] = [
  [undefined, ["turnwire.v1"]],
  ["secret", ["turnwire.v1", "turnwire.bearer.c2VjcmV0"]],
  ["a", ["turnwire.v1", "turnwire.bearer.YQ"]],
  ["??>>é", ["turnwire.v1", "turnwire.bearer.Pz8-PsOp"]],
];

for (const [token, protocols] of TOKENS) {
  test(`the token ${token} goes along as a subprotocol`, async () => {
    const options = { WebSocket: FakeSocket, ...(token !== undefined && { token }) };
    const connecting = rejection(Client.connect(new WebSocketTransport(URL, options)));
    const { url, protocols: asked } = FakeSocket.last;
    FakeSocket.last.onclose?.({ code: 1006, reason: "" });

    assert.deepEqual([url, asked], [URL, protocols]);
    assert.equal((await connecting).message, "cannot connect to ws://localhost/rpc (1006)");
  });
}

test("text is a message, anything else is a fault", async () => {
  const { client, socket } = await opened();
  const call = client.ping();
  await Promise.resolve();
  socket.onmessage?.({ data: new ArrayBuffer(2) });
  socket.onmessage?.({ data: '{"jsonrpc":"2.0","id":1,"result":{"ok":1}}' });

  assert.deepEqual(await call, { ok: 1 });
  assert.deepEqual(socket.sent, ['{"jsonrpc":"2.0","id":1,"method":"ping"}']);
  assert.deepEqual(client.faults, ["a frame is binary"]);
});

test("the end says the code of the server", async () => {
  const { client, socket } = await opened();
  const call = rejection(client.ping());
  await Promise.resolve();
  socket.onclose?.({ code: 1013, reason: "slow reader" });

  assert.match((await call).message, /^ping got no answer, .* the WebSocket was closed with 1013 "slow reader"$/);
});

test("without a WebSocket it says what to give", async () => {
  const known = Object.getOwnPropertyDescriptor(globalThis, "WebSocket");
  Object.defineProperty(globalThis, "WebSocket", { value: undefined, configurable: true, writable: true });
  const error = await rejection(Client.connect(new WebSocketTransport(URL)));
  Object.defineProperty(globalThis, "WebSocket", known ?? { value: undefined, configurable: true });

  assert.equal(error.message, "there is no global WebSocket here; give one as the option WebSocket");
});

const NO_WEBSOCKET = globalThis.WebSocket === undefined && "this Node has no WebSocket of its own";

test("a whole connection over a real WebSocket", { skip: NO_WEBSOCKET }, async () => {
  const listening = await listen();
  const connecting = Client.connect(new WebSocketTransport(listening.url, { token: "secret" }));
  const [transport, protocols] = (await listening.accepted) as [Transport, string];
  const server = new FakeServer(transport);
  await transport.open(server);
  const client = await connecting;
  const handshake = client.initialize();
  await server.answer(INITIALIZED);
  await handshake;
  const text = "é😀".repeat(100);
  const call = client.request("_acme/echo", { text });
  const { params } = await server.answer({ text });
  const answer = await call;
  await client.close();
  await server.ended();
  await listening.close();

  assert.equal(protocols, "turnwire.v1, turnwire.bearer.c2VjcmV0");
  assert.deepEqual([params, answer], [{ text }, { text }]);
});

test("a server that is not there", { skip: NO_WEBSOCKET }, async () => {
  const listening = await listen();
  await listening.close();
  const error = await rejection(Client.connect(new WebSocketTransport(listening.url)));

  assert.match(error.message, /^cannot connect to ws:\/\/127\.0\.0\.1:\d+\/ \((\d+|no connection)\)$/);
});
