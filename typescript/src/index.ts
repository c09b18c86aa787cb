/** The Turnwire Protocol for TypeScript: its types and tables, and a client for Node and browsers. */

export * from "./generated/index.js";
export type { Backoff, RetryOptions } from "./backoff.js";
export { delayMs, withRetry } from "./backoff.js";
export type { Checks } from "./checks.js";
export type { JsonObject } from "./codec.js";
export type { ClientOptions } from "./client.js";
export { Client } from "./client.js";
export type { ErrorDataOf } from "./errors.js";
export {
  ConnectionClosed,
  LocalProtocolError,
  PendingFull,
  ProtocolError,
  Refusal,
  RemoteError,
  RemoteProtocolError,
  RequestTimeout,
} from "./errors.js";
export { LineReader } from "./framing.js";
export type { NotificationHandler, Report, RequestHandler } from "./inbox.js";
export { Listening } from "./listening.js";
export { memoryPair } from "./memory.js";
export { Methods } from "./methods.js";
export type { Patience } from "./pending.js";
export type { ConnectionChange, ReconnectOptions } from "./reconnect.js";
export { ReconnectingClient } from "./reconnect.js";
export type { Receiver, Transport } from "./transport.js";
export { MESSAGE_BYTES } from "./transport.js";
export type {
  CallArguments,
  ClientMethod,
  NotificationOf,
  NotificationParams,
  ParamsOf,
  RequestContext,
  ResultOf,
  ServerRequestParams,
  ServerRequestResult,
  UnknownNotification,
  VendorMethod,
} from "./types.js";
export { VERSION } from "./version.js";
export type { WebSocketConstructor, WebSocketLike, WebSocketOptions } from "./websocket.js";
export { WebSocketTransport } from "./websocket.js";
