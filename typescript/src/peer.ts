/**
 * JSON-RPC over a transport: calls and their answers, requests of the other side and ours.
 *
 * Every request of the other side gets exactly one reply (RPC-19), and every call of ours ends: in its result, an
 * error, a timeout, or the end of the connection.
 */

import type { RequestId } from "./generated/envelope.js";
import type { Checks } from "./checks.js";
import type { JsonObject, Message } from "./codec.js";
import { readMessage, writeError, writeNotification, writeRequest, writeResult } from "./codec.js";
import { ConnectionClosed, LocalProtocolError, Refusal, RemoteProtocolError } from "./errors.js";
import { responseId } from "./glimpse.js";
import type { Patience, Question } from "./pending.js";
import { Pending } from "./pending.js";
import type { Transport } from "./transport.js";
import type { RequestContext } from "./types.js";

/** Whom a peer serves. */
export interface Endpoint {
  /** Answers a request; a `Refusal` that it throws is the answer, any other error an internal one. */
  answer(method: string, params: JsonObject, context: RequestContext): Promise<unknown>;
  /** Takes a notification. */
  notify(method: string, params: JsonObject): void;
  /** Takes the result of a call in the order of the wire, before the caller does. */
  observe(question: Question, result: unknown): void;
  /** Hears of what went wrong where nobody waits for it. */
  report(what: string, error: unknown): void;
  /** Hears of the end, once; without an error it was wanted. */
  end(error?: ConnectionClosed): void;
}

/** How a peer is made. */
export interface PeerOptions {
  /** How many calls may wait at a time. */
  readonly maxPending: number;
  /** What is checked of the messages of the other side; undefined means their envelope only. */
  readonly checks: Checks | undefined;
}

// What was unreadable is quoted by its first lines; a server that writes nothing but garbage must not fill the memory.
const FAULTS = 20;
const EXCERPT = 160;

/** One side of one connection. */
export class Peer {
  /** What came and could not be read: the first 20 times. */
  readonly faults: string[] = [];
  /** The longest message that the other side reads, in bytes (LIM-1); known after the handshake. */
  sendLimit = Infinity;
  readonly #transport: Transport;
  readonly #endpoint: Endpoint;
  readonly #pending: Pending;
  readonly #ended = new AbortController();
  readonly #checks: Checks | undefined;
  #wanted = false;
  #closing: Promise<void> | undefined;

  constructor(transport: Transport, endpoint: Endpoint, { maxPending, checks }: PeerOptions) {
    this.#transport = transport;
    this.#endpoint = endpoint;
    this.#pending = new Pending(maxPending);
    this.#checks = checks;
  }

