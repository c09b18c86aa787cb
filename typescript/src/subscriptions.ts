/**
 * Which threads a connection hears of, and the last event that it heard of each: what a new connection must resume.
 *
 * It is told of results and notifications in the order of the wire. An event counts as heard when its notification
 * came, because handlers and backlog outlive the connection.
 */

import type { ReviewStartResult } from "./generated/reviews.js";
import type {
  Thread,
  ThreadForkResult,
  ThreadResumeParams,
  ThreadResumeResult,
  ThreadStartParams,
  ThreadStartResult,
  ThreadUnsubscribeParams,
} from "./generated/threads.js";
import type { DynamicTool } from "./generated/tools.js";
import type { JsonObject } from "./codec.js";
import type { Question } from "./pending.js";

// Threads that others started are announced to every connection; so many are remembered, in case they become ours.
const REMEMBERED = 1000;

interface Subscription {
  /** The last event that was heard. */
  seq: number;
  /** TOOL-1: tools are bound to the connection that declared them, so that a new one declares them again. */
  readonly dynamicTools?: DynamicTool[];
}

/** The threads of one client, over all its connections. */
export class Subscriptions {
  readonly #threads = new Map<string, Subscription>();
  // The last event of threads without a subscription: a notification may come before the response that subscribes.
  readonly #others = new Map<string, number>();

  /** What resumes every thread where it was left. */
  resumptions(): ThreadResumeParams[] {
    return [...this.#threads].map(([threadId, { seq, ...tools }]) => ({ threadId, afterSeq: seq, ...tools }));
  }

  /** Forgets a thread. */
  drop(threadId: string): void {
    this.#threads.delete(threadId);
    this.#others.delete(threadId);
  }

  /** Takes a notification. */
  notify(method: string, params: JsonObject): void {
    const threadId = threadOf(params);
    const { seq } = params;
    if (threadId === undefined) {
      return;
    }
    if (method === "thread/closed" || method === "thread/deleted") {
      this.drop(threadId);
    } else if (typeof seq === "number") {
      this.#hear(threadId, seq);
    }
  }

  /** Takes the result of a request. */
  observe({ method, params = {} }: Question, result: unknown): void {
    if (method === "thread/start") {
      const { thread, replayed } = result as ThreadStartResult;
      // All that was ever notified of a new thread was heard.
      const heard = replayed === true ? undefined : (this.#others.get(thread.id) ?? 0);
      this.#subscribe(thread.id, heard ?? this.#threads.get(thread.id)?.seq ?? thread.seq, params);
    } else if (method === "thread/fork") {
      const { thread } = result as ThreadForkResult;
      this.#subscribe(thread.id, this.#threads.get(thread.id)?.seq ?? thread.seq, params);
    } else if (method === "review/start") {
      const { reviewThreadId } = result as ReviewStartResult;
      const heard = this.#threads.get(reviewThreadId)?.seq ?? this.#others.get(reviewThreadId);
      this.#subscribe(reviewThreadId, heard ?? 0, params);
    } else if (method === "thread/resume") {
      const { thread, gap, seq } = result as ThreadResumeResult;
      const { afterSeq } = params as ThreadResumeParams;
      // What is replayed is heard when it comes.
      this.#subscribe(thread.id, gap ? seq : (afterSeq ?? seq), params);
    } else if (method === "thread/unsubscribe" || method === "thread/delete") {
      this.drop((params as ThreadUnsubscribeParams).threadId);
    }
  }

  #subscribe(threadId: string, seq: number, params: ThreadStartParams): void {
    const dynamicTools = params.dynamicTools ?? this.#threads.get(threadId)?.dynamicTools;
    this.#others.delete(threadId);
    this.#threads.set(threadId, { seq, ...(dynamicTools !== undefined && { dynamicTools }) });
  }

  #hear(threadId: string, seq: number): void {
    const subscription = this.#threads.get(threadId);
    if (subscription !== undefined) {
      subscription.seq = Math.max(seq, subscription.seq);
      return;
    }
    this.#others.set(threadId, Math.max(seq, this.#others.get(threadId) ?? 0));
    const [oldest] = this.#others.keys();
    if (this.#others.size > REMEMBERED && oldest !== undefined) {
      this.#others.delete(oldest);
    }
  }
}

/** The thread that a notification is of: it names it, or carries it whole. */
function threadOf({ threadId, thread }: JsonObject): string | undefined {
  const id = threadId ?? (thread as Partial<Thread> | undefined)?.id;
  return typeof id === "string" ? id : undefined;
}
