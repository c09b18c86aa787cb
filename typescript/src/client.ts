/**
 * A typed client over any transport.
 *
 * Whatever the server does ends in a value or in one clear error: garbage on the line, a process that dies, an answer
 * that never comes. Nothing is ever approved by default.
 */

import type { ClientCapabilities, ClientInfo, InitializeParams, InitializeResult } from "./generated/lifecycle.js";
import type { ClientNotificationMap } from "./generated/methods.js";
import { PROTOCOL_MAJOR } from "./generated/protocol.js";
import type { Checks } from "./checks.js";
import type { JsonObject } from "./codec.js";
import type { Report } from "./inbox.js";
import { Inbox } from "./inbox.js";
import { Listening } from "./listening.js";
import type { Endpoint } from "./peer.js";
import { Peer } from "./peer.js";
import type { Patience } from "./pending.js";
import type { Transport } from "./transport.js";
import type { CallArguments, ClientMethod, ResultOf, TellArguments, VendorMethod } from "./types.js";
import { VERSION } from "./version.js";

/** What a client is made with; every member has a default. */
export interface ClientOptions {
  /** Who connects; absent means this library. */
  readonly clientInfo?: ClientInfo;
  /** What the client can do, beside what its request handlers show; absent means nothing more. */
  readonly capabilities?: ClientCapabilities;
  /** How long a request waits for its answer, in milliseconds; absent means 120,000. */
  readonly timeoutMs?: number;
  /** How many requests may wait at a time; absent means 256. */
  readonly maxPending?: number;
  /** What is checked of what the server sends; absent means envelopes only. See `turnwire/checked`. */
  readonly checks?: Checks;
  /** Hears of a handler that failed; absent means `console.error`. */
  readonly report?: Report;
}

/** For those who keep an inbox over several connections: it, and what hears the connection in its place. */
export interface Wiring {
  readonly inbox: Inbox;
  readonly endpoint: Endpoint;
}

// LIM-5: "A client bounds its pending requests at 256 and waits 120 seconds for an answer."
export const TIMEOUT_MS = 120_000;
const MAX_PENDING = 256;

/** One connection to a server. */
export class Client extends Listening {
  readonly #options: ClientOptions;
  readonly #peer: Peer;
  #server: InitializeResult | undefined;

  private constructor(transport: Transport, options: ClientOptions, { inbox, endpoint }: Wiring) {
    super(inbox);
    this.#options = options;
    this.#peer = new Peer(transport, endpoint, {
      maxPending: options.maxPending ?? MAX_PENDING,
      checks: options.checks,
    });
  }

  /**
   * A client over a transport that is not open yet. It is connected, and not initialized: set handlers, then call
   * `initialize`.
   *
   * @throws ConnectionClosed the other side cannot be reached.
   */
  static async connect(transport: Transport, options: ClientOptions = {}, wiring?: Wiring): Promise<Client> {
    const client = new Client(transport, options, wiring ?? wired(newInbox(options)));
    await client.#peer.open();
    return client;
  }

  /** What the server said in `initialize`; undefined before. */
  get server(): InitializeResult | undefined {
    return this.#server;
  }

  /** What came and could not be read: the first 20 times. */
  get faults(): readonly string[] {
    return this.#peer.faults;
  }

  /** Aborted when the connection has ended; its reason is the `ConnectionClosed`. */
  get ended(): AbortSignal {
    return this.#peer.ended;
  }

  /** `initialize`; absent members are those of the options, with a capability for each request handler there is. */
  async initialize(params: Partial<InitializeParams> = {}, patience: Patience = {}): Promise<InitializeResult> {
    const introduction = {
      protocolVersion: PROTOCOL_MAJOR,
      clientInfo: this.#options.clientInfo ?? { name: "turnwire", version: VERSION },
      capabilities: { ...this.#shown(), ...this.#options.capabilities },
    };
    const server = await this.request("initialize", { ...introduction, ...params }, patience);
    // Unchecked, this may be anything; a bound that is none bounds nothing.
    const bound: unknown = server?.limits?.messageBytes;
    this.#peer.sendLimit = typeof bound === "number" ? bound : Infinity;
    this.#server = server;
    return server;
  }

  /**
   * Sends one request. A name that begins with `_` belongs to a vendor, and its result is not known.
   *
   * @throws RemoteError the server refused.
   * @throws RemoteProtocolError the answer is garbage.
   * @throws RequestTimeout no answer came in time; the request may run all the same.
   * @throws ConnectionClosed the connection ended first, with what is known of why.
   * @throws LocalProtocolError nothing was sent: too many requests wait already, or the message is none.
   * @throws the reason of the signal, when it is aborted; the request may run all the same.
   */
  override request<M extends ClientMethod>(method: M, ...args: CallArguments<M>): Promise<ResultOf<M>>;
  request(method: VendorMethod, params?: JsonObject, patience?: Patience): Promise<unknown>;
  override async request(method: string, params?: object, patience: Patience = {}): Promise<unknown> {
    const timeoutMs = patience.timeoutMs ?? this.#options.timeoutMs ?? TIMEOUT_MS;
    return this.#peer.request(method, params, { timeoutMs, signal: patience.signal });
  }

  /**
   * Sends a notification.
   *
   * @throws ConnectionClosed the connection has ended.
   */
  notify<M extends keyof ClientNotificationMap>(method: M, ...args: TellArguments<M>): void;
  notify(method: VendorMethod, params?: JsonObject): void;
  notify(method: string, params?: object): void {
    this.#peer.notify(method, params);
  }

  /** Ends the connection; a server that was spawned is gone then, with all its children. It may be called again. */
  close(): Promise<void> {
    return this.#peer.close();
  }

  #shown(): ClientCapabilities {
    return {
      ...(this.inbox.answers("approval/request") && { approvals: true }),
      ...(this.inbox.answers("userInput/request") && { userInput: true }),
      ...(this.inbox.answers("tool/call") && { dynamicTools: true }),
    };
  }
}

function wired(inbox: Inbox): Wiring {
  const endpoint: Endpoint = {
    answer: (method, params, context) => inbox.answer(method, params, context),
    notify: (method, params) => inbox.notify(method, params),
    observe: () => {},
    report: (what, error) => inbox.report(what, error),
    end: (error) => inbox.end(error),
  };
  return { inbox, endpoint };
}

/** An inbox that reports as the options say. */
export function newInbox({ report }: ClientOptions): Inbox {
  return new Inbox(report ?? ((what, error) => console.error(`turnwire: ${what}:`, error)));
}
