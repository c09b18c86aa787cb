/**
 * Talk to an agent server from TypeScript: one turn, the text as it comes, and an approval that a person answers.
 *
 * node chat.js 'approve deploy {"to": "staging"}'
 * node chat.js 'text Hello' my-server --stdio
 */

import { createInterface } from "node:readline/promises";

import { spawn } from "turnwire/node";

const [text = "text Hello from the scripted agent.", ...command] = process.argv.slice(2);
const server = command.length > 0 ? command : ["turnwire", "serve", "--agent", "scripted"];

const client = await spawn(server);
client.on("item/agentMessage/delta", ({ delta }) => void process.stdout.write(delta));
// Ask the person. The nonce proves that the answer is to this question and to no other.
client.onRequest("approval/request", async ({ approval }) => {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const typed = await terminal.question(`${approval.title}? [y/N] `);
  terminal.close();
  const decision = typed.trim().toLowerCase() === "y" ? "accept" : "decline";
  return { decision, nonce: approval.binding.nonce ?? "" };
});
await client.initialize();

const { thread } = await client.threadStart({ title: "A chat" });
await client.turnStart({ threadId: thread.id, input: [{ type: "text", text }] });
for await (const { params } of client.notifications("turn/completed")) {
  console.log(`\n[${params.turn.status}]`);
  process.exitCode = params.turn.status === "completed" ? 0 : 1;
  break;
}
await client.close();
