/**
 * A whole conversation with a real server over a WebSocket, for Node and for a page.
 *
 * `converse` returns what was seen, as the test judges it; `cut` cuts the connection on its way.
 */

import type { ConnectionChange, Turn } from "turnwire";
import { Client, ReconnectingClient, WebSocketTransport } from "turnwire";

/** Where the server is, and the way to it. */
export interface Stage {
  readonly url: string;
  readonly token: string;
  readonly cut: string;
}

/** What was seen. */
export interface Seen {
  readonly refused: string;
  readonly items: readonly string[];
  readonly asked: readonly string[];
  readonly interrupted: readonly (string | undefined)[];
  readonly changes: readonly string[];
  readonly heard: readonly number[];
  readonly recorded: readonly number[];
  readonly end: string;
  readonly closed: string;
}

const RECORDED = ["turn/started", "item/started", "item/completed", "turn/completed"] as const;

export async function converse({ url, token, cut }: Stage): Promise<Seen> {
  const refused = await Client.connect(new WebSocketTransport(url, { token: `${token}x` })).then(
    () => "nobody",
    (error: unknown) => (error as Error).constructor.name,
  );
  const changes: string[] = [];
  let told = (_change: ConnectionChange): void => {};
  const client = new ReconnectingClient(() => new WebSocketTransport(url, { token }), {
    firstMs: 10,
    attempts: 8,
    onChange: (change) => {
      changes.push(change.kind);
      told(change);
    },
  });
  const asked: string[] = [];
  client.onRequest("approval/request", ({ approval }) => {
    asked.push(approval.operation);
    return { decision: "accept", nonce: approval.binding.nonce ?? "" };
  });
  const items: string[] = [];
  client.on("item/completed", ({ item, seq }) => {
    items.push(`${item.type} ${item.status}`);
    heard.push(seq);
  });
  const heard: number[] = [];
  client.on("turn/started", ({ seq }) => void heard.push(seq));
  client.on("item/started", ({ seq }) => void heard.push(seq));
  await client.connect();
  const { thread } = await client.threadStart();
  const threadId = thread.id;

  const begin = async (text: string): Promise<Turn> =>
    (await client.turnStart({ threadId, input: [{ type: "text", text }] })).turn;
  const ended = async (): Promise<Turn> => {
    for await (const { params } of client.notifications("turn/completed")) {
      heard.push(params.seq);
      return params.turn;
    }
    throw new Error("the turn has no end");
  };

  await begin('text Hello 😀\ntool clock {"zone":"UTC"}\napprove deploy {}');
  await ended();

  const slow = await begin("slow 100000 5");
  for await (const { params } of client.notifications("item/agentMessage/delta")) {
    if (params.offset > 0) {
      break;
    }
  }
  const { turn } = await client.turnInterrupt({ threadId, turnId: slow.id });
  await ended();
  const interrupted = [turn.status, turn.endReason];

  const listening = await begin("listen\nlisten\ntext done");
  for (const text of ["one", "two"]) {
    const resumed = new Promise<void>((resolve) => {
      told = ({ kind }) => void (kind === "resumed" && resolve());
    });
    await fetch(cut, { method: "POST" });
    await resumed;
    await client.turnSteer({ threadId, expectedTurnId: listening.id, input: [{ type: "text", text }] });
  }
  const last = await ended();

  const { data } = await client.threadEventsList({ threadId, limit: 1000 });
  const names: readonly string[] = RECORDED;
  const recorded = data.filter(({ type }) => names.includes(type)).map(({ seq }) => seq);
  await client.close();
  const closed = await client.ping().then(
    () => "open",
    (error: unknown) => (error as Error).constructor.name,
  );
  const end = `${last.status} ${last.finalOutput}`;
  return { refused, items, asked, interrupted, changes, heard, recorded, end, closed };
}
