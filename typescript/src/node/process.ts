/**
 * A server as a child process, spoken to over its stdin and stdout.
 *
 * It is started from an argument vector, never from a shell string, where the system has them in a process group of
 * its own; when the connection ends, nothing of that group is left.
 */

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { ConnectionClosed } from "../errors.js";
import { LineReader } from "../framing.js";
import type { Receiver, Transport } from "../transport.js";

/** Where the server's stderr goes: to ours, to `ProcessTransport.stderr` (its last 64 KiB), or nowhere. */
export type Stderr = "inherit" | "capture" | "discard";

/** How a server is started. */
export interface ProcessOptions {
  /** Its working directory; absent means ours. */
  readonly cwd?: string;
  /** Its environment, whole; absent means ours. */
  readonly env?: NodeJS.ProcessEnv;
  /** Where its stderr goes; absent means `inherit`. */
  readonly stderr?: Stderr;
  /** The longest message that is read; absent means 16 MiB. */
  readonly messageBytes?: number;
}

// STDIO-13: a server exits "within 5 seconds" of the end of its input; a little more for the machine.
const EXIT_MS = 5500;
// STDIO-15 gives a server time after SIGTERM, but one that did not heed the end of its input has had its time.
const TERM_MS = 1000;
// The output of a server that has exited arrives at once, unless a grandchild still holds the pipe.
const HELD_PIPE_MS = 500;
// A process whose output has ended mostly ends at once.
const LAST_WORDS_MS = 1000;
const STDERR_BYTES = 64 * 1024;
const STDIO = { inherit: "inherit", capture: "pipe", discard: "ignore" } as const;
const HAS_GROUPS = process.platform !== "win32";

/** The pipes of one child process. */
export class ProcessTransport implements Transport {
  readonly argv: readonly string[];
  readonly #options: ProcessOptions;
  #child: ChildProcess | undefined;
  #exit: Promise<unknown> = Promise.resolve();
  #stderrEnd: Promise<unknown> = Promise.resolve();
  #stderr = Buffer.alloc(0);
  #closing: Promise<void> | undefined;

  constructor(argv: readonly string[], options: ProcessOptions = {}) {
    this.argv = argv;
    this.#options = options;
  }

  /** The process id, once it is started. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The last of what the server wrote to stderr, where that is captured. */
  get stderr(): string {
    return this.#stderr.toString("utf8");
  }

  /** @throws ConnectionClosed there is no such command, it cannot be executed, or `cwd` is no directory. */
  async open(receiver: Receiver): Promise<void> {
    const [command, ...words] = this.argv;
    if (command === undefined || this.#closing !== undefined) {
      throw new ConnectionClosed(command === undefined ? "no command was given" : `${command} was not started`);
    }
    const { cwd, env, stderr = "inherit" } = this.#options;
    // `detached` is what Node calls a session, and with it a process group, of its own.
    const child = spawn(command, words, { cwd, env, stdio: ["pipe", "pipe", STDIO[stderr]], detached: HAS_GROUPS });
    const started = once(child, "spawn");
    this.#child = child;
    this.#exit = new Promise((resolve) => child.on("exit", resolve).on("error", resolve));
    try {
      await started;
    } catch (error) {
      const why = whyNot(error as NodeJS.ErrnoException, cwd);
      throw new ConnectionClosed(`cannot start ${JSON.stringify(command)}: ${why}`);
    }
    this.#listen(child, receiver);
  }

  send(message: string): void {
    const stdin = this.#child?.stdin;
    if (stdin?.writable) {
      stdin.write(`${message}\n`);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#child === undefined ? Promise.resolve() : this.#endOrKill(this.#child);
    return this.#closing;
  }

  #listen(child: ChildProcess, receiver: Receiver): void {
    const { stdin, stdout } = child as ChildProcess & { stdin: Writable; stdout: Readable };
    const lines = new LineReader(receiver, this.#options.messageBytes);
    const killAtExit = (): void => signalGroup(child, "SIGTERM");
    const outputEnd = new Promise<void>((resolve) => {
      stdout.once("close", resolve);
      child.once("exit", () => setTimeout(resolve, HELD_PIPE_MS).unref());
    });
    stdout.on("data", (chunk: Buffer) => lines.feed(chunk));
    // What a process that has exited does not read is lost without an error; its end is told below.
    stdin.on("error", () => {});
    stdout.on("error", () => {});
    const { stderr } = child;
    if (stderr !== null) {
      stderr.on("data", (chunk: Buffer) => {
        this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-STDERR_BYTES);
      });
      this.#stderrEnd = new Promise((resolve) => stderr.once("close", resolve));
    }
    // A server in a session of its own hears nothing of a Ctrl-C that ends us.
    process.once("exit", killAtExit);
    child.once("exit", () => process.removeListener("exit", killAtExit));
    void outputEnd.then(async () => {
      stdout.removeAllListeners("data");
      lines.finish();
      receiver.closed(await this.#lastWords(child));
    });
  }

  /** How the process ended, if it did, and the end of its captured stderr. */
  async #lastWords(child: ChildProcess): Promise<string> {
    await within(LAST_WORDS_MS, Promise.all([this.#exit, this.#stderrEnd]));
    const { exitCode, signalCode } = child;
    const lines = this.stderr.trim().split("\n");
    const last = lines[lines.length - 1];
    const said = last === undefined || last === "" ? "" : `; its stderr ends with: ${last}`;
    if (signalCode !== null) {
      return `the server was killed by ${signalCode}${said}`;
    }
    return (exitCode === null ? "the server closed its output" : `the server exited with status ${exitCode}`) + said;
  }

  /** The end of its input asks the server to exit; what does not heed it is killed, and what it left behind too. */
  async #endOrKill(child: ChildProcess): Promise<void> {
    child.stdin?.end();
    for (const [patience, signal] of [
      [EXIT_MS, "SIGTERM"],
      [TERM_MS, "SIGKILL"],
    ] as const) {
      if (!(await within(patience, this.#exit))) {
        signalGroup(child, signal);
      }
    }
    await this.#exit;
    signalGroup(child, "SIGKILL");
    child.stdout?.destroy();
  }
}

/** Node says ENOENT of the command where it is the folder that is not there. */
function whyNot({ code, message }: NodeJS.ErrnoException, cwd: string | undefined): string {
  if (code !== "ENOENT") {
    return message;
  }
  const isThere = cwd === undefined || existsSync(cwd);
  return isThere ? "there is no such command" : `there is no folder ${JSON.stringify(cwd)}`;
}

/** Signals the group of a process, which may outlive it; where there are no groups, the process. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) {
    return;
  }
  try {
    if (HAS_GROUPS) {
      process.kill(-child.pid, signal);
    } else {
      child.kill(signal);
    }
  } catch {
    // The group is empty; macOS says so of zombies by refusing permission.
  }
}

/** Whether something came to pass in so many milliseconds. */
async function within(ms: number, something: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const inTime = await Promise.race([something.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}
