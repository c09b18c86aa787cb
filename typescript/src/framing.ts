/**
 * Chunks of a byte stream to lines, one JSON value a line.
 *
 * Only `\n` ends a line, so U+2028 is text; `\r\n` and blank lines are accepted. The size limit is kept while reading:
 * an over-long line is never held, it is skipped to its end and stands in the result as an Overlong, once.
 */

import type { Receiver } from "./transport.js";
import { MESSAGE_BYTES } from "./transport.js";

/** Stands for a line that passed the limit. */
export class Overlong {
  /** How the line begins. */
  readonly head: Uint8Array;

  constructor(head: Uint8Array) {
    this.head = head;
  }
}

const LINE_END = 0x0a;
const CARRIAGE_RETURN = 0x0d;
// Enough of an unreadable line to recognise it, and to read the id of a response.
const HEAD_BYTES = 1024;

/** Joins what belongs to a line and cuts what does not; any split of a stream gives the same lines. */
export class LineSplitter {
  readonly #limit: number;
  // The pieces of the line that has no end yet; joined once, when it has.
  #pieces: Uint8Array[] = [];
  #held = 0;
  #skipping = false;

  constructor(limit: number = MESSAGE_BYTES) {
    this.#limit = limit;
  }

  /** The lines that `chunk` completes, without their ends; empty ones are left out. The chunk must not change later. */
  feed(chunk: Uint8Array): (Uint8Array | Overlong)[] {
    const lines: (Uint8Array | Overlong)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, start)) {
      this.#hold(chunk.subarray(start, end), lines);
      this.#complete(lines);
      start = end + 1;
    }
    this.#hold(chunk.subarray(start), lines);
    return lines;
  }

  /** STDIO-9: "A last line without `\n` before the end of input is processed." */
  finish(): (Uint8Array | Overlong)[] {
    const lines: (Uint8Array | Overlong)[] = [];
    this.#complete(lines);
    return lines;
  }

  /** Keeps a piece; when the line becomes too long with it, that is said at once and the line is skipped. */
  #hold(piece: Uint8Array, lines: (Uint8Array | Overlong)[]): void {
    if (this.#skipping || piece.length === 0) {
      return;
    }
    this.#pieces.push(piece);
    this.#held += piece.length;
    // A `\r` in last place may belong to the line end, which does not count.
    const counted = piece[piece.length - 1] === CARRIAGE_RETURN ? this.#held - 1 : this.#held;
    if (counted > this.#limit) {
      lines.push(new Overlong(joined(this.#pieces, this.#held).slice(0, Math.min(HEAD_BYTES, this.#limit))));
      this.#forget();
      this.#skipping = true;
    }
  }

  #complete(lines: (Uint8Array | Overlong)[]): void {
    if (this.#held > 0) {
      lines.push(joined(this.#pieces, this.#held));
    }
    this.#forget();
    this.#skipping = false;
  }

  #forget(): void {
    this.#pieces = [];
    this.#held = 0;
  }
}

/** Reads the lines of a byte stream as messages, for transports that have no frames. */
export class LineReader {
  readonly #receiver: Receiver;
  readonly #limit: number;
  readonly #splitter: LineSplitter;
  // Strict, because what is no UTF-8 is no message; a byte order mark stays, so that JSON refuses it.
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  constructor(receiver: Receiver, limit: number = MESSAGE_BYTES) {
    this.#receiver = receiver;
    this.#limit = limit;
    this.#splitter = new LineSplitter(limit);
  }

  /** Tells the receiver what `chunk` completes. The chunk must not change later. */
  feed(chunk: Uint8Array): void {
    this.#tell(this.#splitter.feed(chunk));
  }

  /** Tells the receiver of a last line without an end. */
  finish(): void {
    this.#tell(this.#splitter.finish());
  }

  #tell(lines: (Uint8Array | Overlong)[]): void {
    for (const line of lines) {
      if (line instanceof Overlong) {
        this.#receiver.unreadable(`a line has more than ${this.#limit} bytes`, excerptOf(line.head));
        continue;
      }
      let text: string;
      try {
        text = this.#decoder.decode(line);
      } catch {
        this.#receiver.unreadable("a line is not UTF-8", excerptOf(line));
        continue;
      }
      this.#receiver.message(text);
    }
  }
}

function excerptOf(line: Uint8Array): string {
  return new TextDecoder().decode(line.subarray(0, HEAD_BYTES));
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) {
    return first;
  }
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}
