// What a reader of the generated types may lean on. Each expected error is proof that the types would see the mistake.

import type {
  ApprovalKind,
  ClientRequestMap,
  Item,
  MethodMap,
  ServerNotification,
  ThreadStartParams,
  UnknownItem,
} from "../../typescript/src/generated/index.js";
import { ERRORS, PROTOCOL_MAJOR } from "../../typescript/src/generated/index.js";

export function textOf(item: Item): string {
  switch (item.type) {
    case "agentMessage":
      return item.text;
    case "commandExecution":
      // @ts-expect-error a command has no text
      return item.text;
    default:
      return item.type;
  }
}

export function onlyUnknownIsLeft(item: UnknownItem): unknown {
  // @ts-expect-error a known tag never makes an unknown arm
  const known: "agentMessage" = item.type;
  return [known, item["anything"]];
}

export function onNotification(message: ServerNotification): string {
  if (message.method === "item/completed") {
    return message.params.item.type;
  }
  // @ts-expect-error the method decides what params there are
  return message.params.item.type;
}

export function call<M extends keyof ClientRequestMap>(method: M, params: ClientRequestMap[M]["params"]): M {
  void params;
  return method;
}

call("thread/read", { threadId: "t" });
// @ts-expect-error a required member is missing
call("thread/read", {});
// @ts-expect-error no such method
call("thread/unheard", {});
// @ts-expect-error the server sends this one
call("approval/request", {});

export type Started = MethodMap["thread/start"]["result"]["thread"]["id"];
export const empty: ThreadStartParams = {};
// @ts-expect-error absent is not null
export const absent: ThreadStartParams = { threadId: null };
export const later: ApprovalKind = "a kind of tomorrow";
export const code: -32700 = ERRORS.parseError.code;
export const major: 1 = PROTOCOL_MAJOR;
