/**
 * A client that outlives its connections.
 *
 * After a loss it connects again with a new handshake and resumes each thread after the last event that it heard, so
 * that handlers miss nothing. It never repeats a request: one whose answer was lost may have run, and ends in
 * `ConnectionClosed`.
 */

import type { InitializeResult } from "./generated/lifecycle.js";
import type { ClientNotificationMap } from "./generated/methods.js";
import type { ThreadResumeParams, ThreadResumeResult } from "./generated/threads.js";
import type { Backoff } from "./backoff.js";
import { delayMs, sleep, withRetry } from "./backoff.js";
import type { ClientOptions, Wiring } from "./client.js";
import { Client, newInbox, TIMEOUT_MS } from "./client.js";
import type { JsonObject } from "./codec.js";
import { ConnectionClosed, RemoteError, RequestTimeout } from "./errors.js";
import { Listening } from "./listening.js";
import type { Patience } from "./pending.js";
import { LONGEST_MS } from "./pending.js";
import { Subscriptions } from "./subscriptions.js";
import type { Transport } from "./transport.js";
import type { CallArguments, ClientMethod, ResultOf, TellArguments, VendorMethod } from "./types.js";

/** What happens to the connection. */
export type ConnectionChange =
  /** The handshake is done; the threads are resumed next. */
  | { readonly kind: "connected"; readonly server: InitializeResult }
  /** A thread goes on; its events come next. With `gap` some were missed: page through `thread/items/list`. */
  | { readonly kind: "resumed"; readonly result: ThreadResumeResult }
  /** A thread does not go on, and is no longer resumed. */
  | { readonly kind: "notResumed"; readonly threadId: string; readonly error: RemoteError }
  /** The connection is lost or was not made; the next attempt is made in so many milliseconds. */
  | { readonly kind: "disconnected"; readonly error: Error; readonly retryInMs: number };

/** What a reconnecting client is made with. `attempts` counts failures in a row; absent means without end. */
export interface ReconnectOptions extends ClientOptions, Backoff {
  /** Hears what happens to the connection. */
  readonly onChange?: (change: ConnectionChange) => void;
}

// A connection that lived so long was a good one: the next loss is a new story.
const GOOD_MS = 10_000;

/** One server, over as many connections as it takes. Set handlers, then call `connect`. */
export class ReconnectingClient extends Listening {
  readonly #makeTransport: () => Transport;
  readonly #options: ReconnectOptions;
  readonly #subscriptions = new Subscriptions();
  readonly #stop = new AbortController();
  #transport: Transport | undefined;
  #client: Promise<Client>;
  #give!: { readonly client: (client: Client) => void; readonly error: (error: Error) => void };
  #current: Client | undefined;
  #resuming: ThreadResumeParams | undefined;
  #running: Promise<void> | undefined;

  /** `makeTransport` makes the transport of each connection. */
  constructor(makeTransport: () => Transport, options: ReconnectOptions = {}) {
    super(newInbox(options));
    this.#makeTransport = makeTransport;
    this.#options = options;
    this.#client = this.#nextClient();
  }

  /** What the server said in `initialize`; undefined while there is no connection. */
  get server(): InitializeResult | undefined {
    return this.#current?.server;
  }

  /**
   * Connects, and from then on again after each loss.
   *
   * @throws RemoteError the server refuses the handshake for good.
   * @throws RemoteProtocolError the handshake is garbage.
   * @throws ConnectionClosed, RequestTimeout what the last attempt met, when the attempts are used up.
   */
  async connect(): Promise<InitializeResult> {
    if (this.#stop.signal.aborted) {
      throw this.#stop.signal.reason;
    }
    this.#running ??= this.#run();
    const client = await this.#client;
    return client.server as InitializeResult;
  }

  /**
   * As `Client.request`. While there is no connection it waits for one; it is sent once at the most.
   *
   * @throws ConnectionClosed the connection ended before the answer came, or no other is made any more.
   */
  override request<M extends ClientMethod>(method: M, ...args: CallArguments<M>): Promise<ResultOf<M>>;
  request(method: VendorMethod, params?: JsonObject, patience?: Patience): Promise<unknown>;
  override async request(method: string, params?: object, patience: Patience = {}): Promise<unknown> {
    const { timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS, signal } = patience;
    const startedAt = performance.now();
    const client = this.#current ?? (await this.#waitForClient(method, timeoutMs, signal));
    const left = timeoutMs - (performance.now() - startedAt);
    // The casts choose an overload; the names of both are sent as they are.
    return client.request(method as VendorMethod, params as JsonObject | undefined, { timeoutMs: left, signal });
  }

  /**
   * As `Client.notify`.
   *
   * @throws ConnectionClosed there is no connection now.
   */
  notify<M extends keyof ClientNotificationMap>(method: M, ...args: TellArguments<M>): void;
  notify(method: VendorMethod, params?: JsonObject): void;
  notify(method: never, params?: never): void {
    if (this.#current === undefined) {
      throw new ConnectionClosed(`there is no connection now; ${String(method)} was not sent`);
    }
    this.#current.notify(method, params);
  }

