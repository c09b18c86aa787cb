/**
 * Everything that can go wrong between two peers, named by whose fault it is.
 *
 * A program switches on the class, and of a `RemoteError` on `error.data.code`. The bare base class is never thrown.
 */

import type { ErrorData } from "./generated/envelope.js";
import type { ErrorName } from "./generated/errors.js";
import { ERRORS } from "./generated/errors.js";

/** The particulars of one error of the table. */
export type ErrorDataOf<N extends ErrorName> = Extract<ErrorData, { code: N }>;

type Particulars<N extends ErrorName> = Omit<ErrorDataOf<N>, "code" | "retryable">;

/** The base of all that this package throws about the protocol; catch it, never throw it. */
export class ProtocolError extends Error {
  override name = "ProtocolError";
}

/** This side, or the program that uses it, broke the protocol; nothing was sent. */
export class LocalProtocolError extends ProtocolError {
  override name = "LocalProtocolError";
}

/** More requests wait for an answer than the bound allows; nothing was sent. */
export class PendingFull extends LocalProtocolError {
  override name = "PendingFull";
}

/** The other side broke the protocol: what it sent cannot be read as what it should be. */
export class RemoteProtocolError extends ProtocolError {
  override name = "RemoteProtocolError";
}

/** The connection ended before the answer came. The request may have run all the same: resume and read. */
export class ConnectionClosed extends ProtocolError {
  override name = "ConnectionClosed";
}

/** No answer came in time. The request may have run all the same. */
export class RequestTimeout extends ProtocolError {
  override name = "RequestTimeout";
}

/** The other side answered with an error. */
export class RemoteError extends ProtocolError {
  override name = "RemoteError";
  /** The number of the error, as the error table gives it. */
  readonly code: number;
  /** What a program needs to act; absent only from a peer that does not keep to ERR-2. */
  readonly data: ErrorData | undefined;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = isErrorData(data) ? data : undefined;
    this.retryable = this.data?.retryable === true;
  }

  /** Whether it is this error of the table; `data` then has the members of it. */
  is<N extends ErrorName>(name: N): this is RemoteError & { readonly data: ErrorDataOf<N> } {
    return this.data?.code === name;
  }
}

/** What a request of the server is answered with when it is not served; a handler throws it. */
export class Refusal<N extends ErrorName = ErrorName> extends ProtocolError {
  override name = "Refusal";
  readonly code: number;
  readonly data: { readonly code: N; readonly retryable: boolean };

  /** The particulars are those that the error table asks for: `new Refusal("turnActive", "…", { turnId })`. */
  constructor(
    name: N,
    message: string,
    ...[particulars]: {} extends Particulars<N> ? [particulars?: Particulars<N>] : [particulars: Particulars<N>]
  ) {
    super(message.slice(0, MESSAGE_LENGTH));
    const row = ERRORS[name];
    this.code = row.code;
    this.data = { code: name, retryable: row.retryable, ...particulars };
  }
}

// ERR-1: "a string `message` of at most 4,096 characters".
const MESSAGE_LENGTH = 4096;

function isErrorData(data: unknown): data is ErrorData {
  return typeof data === "object" && data !== null && "code" in data && typeof data.code === "string";
}
