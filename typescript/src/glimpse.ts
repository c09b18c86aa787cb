/**
 * What can be told of a message of which only the beginning can be read: whose response it is.
 *
 * Nothing is guessed: members that come behind a long one are not seen, and then nothing is told.
 */

import type { RequestId } from "./generated/envelope.js";

// The members of a message before a long one: names, and values that are no arrays or objects.
const MEMBER =
  /[ \t\r\n]*"([A-Za-z]+)"[ \t\r\n]*:[ \t\r\n]*(?:("(?:[^"\\\u0000-\u001f]|\\.)*"|-?[0-9]+|true|false|null)[ \t\r\n]*,)?/y;
const OPENING = /^[ \t\r\n]*\{/;

/** The id of the response that begins so; undefined where it is none, or does not say so yet. */
export function responseId(head: string): RequestId | undefined {
  const opening = OPENING.exec(head);
  if (opening === null) {
    return undefined;
  }
  let found: RequestId | undefined;
  MEMBER.lastIndex = opening[0].length;
  for (let member = MEMBER.exec(head); member !== null; member = MEMBER.exec(head)) {
    const [, name, value] = member;
    if ((name === "result" || name === "error") && found !== undefined) {
      return found;
    }
    if (value === undefined || name === "method") {
      return undefined;
    }
    if (name === "id") {
      found = idOf(value);
    }
  }
  return undefined;
}

function idOf(value: string): RequestId | undefined {
  try {
    const id: unknown = JSON.parse(value);
    return typeof id === "string" || typeof id === "number" ? id : undefined;
  } catch {
    return undefined;
  }
}
