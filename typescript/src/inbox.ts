/**
 * What the server sends, and who takes it: handlers, and a backlog for what nobody handles.
 *
 * Nothing is ever approved by default (APPR-4), and nothing unknown is served (RPC-21). An inbox can outlive its
 * connection, so that handlers need not be set again.
 */

import type { ServerNotificationMap, ServerRequestMap } from "./generated/methods.js";
import { Backlog } from "./backlog.js";
import type { JsonObject } from "./codec.js";
import { Refusal } from "./errors.js";
import type {
  NotificationOf,
  NotificationParams,
  RequestContext,
  ServerRequestParams,
  ServerRequestResult,
  UnknownNotification,
  VendorMethod,
} from "./types.js";

/** Takes the params of a notification. What it throws or rejects with goes to `report`. */
export type NotificationHandler<Params> = (params: Params) => void | Promise<void>;

/** Answers a request of the server, or throws a `Refusal`; any other error is answered as an internal one. */
export type RequestHandler<Params, Result> = (params: Params, context: RequestContext) => Result | Promise<Result>;

/** Hears of what went wrong where nobody waits for it. */
export type Report = (what: string, error: unknown) => void;

/** The handlers and the backlog of one client. */
export class Inbox {
  readonly #report: Report;
  readonly #handlers = new Map<string, Set<NotificationHandler<never>>>();
  readonly #requestHandlers = new Map<string, RequestHandler<never, unknown>>();
  readonly #backlog = new Backlog<NotificationOf | UnknownNotification>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** See `Client.on`. */
  on<M extends keyof ServerNotificationMap>(method: M, handler: NotificationHandler<NotificationParams<M>>): () => void;
  on(method: VendorMethod, handler: NotificationHandler<JsonObject>): () => void;
  on(method: string, handler: NotificationHandler<never>): () => void {
    const handlers = this.#handlers.get(method) ?? new Set();
    // One function may be set twice, and is then taken away once at a time.
    const entry: NotificationHandler<never> = (params) => handler(params);
    this.#handlers.set(method, handlers.add(entry));
    return () => {
      handlers.delete(entry);
    };
  }

  /** See `Client.onRequest`. */
  onRequest<M extends keyof ServerRequestMap>(
    method: M,
    handler: RequestHandler<ServerRequestParams<M>, ServerRequestResult<M>>,
  ): void;
  onRequest(method: VendorMethod, handler: RequestHandler<JsonObject, unknown>): void;
  onRequest(method: string, handler: RequestHandler<never, unknown>): void {
    this.#requestHandlers.set(method, handler);
  }

  /** Whether requests of this method have a handler. */
  answers(method: keyof ServerRequestMap): boolean {
    return this.#requestHandlers.has(method);
  }

  /** See `Client.notifications`. */
  notifications(): AsyncIterableIterator<NotificationOf | UnknownNotification>;
  notifications<M extends keyof ServerNotificationMap>(...methods: M[]): AsyncIterableIterator<NotificationOf<M>>;
  notifications(...methods: string[]): AsyncIterableIterator<NotificationOf | UnknownNotification> {
    return this.#backlog.take(methods.length === 0 ? undefined : ({ method }) => methods.includes(method));
  }

  /** Gives a notification to its handlers, or to the backlog. */
  notify(method: string, params: JsonObject): void {
    const handlers = this.#handlers.get(method);
    if (handlers === undefined || handlers.size === 0) {
      // The cast is the boundary: what the wire brought is taken for what the protocol says.
      this.#backlog.put({ method, params } as NotificationOf | UnknownNotification);
      return;
    }
    for (const handler of [...handlers]) {
      void this.#run(method, handler, params);
    }
  }

  /**
   * The answer to a request.
   *
   * @throws Refusal it is not served.
   */
  async answer(method: string, params: JsonObject, context: RequestContext): Promise<unknown> {
    const handler = this.#requestHandlers.get(method);
    return handler === undefined ? defaultAnswer(method, params) : handler(params as never, context);
  }

  /** Says that something went wrong where nobody waits for it. */
  report(what: string, error: unknown): void {
    this.#report(what, error);
  }

  /** No more comes. */
  end(error?: Error): void {
    this.#backlog.end(error);
  }

  async #run(method: string, handler: NotificationHandler<never>, params: JsonObject): Promise<void> {
    try {
      await handler(params as never);
    } catch (error) {
      this.#report(`a handler of ${method} failed`, error);
    }
  }
}

/** What a request gets that no handler takes. */
function defaultAnswer(method: string, params: JsonObject): unknown {
  if (method === "ping") {
    return {};
  }
  if (method === "approval/request") {
    return { decision: "decline", nonce: nonceOf(params) };
  }
  throw new Refusal("methodNotFound", `${method} is not served.`);
}

function nonceOf(params: JsonObject): string {
  const { approval } = params as Partial<ServerRequestParams<"approval/request">>;
  return approval?.binding?.nonce ?? "";
}
