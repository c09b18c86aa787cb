/** The main entry in a browser: nothing of Node is reachable from it, and it runs with what a page has. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import type { BuildFailure, BuildResult } from "esbuild";
import { build } from "esbuild";

async function bundle(source: string): Promise<BuildResult<{ write: false; metafile: true }>> {
  return build({
    stdin: { contents: source, resolveDir: process.cwd() },
    bundle: true,
    platform: "browser",
    format: "iife",
    minify: true,
    target: "es2022",
    metafile: true,
    write: false,
    logLevel: "silent",
  });
}

test("the main entry can be bundled for a browser", async () => {
  const { metafile, outputFiles } = await bundle('export * from "turnwire"');
  const inputs = Object.keys(metafile.inputs);

  assert.deepEqual(
    inputs.filter((path) => path.includes("node:") || path.includes("dist/node")),
    [],
  );
  assert(inputs.includes("dist/client.js"), String(inputs));
  assert((outputFiles[0]?.contents.length ?? Infinity) < 25_000, `${outputFiles[0]?.contents.length} bytes`);
});

test("what a page does not use is not in its bundle", async () => {
  const { outputFiles } = await bundle('import { SCHEMA_DIGEST } from "turnwire"; console.log(SCHEMA_DIGEST)');

  assert((outputFiles[0]?.contents.length ?? Infinity) < 500, `${outputFiles[0]?.contents.length} bytes`);
});

test("the bundler would see what is of Node", async () => {
  const failure = await bundle('export * from "turnwire/node"').then(
    () => undefined,
    (error: unknown) => error as BuildFailure,
  );

  assert.match(failure?.errors[0]?.text ?? "", /Could not resolve "node:/);
});

const PAGE = `
  import { Client, WebSocketTransport } from "turnwire";
  globalThis.result = (async () => {
    const client = await Client.connect(new WebSocketTransport("wss://example.org/rpc", { token: "secret" }));
    client.onRequest("approval/request", ({ approval }) => ({ decision: "accept", nonce: approval.binding.nonce }));
    const { serverInfo } = await client.initialize();
    for await (const { method } of client.notifications("thread/closed")) {
      await client.close();
      return JSON.stringify([serverInfo.name, method]);
    }
  })();`;

/** What a page has and this package uses, and a server behind its WebSocket. */
function page(heard: { [member: string]: unknown }[]): object {
  class WebSocket {
    onopen = (): void => {};
    onclose = (_event: object): void => {};
    onmessage = (_event: object): void => {};

    constructor() {
      setTimeout(() => this.onopen());
    }

    send(data: string): void {
      const { id, method } = heard[heard.push(JSON.parse(data)) - 1] ?? {};
      if (method === "initialize") {
        this.#say({ id, result: { serverInfo: { name: "page" }, limits: {} } });
        this.#say({ id: "q", method: "approval/request", params: { approval: { binding: { nonce: "n" } } } });
      } else if (id === "q") {
        this.#say({ method: "thread/closed", params: { threadId: "t" } });
      }
    }

    close(): void {
      setTimeout(() => this.onclose({ code: 1000, reason: "" }));
    }

    #say(message: object): void {
      setTimeout(() => this.onmessage({ data: JSON.stringify({ jsonrpc: "2.0", ...message }) }));
    }
  }
  return {
    AbortController,
    TextDecoder,
    TextEncoder,
    WebSocket,
    btoa,
    clearTimeout,
    console,
    performance,
    queueMicrotask,
    setTimeout,
  };
}

test("a conversation in a page", async () => {
  const { outputFiles } = await bundle(PAGE);
  const heard: { [member: string]: unknown }[] = [];
  const context = createContext(page(heard));
  const result = await (runInContext(`${outputFiles[0]?.text}; result`, context) as Promise<string>);

  assert.equal(result, '["page","thread/closed"]');
  assert.deepEqual(
    heard.map(({ id, method, result: answer }) => [id, method ?? answer]),
    [
      [1, "initialize"],
      ["q", { decision: "accept", nonce: "n" }],
    ],
  );
});
