/** What came and nobody handled, in order, for whoever asks next. */

interface Waiter<T> {
  readonly wants: (message: T) => boolean;
  resolve(message: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
}

// Far more than a conversation holds; a program that never looks must not grow without end.
const CAPACITY = 10_000;

/** A queue that can be asked for some messages and keeps the rest where it was. */
export class Backlog<T> {
  readonly #waiters = new Set<Waiter<T>>();
  #messages: T[] = [];
  #end: { readonly error: Error | undefined } | undefined;

  /** Gives a message to who waits for it, or keeps it; beyond 10,000 the oldest is forgotten. */
  put(message: T): void {
    for (const waiter of this.#waiters) {
      if (waiter.wants(message)) {
        this.#waiters.delete(waiter);
        waiter.resolve({ done: false, value: message });
        return;
      }
    }
    this.#messages.push(message);
    if (this.#messages.length > CAPACITY) {
      this.#messages.shift();
    }
  }

  /** No more comes: because of an error, or because this side wanted the end. What is kept can still be taken. */
  end(error?: Error): void {
    this.#end ??= { error };
    for (const waiter of this.#waiters) {
      this.#waiters.delete(waiter);
      this.#finish(waiter);
    }
  }

  /**
   * Takes the messages that are wanted, those kept first, until the end.
   *
   * Leaving the loop stops the waiting and takes nothing more. An end with an error is thrown, also to who waits.
   */
  take(wants: (message: T) => boolean = () => true): AsyncIterableIterator<T> {
    const waiting = new Set<Waiter<T>>();
    let isLeft = false;
    const next = (): Promise<IteratorResult<T, undefined>> =>
      new Promise((resolve, reject) => {
        if (isLeft) {
          return resolve({ done: true, value: undefined });
        }
        const waiter: Waiter<T> = { wants, resolve, reject };
        waiting.add(waiter);
        this.#serve(waiter);
      });
    const leave = (): Promise<IteratorResult<T, undefined>> => {
      isLeft = true;
      for (const waiter of waiting) {
        this.#waiters.delete(waiter);
        waiter.resolve({ done: true, value: undefined });
      }
      return Promise.resolve({ done: true, value: undefined });
    };
    return {
      next,
      return: leave,
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  #serve(waiter: Waiter<T>): void {
    const index = this.#messages.findIndex(waiter.wants);
    if (index >= 0) {
      const [message] = this.#messages.splice(index, 1) as [T];
      waiter.resolve({ done: false, value: message });
    } else if (this.#end !== undefined) {
      this.#finish(waiter);
    } else {
      this.#waiters.add(waiter);
    }
  }

  #finish(waiter: Waiter<T>): void {
    if (this.#end?.error === undefined) {
      waiter.resolve({ done: true, value: undefined });
    } else {
      waiter.reject(this.#end.error);
    }
  }
}
