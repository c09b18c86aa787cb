/** The method table as the signatures of the client read it. */

import type { PingRequest } from "./generated/messages.js";
import type { ClientNotificationMap, ClientRequestMap } from "./generated/methods.js";
import type { ServerNotificationMap, ServerRequestMap } from "./generated/methods.js";
import type { UnknownTag } from "./generated/support.js";
import type { JsonObject } from "./codec.js";
import type { Patience } from "./pending.js";

/** A request that the client sends. */
export type ClientMethod = keyof ClientRequestMap;

/** A name that is open to anyone (STAB-5). */
export type VendorMethod = `_${string}`;

type ParamsIn<Row> = Row extends { params?: infer Params } ? NonNullable<Params> : never;
type TakesNoParams<Row> = Row extends { params: unknown } ? false : true;

/** What a client sends with a request. */
export type ParamsOf<M extends ClientMethod> = ParamsIn<ClientRequestMap[M]>;

/** What a client gets for a request. */
export type ResultOf<M extends ClientMethod> = ClientRequestMap[M]["result"];

/** What follows the name of a request: its params, optional where the protocol says so, and how long to wait. */
export type CallArguments<M extends ClientMethod> =
  TakesNoParams<ClientRequestMap[M]> extends true
    ? [params?: ParamsOf<M>, patience?: Patience]
    : [params: ParamsOf<M>, patience?: Patience];

/** What follows the name of a notification of the client. */
export type TellArguments<M extends keyof ClientNotificationMap> = [params?: ParamsIn<ClientNotificationMap[M]>];

/** The params of a notification of the server. */
export type NotificationParams<M extends keyof ServerNotificationMap> = ServerNotificationMap[M]["params"];

/** A notification of the server; `switch` on `method`. */
export type NotificationOf<M extends keyof ServerNotificationMap = keyof ServerNotificationMap> = {
  [Method in M]: { readonly method: Method; readonly params: NotificationParams<Method> };
}[M];

/** A notification with a method that this version does not know. */
export type UnknownNotification = { readonly method: UnknownTag; readonly params: JsonObject };

/** The params of a request of the server. */
export type ServerRequestParams<M extends keyof ServerRequestMap> = ParamsIn<ServerRequestMap[M]>;

/** What a request of the server is answered with. */
export type ServerRequestResult<M extends keyof ServerRequestMap> = ServerRequestMap[M]["result"];

/** What a handler of requests may want beside the params. */
export interface RequestContext {
  /** Names the request. */
  readonly id: PingRequest["id"];
  /** Aborted when the connection ends: nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}
