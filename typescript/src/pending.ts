/**
 * The requests that this side has sent and the other has not answered.
 *
 * Ids are integers that count up and are never used again on a connection. A call ends once: by its answer, its
 * deadline, its signal, or the end of the connection; what comes later is ignored.
 */

import type { RequestId } from "./generated/envelope.js";
import { PendingFull, RequestTimeout } from "./errors.js";

/** When a caller stops waiting. Neither says that the request did not run. */
export interface Patience {
  /** How long to wait for the answer, in milliseconds; `Infinity` waits as long as the connection lives. */
  readonly timeoutMs?: number | undefined;
  /** Stops the waiting; the call rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** What was asked. */
export interface Question {
  readonly method: string;
  readonly params: object | undefined;
}

interface Call extends Question {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The longest time that setTimeout can wait; it takes a longer one for none at all. */
export const LONGEST_MS = 2 ** 31 - 1;

/** At most `limit` calls at a time. */
export class Pending {
  readonly #limit: number;
  readonly #calls = new Map<RequestId, Call>();
  #lastId = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many wait. */
  get size(): number {
    return this.#calls.size;
  }

  /**
   * A call under a new id, and its answer.
   *
   * @throws PendingFull the bound is reached.
   */
  add(question: Question, patience: Patience = {}): { readonly id: number; readonly answer: Promise<unknown> } {
    if (this.#calls.size >= this.#limit) {
      throw new PendingFull(`${this.#limit} requests wait for an answer already; ${question.method} was not sent`);
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise((resolve, reject) => this.#watch(id, { ...question, resolve, reject }, patience));
    return { id, answer };
  }

  /** What an answer is for; undefined for an id that nobody waits for. */
  questionOf(id: RequestId): Question | undefined {
    return this.#calls.get(id);
  }

  /** Ends the call with its result. */
  resolve(id: RequestId, result: unknown): void {
    this.#calls.get(id)?.resolve(result);
  }

  /** Ends the call with an error. */
  reject(id: RequestId, error: Error): void {
    this.#calls.get(id)?.reject(error);
  }

  /** Ends every call with an error of its own. */
  rejectAll(errorFor: (method: string) => Error): void {
    for (const call of [...this.#calls.values()]) {
      call.reject(errorFor(call.method));
    }
  }

  /** Keeps a call until it ends in one of its ways, and undoes what watched over it then. */
  #watch(id: number, call: Call, { timeoutMs = Infinity, signal }: Patience): void {
    const onAbort = (): void => settle(() => call.reject(signal?.reason));
    const onTimeout = (): void =>
      settle(() => call.reject(new RequestTimeout(`${call.method} got no answer within ${timeoutMs} ms`)));
    const timer = timeoutMs > LONGEST_MS ? undefined : setTimeout(onTimeout, timeoutMs);
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      this.#calls.delete(id);
      end();
    };
    signal?.addEventListener("abort", onAbort);
    this.#calls.set(id, {
      ...call,
      resolve: (result) => settle(() => call.resolve(result)),
      reject: (error) => settle(() => call.reject(error)),
    });
  }
}
