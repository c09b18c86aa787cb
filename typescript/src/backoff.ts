/** Waiting before trying again: longer each time, at random, and never shorter than the other side asks for. */

import { RemoteError } from "./errors.js";

/** How to wait. */
export interface Backoff {
  /** The longest first wait, in milliseconds; absent means 200. */
  readonly firstMs?: number;
  /** The longest wait of all; absent means 10,000. */
  readonly maxMs?: number;
  /** How many times to try in all; absent means 8. */
  readonly attempts?: number;
  /** A number from 0 to 1, for the jitter; absent means `Math.random`. */
  readonly random?: () => number;
}

/** How to try a request again. */
export interface RetryOptions extends Backoff {
  /** Stops the waiting, and with it the trying. */
  readonly signal?: AbortSignal;
}

export const DEFAULT_ATTEMPTS = 8;
const FIRST_MS = 200;
const MAX_MS = 10_000;

/**
 * Runs `operation` again while the server answers with an error that it calls retryable: such a request was not
 * carried out. Nothing else is repeated, a lost connection or a timeout least of all.
 *
 * @throws what the last attempt threw, or the reason of the signal.
 */
export async function withRetry<T>(operation: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { attempts = DEFAULT_ATTEMPTS, signal } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await operation();
    } catch (error) {
      if (attempt >= attempts || !(error instanceof RemoteError) || !error.retryable) {
        throw error;
      }
      await sleep(delayMs(attempt, options, asked(error)), signal);
    }
  }
}

/**
 * How long to wait after so many attempts: somewhere in the upper half of a bound that doubles, so that many clients
 * do not come back at once, and none comes back at once every time.
 */
export function delayMs(attempt: number, backoff: Backoff = {}, atLeastMs = 0): number {
  const { firstMs = FIRST_MS, maxMs = MAX_MS, random = Math.random } = backoff;
  const bound = Math.min(maxMs, firstMs * 2 ** (attempt - 1));
  return atLeastMs + (bound / 2) * (1 + random());
}

/** Resolves after so many milliseconds; throws the reason of the signal as soon as it is aborted. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function asked({ data }: RemoteError): number {
  const wanted = data !== undefined && "retryAfterMs" in data ? data.retryAfterMs : 0;
  return typeof wanted === "number" ? wanted : 0;
}
