/** A server as a process: however it ends, the client says so, and nothing of it is left. */

import assert from "node:assert/strict";
import { spawn as spawnPlain } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { ProcessOptions } from "turnwire/node";
import { ProcessTransport, spawn } from "turnwire/node";
import { rejection } from "./fake_server.js";

/** A server that runs this JavaScript; `answer(id)` and `lines(handler)` are there for it. */
function program(source: string): string[] {
  const prelude = `
    const answer = (id) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result: {} }));
    const lines = (handler) => require("node:readline").createInterface({ input: process.stdin }).on("line", handler);`;
  return [process.execPath, "-e", `${prelude}\n${source}`];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; isAlive(pid) && tries < 100; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return !isAlive(pid);
}

const NOT_STARTED: [argv: string[], options: ProcessOptions, message: RegExp][] = [
  [[], {}, /^no command was given$/],
  [["no-such-command-here"], {}, /^cannot start "no-such-command-here": there is no such command$/],
  [[process.execPath], { cwd: "/no/such/folder" }, /^cannot start .*: there is no folder "\/no\/such\/folder"$/],
  [[tmpdir()], {}, /^cannot start .*: spawn .* EACCES$/],
];

for (const [argv, options, message] of NOT_STARTED) {
  test(`not started: ${argv.join(" ")} in ${options.cwd ?? "here"}`, async () => {
    const error = await rejection(spawn(argv, options));

    assert.deepEqual([error.name, message.test(error.message)], ["ConnectionClosed", true], error.message);
  });
}

const ENDS: [what: string, source: string, message: RegExp][] = [
  [
    "exits",
    "lines(() => { console.error('no disk'); process.exit(3) })",
    /exited with status 3; its stderr ends with: no disk$/,
  ],
  ["is killed", "lines(() => process.kill(process.pid, 'SIGKILL'))", /the server was killed by SIGKILL$/],
  [
    "writes a banner",
    "console.log('Welcome!'); lines(() => process.exit(0))",
    /exited with status 0; before, .*"Welcome!"$/,
  ],
  [
    "leaves a child that holds the pipe",
    "lines(() => { require('node:child_process').spawn('sleep', ['60'], { stdio: 'inherit' }); setTimeout(() => process.exit(0), 50) })",
    /exited with status 0$/,
  ],
];

for (const [what, source, message] of ENDS) {
  test(`a server that ${what}`, async () => {
    const client = await spawn(program(source), { stderr: "capture" });
    const error = await rejection(client.ping());
    await client.close();

    assert.equal(error.name, "ConnectionClosed");
    assert.match(error.message, message);
  });
}

test("close lets a server end by itself, and takes what it left behind along", async () => {
  const transport = new ProcessTransport(
    program(`
      const child = require("node:child_process").spawn("sleep", ["60"], { stdio: "ignore" });
      console.log(JSON.stringify({ jsonrpc: "2.0", method: "_child", params: { pid: child.pid } }));
      lines(() => {}).on("close", () => process.exit(0));`),
  );
  const told: string[] = [];
  let child = 0;
  const heard = new Promise<void>((resolve) => {
    void transport.open({
      message: (text) => {
        child = JSON.parse(text).params.pid;
        resolve();
      },
      unreadable: () => {},
      closed: (reason) => told.push(reason),
    });
  });
  await heard;
  await transport.close();

  assert(await gone(child), "the child of the server is still there");
  assert.equal(isAlive(transport.pid ?? 0), false);
  assert.deepEqual(told, ["the server exited with status 0"]);
});

test("a server whose transport is closed while it starts is gone too", async () => {
  const transport = new ProcessTransport(program("lines(() => {}).on('close', () => process.exit(0))"));
  const opening = transport.open({ message: () => {}, unreadable: () => {}, closed: () => {} });
  await transport.close();
  await opening;

  assert(transport.pid !== undefined && !isAlive(transport.pid));
  assert.equal(
    (await rejection(transport.open({ message: () => {}, unreadable: () => {}, closed: () => {} }))).name,
    "ConnectionClosed",
  );
});

test("a server that heeds neither the end of its input nor SIGTERM is killed", async () => {
  const transport = new ProcessTransport(
    program("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')"),
  );
  await new Promise<void>((resolve) => {
    void transport.open({ message: () => resolve(), unreadable: () => {}, closed: () => {} });
  });
  await transport.close();

  assert.equal(isAlive(transport.pid ?? 0), false);
});

test("a server does not outlive a program that ends without closing", async () => {
  const entry = pathToFileURL(join(process.cwd(), "dist", "node.js"));
  const server = program("setInterval(() => {}, 1000); answer(1)");
  const source = `
    const { ProcessTransport } = await import(${JSON.stringify(entry)});
    const transport = new ProcessTransport(${JSON.stringify(server)});
    await transport.open({ message: () => { console.log(transport.pid); process.exit(0) }, unreadable() {}, closed() {} });`;
  const parent = spawnPlain(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  parent.stdout.on("data", (chunk) => (output += String(chunk)));
  await once(parent, "close");

  assert.match(output, /^\d+\n$/);
  assert(await gone(Number(output)), "the server is still there");
});

test("what was written before the end is read, a last line without its end too", async (t) => {
  const big = "x".repeat(3_000_000);
  const cwd = mkdtempSync(join(tmpdir(), "turnwire-"));
  t.after(() => rmSync(cwd, { recursive: true }));
  const client = await spawn(
    program(`lines((line) => {
      const { id } = JSON.parse(line);
      process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: { text: "${"x".repeat(10)}".repeat(300000) } }), () => process.exit(0));
    })`),
    { cwd },
  );

  assert.deepEqual(await client.request("_acme/big"), { text: big });
  await client.close();
});
