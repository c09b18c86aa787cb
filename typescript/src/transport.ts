/**
 * What carries messages: whole JSON texts in both directions, in order, until the end.
 *
 * A transport knows no protocol. What it hears and cannot give as text (bytes that are no UTF-8, a line that passes
 * the limit) it reports, and goes on.
 */

/** One end of a connection. */
export interface Transport {
  /**
   * Opens the connection; messages can be sent once it resolves. Called once.
   *
   * @throws ConnectionClosed the other side cannot be reached.
   */
  open(receiver: Receiver): Promise<void>;
  /** Sends one message. What is sent after the end is lost without an error: the receiver is told of the end. */
  send(message: string): void;
  /** Ends the connection and resolves when nothing of it is left. It may be called again, and before `open`. */
  close(): Promise<void>;
}

/** Who hears. No method throws. */
export interface Receiver {
  /** One message. */
  message(text: string): void;
  /** What came and is no message, with enough of it to recognise it, and whose response it is. */
  unreadable(why: string, excerpt: string): void;
  /** Nothing comes any more, and a sentence that says why. The last call, made once. */
  closed(reason: string): void;
}

/** The longest message that is read unless another bound is given; that of the reference server. */
export const MESSAGE_BYTES = 16 * 1024 * 1024;