  /** Aborted when the connection has ended; its reason is the `ConnectionClosed`. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Opens the transport; throws what it throws. */
  async open(): Promise<void> {
    await this.#transport.open({
      message: (text) => this.#receive(text),
      unreadable: (why, excerpt) => this.#unreadable(why, excerpt),
      closed: (reason) => this.#end(reason),
    });
  }

  /**
   * Calls the other side.
   *
   * @throws RemoteError, RemoteProtocolError, RequestTimeout, ConnectionClosed, PendingFull, LocalProtocolError, and
   * the reason of the signal.
   */
  async request(method: string, params: object | undefined, patience: Patience): Promise<unknown> {
    patience.signal?.throwIfAborted();
    this.#demandOpen(method);
    const { id, answer } = this.#pending.add({ method, params }, patience);
    try {
      this.#transport.send(this.#bounded(writeRequest(id, method, params), method));
    } catch (error) {
      this.#pending.reject(id, error as Error);
    }
    return answer;
  }

  /** Sends a notification; throws as `request` does before it sends. */
  notify(method: string, params: object | undefined): void {
    this.#demandOpen(method);
    this.#transport.send(this.#bounded(writeNotification(method, params), method));
  }

  /** Ends the connection from this side; resolves when nothing of it is left. */
  close(): Promise<void> {
    this.#wanted = true;
    this.#closing ??= this.#transport.close().then(() => this.#end("it was closed"));
    return this.#closing;
  }

  #receive(text: string): void {
    const message = readMessage(text);
    if (message !== undefined && !this.#ended.signal.aborted) {
      this.#take(message, text);
    }
  }

  #take(message: Message, text: string): void {
    switch (message.kind) {
      case "notification":
        return this.#notify(message.method, message.params, text);
      case "request":
        return void this.#answer(message.id, message.method, message.params);
      case "result":
        return this.#settle(message.id, message.result);
      case "error":
        // RPC-7: "An error to something unreadable has `id:null`"; which of our messages it was is not said.
        return message.id === null
          ? this.#fault(`the other side could not read a message: ${message.error.message}`, text)
          : this.#pending.reject(message.id, message.error);
      case "fault":
        if (message.reply !== undefined) {
          this.#transport.send(message.reply);
        }
        return this.#fault(message.why, text);
    }
  }

  /** What cannot be read is not, but a response says early whose it is: nobody waits for it in vain. */
  #unreadable(why: string, excerpt: string): void {
    const id = responseId(excerpt);
    const question = id === undefined ? undefined : this.#pending.questionOf(id);
    if (id !== undefined && question !== undefined) {
      const error = new RemoteProtocolError(`the response to ${question.method} cannot be read: ${why}`);
      return this.#pending.reject(id, error);
    }
    this.#fault(why, excerpt);
  }

  #notify(method: string, params: JsonObject, text: string): void {
    const fault = this.#checks?.notification({ jsonrpc: "2.0", method, params });
    if (fault === undefined) {
      this.#endpoint.notify(method, params);
    } else {
      this.#fault(`${method} is not what the protocol says: ${fault.rule} at ${fault.pointer}`, text);
    }
  }

  #settle(id: RequestId, result: unknown): void {
    const question = this.#pending.questionOf(id);
    if (question === undefined) {
      return;
    }
    const fault = this.#checks?.result(question.method, result);
    if (fault !== undefined) {
      const where = fault.pointer === "" ? "" : ` at ${fault.pointer}`;
      return this.#pending.reject(id, unlawful(question.method, `${fault.rule}${where}`));
    }
    try {
      this.#endpoint.observe(question, result);
      this.#pending.resolve(id, result);
    } catch (error) {
      // Who observes reads what the protocol promises; a server that does not keep it is at fault.
      this.#pending.reject(id, unlawful(question.method, String(error)));
    }
  }

  async #answer(id: RequestId, method: string, params: JsonObject): Promise<void> {
    let reply: string;
    try {
      this.#demandLawful(id, method, params);
      const result = await this.#endpoint.answer(method, params, { id, signal: this.#ended.signal });
      reply = writeResult(id, result);
    } catch (error) {
      const isRefusal = error instanceof Refusal;
      if (!isRefusal) {
        // ERR-3: the particulars of an internal error are not for the other side.
        this.#endpoint.report(`the handler of ${method} failed`, error);
      }
      reply = writeError(id, isRefusal ? error : new Refusal("internalError", "The handler failed."));
    }
    this.#transport.send(reply);
  }

  /** RPC-11: "A value of the wrong kind in params gets -32602 with the id of the request." */
  #demandLawful(id: RequestId, method: string, params: JsonObject): void {
    const fault = this.#checks?.request({ jsonrpc: "2.0", id, method, params });
    if (fault !== undefined) {
      const message = `It is not what the protocol says: ${fault.rule}.`;
      const issue = { path: fault.pointer.slice("/params".length), message };
      throw new Refusal("invalidParams", `The params of ${method} are not lawful.`, { issues: [issue] });
    }
  }

  #fault(why: string, excerpt: string): void {
    if (this.faults.length < FAULTS) {
      this.faults.push(excerpt === "" ? why : `${why}: ${JSON.stringify(excerpt.slice(0, EXCERPT))}`);
    }
  }

  #demandOpen(method: string): void {
    if (this.#ended.signal.aborted || this.#closing !== undefined) {
      throw new ConnectionClosed(`the connection has ended; ${method} was not sent`);
    }
  }

  #bounded(text: string, method: string): string {
    // A UTF-16 unit takes at most three bytes, so that most messages need no counting.
    if (text.length * 3 > this.sendLimit && new TextEncoder().encode(text).length > this.sendLimit) {
      const bound = `the server takes at most ${this.sendLimit} bytes a message`;
      throw new LocalProtocolError(`${method} was not sent: ${bound}`);
    }
    return text;
  }

  /** The one place where a connection ends, whoever ended it first. */
  #end(reason: string): void {
    if (this.#ended.signal.aborted) {
      return;
    }
    const [fault] = this.faults;
    const story = fault === undefined ? reason : `${reason}; before, what came was no message: ${fault}`;
    const closed = new ConnectionClosed(`the connection has ended: ${story}`);
    this.#ended.abort(closed);
    this.#pending.rejectAll((method) => new ConnectionClosed(`${method} got no answer, ${closed.message}`));
    this.#endpoint.end(this.#wanted ? undefined : closed);
    this.#closing ??= this.#transport.close();
  }
}

function unlawful(method: string, why: string): RemoteProtocolError {
  return new RemoteProtocolError(`the result of ${method} is not what the protocol says: ${why}`);
}
