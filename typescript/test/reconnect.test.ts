/** A client that outlives its connections: it resumes where it was, and never repeats a request. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConnectionChange, ReconnectOptions, Transport } from "turnwire";
import { ConnectionClosed, memoryPair, ReconnectingClient } from "turnwire";
import type { Json } from "./fake_server.js";
import { FakeServer, INITIALIZED, rejection } from "./fake_server.js";

/** A client, and a new server for each connection that it makes. */
class Stage {
  readonly changes: ConnectionChange[] = [];
  readonly client: ReconnectingClient;
  readonly #servers: FakeServer[] = [];
  #waiting: ((server: FakeServer) => void) | undefined;

  constructor(options: ReconnectOptions = {}) {
    const onChange = (change: ConnectionChange): void => void this.changes.push(change);
    this.client = new ReconnectingClient(() => this.#connect(), { firstMs: 2, maxMs: 4, onChange, ...options });
  }

  /** Connects; the first server, after its handshake. */
  async begin(): Promise<FakeServer> {
    const connecting = this.client.connect();
    const server = await this.greeted();
    await connecting;
    return server;
  }

  /** The server of the next connection. */
  async server(): Promise<FakeServer> {
    return this.#servers.shift() ?? new Promise((resolve) => (this.#waiting = resolve));
  }

  /** The same, after its handshake. */
  async greeted(): Promise<FakeServer> {
    const server = await this.server();
    await server.answer(INITIALIZED);
    return server;
  }

  #connect(): Transport {
    const [near, far] = memoryPair();
    const server = new FakeServer(far);
    void far.open(server);
    if (this.#waiting !== undefined) {
      this.#waiting(server);
      this.#waiting = undefined;
    } else {
      this.#servers.push(server);
    }
    return near;
  }
}

const TOOL = { name: "clock", description: "Tells the time.", inputSchema: {} };

function resumed(threadId: string, seq: number, gap = false): Json {
  return { thread: { id: threadId, seq }, items: [], pending: [], queue: [], seq, gap };
}

