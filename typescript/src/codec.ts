/**
 * One JSON text to one message and back: the rules of RPC-* that a single message can break.
 *
 * A client has nobody to tell what was unreadable (RPC-17): a fault has a reply only where it has a lawful id.
 */

import type { ErrorObject, RequestId } from "./generated/envelope.js";
import type { ErrorName } from "./generated/errors.js";
import type { Refusal } from "./errors.js";
import { LocalProtocolError, RemoteError, RemoteProtocolError } from "./errors.js";
import { ERRORS } from "./generated/errors.js";
import { parseJson, stringifyJson } from "./generated/json.js";

/** Members by name. */
export type JsonObject = { readonly [member: string]: unknown };

/** What one text is. */
export type Message =
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "result"; readonly id: RequestId; readonly result: unknown }
  | { readonly kind: "error"; readonly id: RequestId | null; readonly error: RemoteError | RemoteProtocolError }
  | { readonly kind: "fault"; readonly why: string; readonly reply?: string };

// RPC-2: "a string of 0 to 512 code points".
const ID_LENGTH = 512;
const NO_PARAMS: JsonObject = {};
const BLANK = /^[ \t\r\n]*$/;
// A surrogate that JSON.stringify had to escape, after an even number of backslashes: it stands alone.
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/** The message of one text; undefined for a blank one (STDIO-8). Nothing is thrown. */
export function readMessage(text: string): Message | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return BLANK.test(text) ? undefined : { kind: "fault", why: "it is not JSON" };
  }
  if (!isObject(value) || value["jsonrpc"] !== "2.0") {
    return { kind: "fault", why: "it is no JSON-RPC 2.0 message" };
  }
  if (typeof value["method"] === "string") {
    return readCall(value["method"], value);
  }
  const isResponse = !("method" in value) && ("result" in value || "error" in value);
  return isResponse ? readResponse(value) : { kind: "fault", why: "it has no method, result or error" };
}

/**
 * The text of a request.
 *
 * @throws LocalProtocolError the params hold a lone surrogate, which no server can read.
 */
export function writeRequest(id: RequestId, method: string, params: object | undefined): string {
  return written({ jsonrpc: "2.0", id, method, params }, method);
}

/** The text of a notification; throws as `writeRequest`. */
export function writeNotification(method: string, params: object | undefined): string {
  return written({ jsonrpc: "2.0", method, params }, method);
}

/** The text of the answer to a request; no value is null. It throws as `writeRequest`. */
export function writeResult(id: RequestId, result: unknown): string {
  return written({ jsonrpc: "2.0", id, result: result ?? null }, "the answer");
}

/** The text of an error answer. */
export function writeError(id: RequestId, refusal: Refusal): string {
  const error: ErrorObject = { code: refusal.code, message: refusal.message };
  return stringifyJson({ jsonrpc: "2.0", id, error: { ...error, data: refusal.data } });
}

function readCall(method: string, message: JsonObject): Message {
  const params = "params" in message ? message["params"] : NO_PARAMS;
  if (!("id" in message)) {
    const why = `the params of ${method} are no object`;
    return isObject(params) ? { kind: "notification", method, params } : { kind: "fault", why };
  }
  const id = message["id"];
  if (!isRequestId(id)) {
    return { kind: "fault", why: `the id of ${method} is not lawful` };
  }
  if (!isObject(params)) {
    // RPC-12: "Params of another kind get -32602 where the id is lawful".
    const issues = [{ path: "", expected: "object", message: "Params are an object or absent." }];
    const reply = refusalOf(id, "invalidParams", "Params are an object or absent.", { issues });
    return { kind: "fault", why: `the params of ${method} are no object`, reply };
  }
  return { kind: "request", id, method, params };
}

function readResponse(message: JsonObject): Message {
  const id = message["id"];
  if (id !== null && !isRequestId(id)) {
    return { kind: "fault", why: "the id of a response is not lawful" };
  }
  // Some servers write a null error beside a result.
  const error = message["error"] ?? undefined;
  if (error === undefined && "result" in message && id !== null) {
    return { kind: "result", id, result: message["result"] };
  }
  if ("result" in message || !isObject(error)) {
    // RPC-6: "A reply has exactly one of `result` and `error`."
    return { kind: "error", id, error: new RemoteProtocolError("the response has not one of result and error") };
  }
  const { code, message: sentence, data } = error;
  if (!Number.isInteger(code) || typeof sentence !== "string") {
    return { kind: "error", id, error: new RemoteProtocolError("the error has no integer code and string message") };
  }
  return { kind: "error", id, error: new RemoteError(code as number, sentence, data) };
}

function refusalOf(id: RequestId, name: ErrorName, message: string, particulars: JsonObject): string {
  const { code, retryable } = ERRORS[name];
  const data = { code: name, retryable, ...particulars };
  return stringifyJson({ jsonrpc: "2.0", id, error: { code, message, data } });
}

function written(message: object, what: string): string {
  const text = stringifyJson(message);
  if (text.includes("\\ud") && LONE_SURROGATE.test(text)) {
    throw new LocalProtocolError(`${what} was not sent: a string in it holds half of a surrogate pair`);
  }
  return text;
}

function isRequestId(id: unknown): id is RequestId {
  if (typeof id === "string") {
    // A code point has at most two units, so that most ids need no counting.
    return id.length <= ID_LENGTH || [...id.slice(0, 2 * ID_LENGTH + 1)].length <= ID_LENGTH;
  }
  return Number.isSafeInteger(id);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
