/** A server of a test: it hears what the client sends, and says what the test tells it to. */

import type { ClientOptions, Receiver, Transport } from "turnwire";
import { Client, memoryPair } from "turnwire";

/** Any message, as JSON. */
export type Json = { [member: string]: unknown };

export const INITIALIZED = {
  protocolVersion: 1,
  minimumProtocolVersion: 1,
  downgraded: false,
  serverInfo: { name: "fake", version: "1" },
  userAgent: "fake/1",
  capabilities: {},
  limits: { messageBytes: 2000 },
  agents: [],
  extensions: [],
  schema: { id: "s", version: "1.0", digest: "0".repeat(64) },
};

export class FakeServer implements Receiver {
  readonly transport: Transport;
  readonly heard: Json[] = [];
  isClosed = false;
  #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  message(text: string): void {
    this.heard.push(JSON.parse(text) as Json);
    this.#wake();
  }

  unreadable(): void {}

  closed(): void {
    this.isClosed = true;
    this.#wake();
  }

  /** The next message that the client sends. */
  async next(): Promise<Json> {
    while (this.heard.length <= this.#taken) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.heard[this.#taken++] as Json;
  }

  /** Resolves when the connection has ended. */
  async ended(): Promise<void> {
    while (!this.isClosed) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  say(message: Json | string): void {
    this.transport.send(typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  /** Answers the next request. */
  async answer(result: unknown): Promise<Json> {
    const request = await this.next();
    this.say({ id: request["id"], result });
    return request;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) {
      resolve();
    }
  }
}

/** A client and the server that it is connected to. */
export async function connected(options: ClientOptions = {}): Promise<{ client: Client; server: FakeServer }> {
  const [near, far] = memoryPair();
  const server = new FakeServer(far);
  await far.open(server);
  return { client: await Client.connect(near, options), server };
}

/** What a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}
