/**
 * A WebSocket as a transport: one message a text frame (WS-1).
 *
 * The token never stands in the URL; browsers cannot set a header, so it goes along as a subprotocol (WS-2).
 */

import { ConnectionClosed } from "./errors.js";
import type { Receiver, Transport } from "./transport.js";

/** What is needed of a WebSocket: that of browsers, of Node 22, or of a library with the same face. */
export interface WebSocketLike {
  binaryType: string;
  onopen: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  send(data: string): void;
  close(): void;
}

/** Makes a WebSocket. */
export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike;

/** How a WebSocket is opened. */
export interface WebSocketOptions {
  /** The bearer token; absent means none. */
  readonly token?: string;
  /** What makes the socket; absent means the global `WebSocket`. */
  readonly WebSocket?: WebSocketConstructor;
}

const SUBPROTOCOL = "turnwire.v1";

/** One WebSocket, opened by `open`. */
export class WebSocketTransport implements Transport {
  readonly #url: string;
  readonly #options: WebSocketOptions;
  #socket: WebSocketLike | undefined;
  #isClosed = false;
  #settleClosed: () => void = () => {};
  readonly #closed = new Promise<void>((resolve) => {
    this.#settleClosed = resolve;
  });

  constructor(url: string | URL, options: WebSocketOptions = {}) {
    this.#url = String(url);
    this.#options = options;
  }

  /** @throws ConnectionClosed the server cannot be reached or refuses, or there is no WebSocket here. */
  async open(receiver: Receiver): Promise<void> {
    if (this.#isClosed) {
      throw new ConnectionClosed("the transport was closed before it was opened");
    }
    const Socket = this.#options.WebSocket ?? (globalThis.WebSocket as WebSocketConstructor | undefined);
    if (Socket === undefined) {
      throw new ConnectionClosed("there is no global WebSocket here; give one as the option WebSocket");
    }
    const socket = new Socket(this.#url, protocols(this.#options.token));
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    await this.#listen(socket, receiver);
  }

  send(message: string): void {
    if (!this.#isClosed) {
      this.#socket?.send(message);
    }
  }

  async close(): Promise<void> {
    if (this.#socket === undefined) {
      this.#isClosed = true;
      return;
    }
    this.#socket.close();
    await this.#closed;
  }

  /** Resolves when the socket is open. */
  #listen(socket: WebSocketLike, receiver: Receiver): Promise<void> {
    return new Promise((resolve, reject) => {
      let isOpen = false;
      const fail = (story: string): void => {
        this.#end();
        reject(new ConnectionClosed(`cannot connect to ${this.#url} (${story})`));
      };
      socket.onopen = () => {
        isOpen = true;
        resolve();
      };
      // An error says nothing in browsers. A close follows it, but in Node 20 not where no connection was made.
      socket.onerror = () => void (isOpen || setTimeout(fail, 0, "no connection"));
      socket.onclose = ({ code, reason }) => {
        const story = `${code}${reason === "" ? "" : ` ${JSON.stringify(reason)}`}`;
        if (!isOpen) {
          fail(story);
        } else if (!this.#isClosed) {
          this.#end();
          receiver.closed(`the WebSocket was closed with ${story}`);
        }
      };
      socket.onmessage = ({ data }) => {
        if (typeof data === "string") {
          receiver.message(data);
        } else {
          receiver.unreadable("a frame is binary", "");
        }
      };
    });
  }

  #end(): void {
    this.#isClosed = true;
    this.#settleClosed();
  }
}

function protocols(token: string | undefined): string[] {
  return token === undefined ? [SUBPROTOCOL] : [SUBPROTOCOL, `turnwire.bearer.${base64url(token)}`];
}

function base64url(text: string): string {
  const bytes = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
