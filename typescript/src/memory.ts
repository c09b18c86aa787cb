/** Two transports that hear each other, in one process: for servers that are embedded, and for tests. */

import { ConnectionClosed } from "./errors.js";
import type { Receiver, Transport } from "./transport.js";

/** The two ends. What is sent arrives in a later microtask, as over any transport. */
export function memoryPair(): [Transport, Transport] {
  const first = new MemoryTransport();
  const second = new MemoryTransport();
  first.other = second;
  second.other = first;
  return [first, second];
}

class MemoryTransport implements Transport {
  other: MemoryTransport | undefined;
  #receiver: Receiver | undefined;
  #isClosed = false;
  // What came before `open` waits for the receiver.
  #early: string[] = [];

  async open(receiver: Receiver): Promise<void> {
    if (this.#isClosed) {
      throw new ConnectionClosed("the other end is closed");
    }
    this.#receiver = receiver;
    for (const message of this.#early.splice(0)) {
      receiver.message(message);
    }
  }

  send(message: string): void {
    queueMicrotask(() => this.other?.hear(message));
  }

  async close(): Promise<void> {
    this.end("it was closed");
    await Promise.resolve();
    this.other?.end("the other end closed it");
  }

  hear(message: string): void {
    if (this.#receiver === undefined) {
      this.#early.push(message);
    } else if (!this.#isClosed) {
      this.#receiver.message(message);
    }
  }

  end(reason: string): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#receiver?.closed(reason);
    }
  }
}
