/** The little of a WebSocket server (RFC 6455) that a test needs: text frames below 64 KiB, unfragmented. */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Receiver, Transport } from "turnwire";

const ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const TEXT = 1;
const CLOSE = 8;

/** A server on a free port of this machine, and the first connection to it. */
export async function listen(): Promise<{
  url: string;
  accepted: Promise<[transport: Transport, protocols: string | undefined]>;
  close: () => Promise<void>;
}> {
  const server = createServer();
  const accepted = new Promise<[Transport, string | undefined]>((resolve) => {
    server.on("upgrade", ({ headers }, socket) => {
      const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}${ACCEPT_SUFFIX}`).digest("base64");
      socket.write(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
          `Sec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: turnwire.v1\r\n\r\n`,
      );
      resolve([new Frames(socket), headers["sec-websocket-protocol"]]);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.close();
    await once(server, "close");
  };
  return { url: `ws://127.0.0.1:${port}/`, accepted, close };
}

class Frames implements Transport {
  readonly #socket: Duplex;
  #held = Buffer.alloc(0);

  constructor(socket: Duplex) {
    this.#socket = socket;
  }

  async open(receiver: Receiver): Promise<void> {
    this.#socket.on("data", (chunk: Buffer) => {
      this.#held = Buffer.concat([this.#held, chunk]);
      for (let frame = this.#take(); frame !== undefined; frame = this.#take()) {
        if (frame.opcode === TEXT) {
          receiver.message(frame.payload.toString());
        } else if (frame.opcode === CLOSE) {
          this.#write(CLOSE, frame.payload);
          this.#socket.end();
        }
      }
    });
    this.#socket.on("close", () => receiver.closed("the socket was closed"));
  }

  send(message: string): void {
    this.#write(TEXT, Buffer.from(message));
  }

  async close(): Promise<void> {
    this.#socket.destroy();
  }

  #write(opcode: number, payload: Buffer): void {
    const head = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 255];
    this.#socket.write(Buffer.concat([Buffer.from([0x80 | opcode, ...head]), payload]));
  }

  /** The next whole frame; those of a client are masked. */
  #take(): { opcode: number; payload: Buffer } | undefined {
    const [first = 0, second = 0] = this.#held;
    const isLong = (second & 127) === 126;
    const head = isLong ? 8 : 6;
    if (this.#held.length < head) {
      return undefined;
    }
    const length = isLong ? this.#held.readUInt16BE(2) : second & 127;
    if (this.#held.length < head + length) {
      return undefined;
    }
    const mask = this.#held.subarray(head - 4, head);
    const payload = this.#held.subarray(head, head + length).map((byte, i) => byte ^ (mask[i % 4] ?? 0));
    this.#held = this.#held.subarray(head + length);
    return { opcode: first & 15, payload: Buffer.from(payload) };
  }
}