/** Lets what was said arrive. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 5));
}

test("threads are resumed after the last event that was heard of them", async () => {
  const stage = new Stage();
  const { client } = stage;
  const first = await stage.begin();
  const start = client.threadStart({ dynamicTools: [TOOL] });
  await first.answer({ thread: { id: "mine", seq: 1 } });
  await start;
  const resume = client.threadResume({ threadId: "old", afterSeq: 5 });
  await first.answer(resumed("old", 9));
  await resume;
  first.say({ method: "thread/started", params: { thread: { id: "mine" }, seq: 1 } });
  first.say({ method: "thread/status/changed", params: { threadId: "of others", seq: 70 } });
  first.say({ method: "item/agentMessage/delta", params: { threadId: "mine", offset: 0 } });
  first.say({ method: "turn/started", params: { threadId: "old", seq: 7 } });
  await settled();
  await first.transport.close();
  const second = await stage.greeted();
  const asked = [await second.answer(resumed("mine", 1)), await second.answer(resumed("old", 9, true))];
  await settled();
  await second.transport.close();
  const third = await stage.greeted();
  await third.answer(resumed("mine", 1));
  const last = await third.next();
  await client.close();

  assert.deepEqual(
    asked.map(({ params }) => params),
    [
      { threadId: "mine", afterSeq: 1, dynamicTools: [TOOL] },
      { threadId: "old", afterSeq: 7 },
    ],
  );
  assert.deepEqual(last["params"], { threadId: "old", afterSeq: 9 });
  assert.deepEqual(
    stage.changes.map(({ kind }) => kind),
    ["connected", "disconnected", "connected", "resumed", "resumed", "disconnected", "connected", "resumed"],
  );
});

const HISTORIES: [what: string, act: (stage: Stage, server: FakeServer) => Promise<void>, expected: Json[]][] = [
  [
    "a thread whose first event came before the response",
    async ({ client }, server) => {
      const call = client.threadStart();
      server.say({ method: "thread/started", params: { thread: { id: "t" }, seq: 3 } });
      await server.answer({ thread: { id: "t", seq: 3 } });
      await call;
    },
    [{ threadId: "t", afterSeq: 3 }],
  ],
  [
    "a new thread of which nothing was heard yet",
    async ({ client }, server) => {
      const call = client.threadStart();
      await server.answer({ thread: { id: "t", seq: 1 } });
      await call;
    },
    [{ threadId: "t", afterSeq: 0 }],
  ],
  [
    "a thread that an earlier request had started",
    async ({ client }, server) => {
      const call = client.threadStart({ idempotencyKey: "k" });
      server.say({ method: "thread/status/changed", params: { threadId: "t", seq: 9 } });
      await server.answer({ thread: { id: "t", seq: 4 }, replayed: true });
      await call;
    },
    [{ threadId: "t", afterSeq: 4 }],
  ],
  [
    "a fork, and the thread of a review",
    async ({ client }, server) => {
      const fork = client.threadFork({ threadId: "a" });
      await server.answer({ thread: { id: "f", seq: 8 } });
      await fork;
      const review = client.reviewStart({ threadId: "a", target: { type: "uncommittedChanges" } });
      await server.answer({ turn: {}, reviewThreadId: "r" });
      await review;
    },
    [
      { threadId: "f", afterSeq: 8 },
      { threadId: "r", afterSeq: 0 },
    ],
  ],
  [
    "threads that were left, closed or deleted",
    async ({ client }, server) => {
      for (const id of ["a", "b", "c"]) {
        const call = client.threadResume({ threadId: id });
        await server.answer(resumed(id, 1));
        await call;
      }
      const call = client.threadUnsubscribe({ threadId: "a" });
      await server.answer({ threadId: "a", subscribed: false, closed: false });
      await call;
      server.say({ method: "thread/closed", params: { threadId: "b" } });
      server.say({ method: "thread/deleted", params: { threadId: "c" } });
    },
    [],
  ],
];

for (const [what, act, expected] of HISTORIES) {
  test(`what is resumed: ${what}`, async () => {
    const stage = new Stage();
    const first = await stage.begin();
    await act(stage, first);
    await settled();
    await first.transport.close();
    const second = await stage.greeted();
    const asked = [];
    for (const { threadId } of expected) {
      asked.push((await second.answer(resumed(String(threadId), 99)))["params"]);
    }
    await settled();
    await stage.client.close();

    assert.deepEqual(asked, expected);
    assert.equal(stage.changes.filter(({ kind }) => kind === "resumed").length, expected.length);
    assert.equal(second.heard.length, 1 + expected.length);
  });
}

test("a request whose answer is lost fails, and is not sent again", async () => {
  const stage = new Stage();
  const first = await stage.begin();
  const lost = rejection(stage.client.turnStart({ threadId: "t", input: [] }));
  await first.next();
  await first.transport.close();
  const error = await lost;
  const waiting = stage.client.ping();
  const second = await stage.greeted();
  await second.answer({ again: true });

  assert.equal(error.name, "ConnectionClosed");
  assert.deepEqual(await waiting, { again: true });
  assert.deepEqual(
    second.heard.map(({ method }) => method),
    ["initialize", "ping"],
  );
  await stage.client.close();
});

test("handlers and loops outlive the connection", async () => {
  const stage = new Stage();
  const heard: string[] = [];
  stage.client.on("thread/closed", ({ threadId }) => void heard.push(threadId));
  stage.client.onRequest("approval/request", () => ({ decision: "accept", nonce: "n" }));
  const first = await stage.begin();
  const loop = stage.client.notifications("turn/started");
  const next = loop.next();
  await first.transport.close();
  const second = await stage.greeted();
  second.say({ method: "thread/closed", params: { threadId: "t" } });
  second.say({ method: "turn/started", params: { threadId: "t", seq: 4 } });
  second.say({ id: "q", method: "approval/request", params: {} });
  const answer = await second.next();
  await stage.client.close();

  assert.deepEqual((second.heard[0]?.["params"] as Json)["capabilities"], { approvals: true });
  assert.deepEqual(answer["result"], { decision: "accept", nonce: "n" });
  assert.equal((await next).value?.params.seq, 4);
  assert.deepEqual(heard, ["t"]);
  assert.equal((await loop.next()).done, true);
});

test("a thread that is gone is told and no longer resumed; a busy server is asked again", async () => {
  const stage = new Stage();
  const { client } = stage;
  const first = await stage.begin();
  for (const id of ["gone", "busy"]) {
    const call = client.threadResume({ threadId: id });
    await first.answer(resumed(id, 1));
    await call;
  }
  await first.transport.close();
  const second = await stage.greeted();
  const gone = await second.next();
  const notFound = { code: "notFound", retryable: false, kind: "thread", id: "gone" };
  second.say({ id: gone["id"], error: { code: -32004, message: "gone", data: notFound } });
  const busy = await second.next();
  const overloaded = { code: "overloaded", retryable: true, retryAfterMs: 1 };
  second.say({ id: busy["id"], error: { code: -32001, message: "busy", data: overloaded } });
  const again = await second.answer(resumed("busy", 1));
  await settled();
  await second.transport.close();
  const third = await stage.greeted();
  const last = await third.next();
  await client.close();
  const told = stage.changes.find((change) => change.kind === "notResumed");

  assert.equal(told?.threadId, "gone");
  assert.deepEqual(again["params"], { threadId: "busy", afterSeq: 1 });
  assert.deepEqual(last["params"], { threadId: "busy", afterSeq: 1 });
});

test("a server that refuses for good ends the client, one that is busy does not", async () => {
  const stage = new Stage();
  const connecting = rejection(stage.client.connect());
  const waiting = rejection(stage.client.ping());
  const busy = await stage.server();
  const { id } = await busy.next();
  const overloaded = { code: "overloaded", retryable: true, retryAfterMs: 1 };
  busy.say({ id, error: { code: -32001, message: "busy", data: overloaded } });
  const final = await stage.server();
  const handshake = await final.next();
  const unsupported = { code: "unsupportedVersion", retryable: false };
  final.say({ id: handshake["id"], error: { code: -32005, message: "too old", data: unsupported } });

  assert.equal((await connecting).message, "too old");
  assert.equal((await waiting).message, "too old");
  assert.equal((await rejection(stage.client.ping())).name, "ConnectionClosed");
  assert.equal((await rejection(stage.client.notifications().next())).message, "too old");
});

test("attempts are counted, and the last failure is told", async () => {
  let made = 0;
  const makeTransport = (): Transport => ({
    open: async () => {
      made += 1;
      throw new ConnectionClosed(`no. ${made}`);
    },
    send: () => {},
    close: async () => {},
  });
  const client = new ReconnectingClient(makeTransport, { firstMs: 1, maxMs: 2, attempts: 3 });

  assert.equal((await rejection(client.ping())).message, "ping was not sent: call connect first");
  assert.equal((await rejection(client.connect())).message, "no. 3");
  assert.equal(made, 3);
});

test("a request waits for a connection only so long", async () => {
  const stage = new Stage({ timeoutMs: 10 });
  const connecting = rejection(stage.client.connect());
  await stage.server();
  const stop = new AbortController();
  const aborted = rejection(stage.client.ping({}, { signal: stop.signal, timeoutMs: Infinity }));
  const late = await rejection(stage.client.ping());
  stop.abort(new Error("enough"));

  assert.match(late.message, /^ping was not sent, there was no connection within 10 ms$/);
  assert.equal((await aborted).message, "enough");
  await stage.client.close();
  assert.equal((await connecting).message, "the client was closed");
});

test("that a thread goes on is told before what is replayed", async () => {
  const stage = new Stage();
  const order: string[] = [];
  stage.client.on("turn/started", ({ seq }) => void order.push(`${stage.changes.at(-1)?.kind} ${seq}`));
  const first = await stage.begin();
  const call = stage.client.threadResume({ threadId: "t" });
  await first.answer(resumed("t", 1));
  await call;
  await first.transport.close();
  const second = await stage.greeted();
  const { id } = await second.next();
  second.say({ id, result: resumed("t", 2) });
  second.say({ method: "turn/started", params: { threadId: "t", seq: 2 } });
  await settled();
  await stage.client.close();

  assert.deepEqual(order, ["resumed 2"]);
});

test("a result that is garbage fails its request and nothing else", async () => {
  const stage = new Stage();
  const first = await stage.begin();
  const garbage = rejection(stage.client.threadStart());
  await first.answer(null);
  const call = stage.client.ping();
  await first.answer({});
  await stage.client.close();

  assert.equal((await garbage).name, "RemoteProtocolError");
  assert.deepEqual(await call, {});
});

test("who asks again as soon as an answer is lost waits for the next connection", async () => {
  const stage = new Stage();
  const first = await stage.begin();
  const again = stage.client.ping().catch(() => stage.client.ping());
  await first.next();
  await first.transport.close();
  const second = await stage.greeted();
  await second.answer({ again: true });
  await stage.client.close();

  assert.deepEqual(await again, { again: true });
});

test("a bug is no reason to try again, and a closed client stays closed", async () => {
  const client = new ReconnectingClient(() => {
    throw new TypeError("a bug");
  });

  assert.equal((await rejection(client.connect())).message, "a bug");
  assert.equal((await rejection(client.connect())).name, "ConnectionClosed");
  assert.equal((await rejection(client.ping())).message, "ping was not sent: it is closed");
  await client.close();
});