  /** Ends the connection and makes no other; resolves when nothing of it is left. It may be called again. */
  async close(): Promise<void> {
    this.#end(undefined);
    await this.#transport?.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { attempts = Infinity } = this.#options;
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      const startedAt = performance.now();
      const error = await this.#connectOnce();
      failures = performance.now() - startedAt > GOOD_MS ? 1 : failures + 1;
      if (failures >= attempts || !mayPass(error)) {
        this.#end(error);
      }
      if (this.#stop.signal.aborted) {
        return;
      }
      const retryInMs = delayMs(failures, this.#options);
      this.#change({ kind: "disconnected", error, retryInMs });
      await sleep(retryInMs, this.#stop.signal).catch(() => {});
    }
  }

  /** One connection from its beginning to its end; resolves with why it ended. */
  async #connectOnce(): Promise<Error> {
    try {
      this.#transport = this.#makeTransport();
      const client = await Client.connect(this.#transport, this.#options, this.#wiring());
      await this.#handshake(client);
      const ended = ending(client.ended);
      // Before anyone hears of a lost answer, so that who asks again at once waits for the next connection.
      client.ended.addEventListener("abort", () => this.#forget(), { once: true });
      this.#current = client;
      this.#give.client(client);
      return await ended;
    } catch (error) {
      return error as Error;
    } finally {
      await this.#transport?.close();
    }
  }

  #forget(): void {
    this.#current = undefined;
    this.#client = this.#nextClient();
  }

  async #handshake(client: Client): Promise<void> {
    const server = await client.initialize({}, { signal: this.#stop.signal });
    this.#change({ kind: "connected", server });
    for (const params of this.#subscriptions.resumptions()) {
      await this.#resume(client, params);
    }
  }

  async #resume(client: Client, params: ThreadResumeParams): Promise<void> {
    const patience = { signal: this.#stop.signal };
    this.#resuming = params;
    try {
      await withRetry(() => client.threadResume(params, patience), patience);
    } catch (error) {
      if (!(error instanceof RemoteError)) {
        throw error;
      }
      this.#subscriptions.drop(params.threadId);
      this.#change({ kind: "notResumed", threadId: params.threadId, error });
    }
  }

  /** The end of a connection is not the end of the inbox. */
  #wiring(): Wiring {
    const { inbox } = this;
    const endpoint: Wiring["endpoint"] = {
      answer: (method, params, context) => inbox.answer(method, params, context),
      notify: (method, params) => {
        this.#subscriptions.notify(method, params);
        inbox.notify(method, params);
      },
      observe: (question, result) => {
        this.#subscriptions.observe(question, result);
        // Here, and not where the answer is awaited: what is replayed comes right behind it.
        if (this.#resuming !== undefined && question.params === this.#resuming) {
          this.#change({ kind: "resumed", result: result as ThreadResumeResult });
        }
      },
      report: (what, error) => inbox.report(what, error),
      end: () => {},
    };
    return { inbox, endpoint };
  }

  async #waitForClient(method: string, timeoutMs: number, signal: AbortSignal | undefined): Promise<Client> {
    if (this.#running === undefined || this.#stop.signal.aborted) {
      const why = this.#running === undefined ? "call connect first" : "it is closed";
      throw new ConnectionClosed(`${method} was not sent: ${why}`);
    }
    signal?.throwIfAborted();
    const giveUp = new AbortController();
    const onAbort = (): void => giveUp.abort(signal?.reason);
    const onTimeout = (): void =>
      giveUp.abort(new RequestTimeout(`${method} was not sent, there was no connection within ${timeoutMs} ms`));
    const timer = timeoutMs > LONGEST_MS ? undefined : setTimeout(onTimeout, timeoutMs);
    signal?.addEventListener("abort", onAbort);
    try {
      return await Promise.race([this.#client, ending(giveUp.signal).then((reason) => Promise.reject(reason))]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  #nextClient(): Promise<Client> {
    const next = new Promise<Client>((resolve, reject) => {
      this.#give = { client: resolve, error: reject };
    });
    // Nobody may be waiting when no other connection is made.
    next.catch(() => {});
    return next;
  }

  #end(error: Error | undefined): void {
    if (!this.#stop.signal.aborted) {
      this.#stop.abort(new ConnectionClosed("the client was closed"));
      this.#give.error(error ?? (this.#stop.signal.reason as Error));
      this.inbox.end(error);
    }
  }

  #change(change: ConnectionChange): void {
    try {
      this.#options.onChange?.(change);
    } catch (error) {
      this.inbox.report("onChange failed", error);
    }
  }
}

/** Whether another attempt may meet something else. A bug, a refusal and garbage stay what they are. */
function mayPass(error: Error): boolean {
  const isLost = error instanceof ConnectionClosed || error instanceof RequestTimeout;
  return isLost || (error instanceof RemoteError && error.retryable);
}

/** Resolves with the reason of a signal. */
function ending(signal: AbortSignal): Promise<Error> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(signal.reason as Error);
    }
    signal.addEventListener("abort", () => resolve(signal.reason as Error), { once: true });
  });
}
