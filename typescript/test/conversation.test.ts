/**
 * Whole conversations with a real server, whose agent obeys the script grammar.
 *
 * TURNWIRE_SERVER is the command of one, as a JSON array; TURNWIRE_DURABLE_SERVER that of one whose threads outlive it.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalAnswer, Client, Item, ThreadResumeResult, TurnStatus } from "turnwire";
import { ReconnectingClient, SCHEMA_DIGEST } from "turnwire";
import { protocolChecks } from "turnwire/checked";
import { ProcessTransport, spawn } from "turnwire/node";

const SERVER = command("TURNWIRE_SERVER");
const DURABLE_SERVER = command("TURNWIRE_DURABLE_SERVER");

function command(variable: string): string[] {
  const value = process.env[variable];
  assert(value !== undefined, `${variable} must be set to a command, as a JSON array`);
  return JSON.parse(value) as string[];
}

type Answer = (nonce: string) => ApprovalAnswer | Promise<ApprovalAnswer>;

/** A client that has shaken hands and has a thread. */
async function begun(answer?: Answer): Promise<{ client: Client; threadId: string }> {
  const client = await spawn(SERVER, { checks: protocolChecks });
  if (answer !== undefined) {
    client.onRequest("approval/request", ({ approval }) => answer(approval.binding.nonce ?? ""));
  }
  await client.initialize();
  const { thread } = await client.threadStart();
  return { client, threadId: thread.id };
}

/** Runs a script; the items that were completed, and how the turn ended. */
async function run(client: Client, threadId: string, script: string): Promise<[items: Item[], status: TurnStatus]> {
  await client.turnStart({ threadId, input: [{ type: "text", text: script }] });
  const items: Item[] = [];
  for await (const message of client.notifications("item/completed", "turn/completed")) {
    if (message.method === "turn/completed") {
      return [items, message.params.turn.status];
    }
    items.push(message.params.item);
  }
  throw new Error("the turn has no end");
}

function outcomes(items: Item[]): string[] {
  return items.map(({ type, status }) => `${type} ${status}`);
}

test("the server was built from the schema that these types are of", async () => {
  const { client } = await begun();
  await client.close();

  assert.equal(client.server?.schema.digest, SCHEMA_DIGEST);
  assert.deepEqual(client.faults, []);
});

test("a turn with words and a tool", async () => {
  const { client, threadId } = await begun();
  const deltas: string[] = [];
  client.on("item/agentMessage/delta", ({ delta }) => void deltas.push(delta));
  const [items, status] = await run(client, threadId, 'text Hello, wide world 😀\ntool clock {"zone":"UTC"}');
  await client.close();
  const said = items.find((item) => item.type === "agentMessage");
  const tool = items.find((item) => item.type === "toolCall");

  assert.deepEqual(client.faults, []);
  assert.equal(status, "completed");
  assert.equal(said?.type === "agentMessage" && said.text, "Hello, wide world 😀");
  assert.equal(deltas.join(""), "Hello, wide world 😀");
  assert.deepEqual(tool?.type === "toolCall" && tool.result, { echo: { zone: "UTC" } });
});

const DECISIONS: [decision: ApprovalAnswer["decision"], tool: string | undefined, status: TurnStatus][] = [
  ["accept", "completed", "completed"],
  ["decline", "declined", "completed"],
  ["cancel", undefined, "interrupted"],
];

for (const [decision, tool, expected] of DECISIONS) {
  test(`an approval that is answered with ${decision}`, async () => {
    const { client, threadId } = await begun((nonce) => ({ decision, nonce }));
    const [items, status] = await run(client, threadId, "approve deploy {}");
    await client.close();

    assert.equal(status, expected);
    assert.equal(items.find(({ type }) => type === "toolCall")?.status, tool === undefined ? undefined : tool);
  });
}

