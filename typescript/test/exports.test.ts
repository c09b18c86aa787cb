/** What the entries give: a name more or less is a change that someone sees. */

import assert from "node:assert/strict";
import { test } from "node:test";

const ENTRIES: [entry: string, names: string[]][] = [
  [
    "turnwire",
    [
      "Client",
      "ConnectionClosed",
      "ERRORS",
      "LineReader",
      "Listening",
      "LocalProtocolError",
      "MESSAGE_BYTES",
      "Methods",
      "PROTOCOL_MAJOR",
      "PROTOCOL_VERSION",
      "PendingFull",
      "ProtocolError",
      "ReconnectingClient",
      "Refusal",
      "RemoteError",
      "RemoteProtocolError",
      "RequestTimeout",
      "SCHEMA_DIGEST",
      "SCHEMA_ID",
      "VERSION",
      "WebSocketTransport",
      "delayMs",
      "memoryPair",
      "parseJson",
      "stringifyJson",
      "withRetry",
    ],
  ],
  ["turnwire/node", ["ProcessTransport", "spawn"]],
  ["turnwire/checked", ["protocolChecks"]],
];

for (const [entry, expected] of ENTRIES) {
  test(`the names of ${entry}`, async () => {
    assert.deepEqual(Object.keys((await import(entry)) as object).sort(), expected);
  });
}
