/** What only Node can do: a server as a child process, spoken to over its stdin and stdout. */

import type { ClientOptions } from "./client.js";
import { Client } from "./client.js";
import type { ProcessOptions } from "./node/process.js";
import { ProcessTransport } from "./node/process.js";

export type { ProcessOptions, Stderr } from "./node/process.js";
export { ProcessTransport } from "./node/process.js";

/**
 * A client of a server that is started for it, and that ends with it. It is connected, and not initialized.
 *
 * @throws ConnectionClosed the command cannot be run.
 */
export function spawn(argv: readonly string[], options: ProcessOptions & ClientOptions = {}): Promise<Client> {
  return Client.connect(new ProcessTransport(argv, options), options);
}
