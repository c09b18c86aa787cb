/** What a client hears: handlers for what the server sends, and the loop over what nobody handles. */

import type { ServerNotificationMap, ServerRequestMap } from "./generated/methods.js";
import type { JsonObject } from "./codec.js";
import type { Inbox, NotificationHandler, RequestHandler } from "./inbox.js";
import { Methods } from "./methods.js";
import type {
  NotificationOf,
  NotificationParams,
  ServerRequestParams,
  ServerRequestResult,
  UnknownNotification,
  VendorMethod,
} from "./types.js";

/** The half of a client that listens. */
export abstract class Listening extends Methods {
  protected readonly inbox: Inbox;

  protected constructor(inbox: Inbox) {
    super();
    this.inbox = inbox;
  }

  /**
   * Lets `handler` have the notifications of one method from here on, in place of the backlog, and gives what takes
   * it away again. Several handlers of one method are called in the order in which they were set.
   */
  on<M extends keyof ServerNotificationMap>(method: M, handler: NotificationHandler<NotificationParams<M>>): () => void;
  on(method: VendorMethod, handler: NotificationHandler<JsonObject>): () => void;
  on(method: never, handler: NotificationHandler<never>): () => void {
    return this.inbox.on(method, handler);
  }

  /** Lets `handler` answer the requests of one method. Set it before `initialize`, which then declares it. */
  onRequest<M extends keyof ServerRequestMap>(
    method: M,
    handler: RequestHandler<ServerRequestParams<M>, ServerRequestResult<M>>,
  ): void;
  onRequest(method: VendorMethod, handler: RequestHandler<JsonObject, unknown>): void;
  onRequest(method: never, handler: RequestHandler<never, never>): void {
    this.inbox.onRequest(method, handler);
  }

  /**
   * The notifications that no handler took, in order, or those of some methods; the others keep their place.
   *
   * What came before is kept (the last 10,000), and each is given once. The loop ends when this side closes the
   * connection.
   *
   * @throws ConnectionClosed the connection ended otherwise.
   */
  notifications(): AsyncIterableIterator<NotificationOf | UnknownNotification>;
  notifications<M extends keyof ServerNotificationMap>(...methods: M[]): AsyncIterableIterator<NotificationOf<M>>;
  notifications(...methods: never[]): AsyncIterableIterator<NotificationOf | UnknownNotification> {
    return this.inbox.notifications(...methods);
  }
}