test("nothing is approved by a client without a handler", async () => {
  const client = await spawn(SERVER);
  await client.initialize({ capabilities: { approvals: true } });
  const { thread } = await client.threadStart();
  const [items, status] = await run(client, thread.id, "approve deploy {}");
  await client.close();

  assert.deepEqual([outcomes(items).includes("toolCall declined"), status], [true, "completed"]);
});

test("a turn that is interrupted", async () => {
  const { client, threadId } = await begun();
  const { turn } = await client.turnStart({ threadId, input: [{ type: "text", text: "slow 1000 20" }] });
  for await (const { params } of client.notifications("item/agentMessage/delta")) {
    if (params.offset > 0) {
      break;
    }
  }
  const result = await client.turnInterrupt({ threadId, turnId: turn.id });
  await client.close();
  assert.deepEqual(client.faults, []);

  assert.deepEqual([result.settled, result.turn.status, result.turn.endReason], [true, "interrupted", "user"]);
});

test("a turn that pauses, and goes on with a decision", async () => {
  const { client, threadId } = await begun((nonce) => ({ decision: "defer", nonce }));
  const [, paused] = await run(client, threadId, "approve deploy {}");
  const { pending } = await client.threadResume({ threadId });
  const [waiting] = pending;
  assert(waiting?.type === "approval");
  const { approvalId, binding } = waiting.approval;
  const decisions = [{ approvalId, answer: { decision: "accept", nonce: binding.nonce ?? "" } }];
  const items: Item[] = [];
  client.on("item/completed", ({ item }) => void items.push(item));
  await client.turnStart({ threadId, resume: { decisions } });
  for await (const { params } of client.notifications("turn/completed")) {
    assert.equal(params.turn.status, "completed");
    break;
  }
  await client.close();

  assert.deepEqual(client.faults, []);
  assert.equal(paused, "paused");
  assert(outcomes(items).includes("toolCall completed"), String(outcomes(items)));
});

test("a refusal has the name of the error table", async () => {
  const { client } = await begun();
  const error = await client.threadRead({ threadId: "nobody" }).catch((reason: unknown) => reason);
  await client.close();

  assert(error instanceof Error && "is" in error, String(error));
});

test("a server that is killed in a turn: the next one goes on where the client was", async () => {
  const resumed: ThreadResumeResult[] = [];
  let transport: ProcessTransport | undefined;
  const client = new ReconnectingClient(() => (transport = new ProcessTransport(DURABLE_SERVER)), {
    checks: protocolChecks,
    firstMs: 10,
    onChange: (change) => change.kind === "resumed" && resumed.push(change.result),
  });
  const seqs: number[] = [];
  client.on("turn/started", ({ seq }) => void seqs.push(seq));
  client.on("item/started", ({ seq }) => void seqs.push(seq));
  client.on("item/completed", ({ seq }) => void seqs.push(seq));
  await client.connect();
  const { thread } = await client.threadStart();
  await client.turnStart({ threadId: thread.id, input: [{ type: "text", text: "slow 1000 20" }] });
  for await (const { params } of client.notifications("item/agentMessage/delta")) {
    if (params.offset > 0) {
      break;
    }
  }
  process.kill(transport?.pid ?? 0, "SIGKILL");
  const { value: end } = await client.notifications("turn/completed").next();
  const { data } = await client.threadTurnsList({ threadId: thread.id });
  await client.close();

  assert.deepEqual([end?.params.turn.status, end?.params.turn.endReason], ["interrupted", "crash"]);
  assert.deepEqual(
    data.map(({ status }) => status),
    ["interrupted"],
  );
  assert.equal(resumed.length, 1);
  assert.equal(resumed[0]?.gap, false);
  assert.deepEqual(
    seqs,
    [...new Set(seqs)].sort((a, b) => a - b),
    "an event was heard twice, or out of order",
  );
  assert.equal(seqs.length, 5, `turn/started, and two items started and completed: ${seqs}`);
});
