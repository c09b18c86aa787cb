/**
 * A method for each request that a client can send; what each does is `request`.
 *
 * Written by hand and kept equal to the method table by the compiler: these are the signatures that people read, and
 * the table decides nothing else about them.
 */

import type { CallArguments, ClientMethod, ResultOf } from "./types.js";

/** The typed methods, over whatever sends a request. */
export abstract class Methods {
  /** Sends one request of the protocol. */
  abstract request<M extends ClientMethod>(method: M, ...args: CallArguments<M>): Promise<ResultOf<M>>;

  /** `ping`: Answers at once. */
  ping(...args: CallArguments<"ping">): Promise<ResultOf<"ping">> {
    return this.request("ping", ...args);
  }

  /** `shutdown`: Stops the server when the running turns have ended, and answers then. */
  shutdown(...args: CallArguments<"shutdown">): Promise<ResultOf<"shutdown">> {
    return this.request("shutdown", ...args);
  }

  /** `thread/start`: Starts a thread and subscribes the caller. */
  threadStart(...args: CallArguments<"thread/start">): Promise<ResultOf<"thread/start">> {
    return this.request("thread/start", ...args);
  }

  /** `thread/resume`: Subscribes the caller and gives what is open in the thread. */
  threadResume(...args: CallArguments<"thread/resume">): Promise<ResultOf<"thread/resume">> {
    return this.request("thread/resume", ...args);
  }

  /** `thread/read`: Gives the header of a thread without a subscription. */
  threadRead(...args: CallArguments<"thread/read">): Promise<ResultOf<"thread/read">> {
    return this.request("thread/read", ...args);
  }

  /** `thread/list`: Lists threads a page at a time. */
  threadList(...args: CallArguments<"thread/list">): Promise<ResultOf<"thread/list">> {
    return this.request("thread/list", ...args);
  }

  /** `thread/turns/list`: Lists the turns of a thread a page at a time. */
  threadTurnsList(...args: CallArguments<"thread/turns/list">): Promise<ResultOf<"thread/turns/list">> {
    return this.request("thread/turns/list", ...args);
  }

  /** `thread/items/list`: Lists the items of a thread or turn a page at a time. */
  threadItemsList(...args: CallArguments<"thread/items/list">): Promise<ResultOf<"thread/items/list">> {
    return this.request("thread/items/list", ...args);
  }

  /** `thread/events/list`: Lists the record of a thread a page at a time. */
  threadEventsList(...args: CallArguments<"thread/events/list">): Promise<ResultOf<"thread/events/list">> {
    return this.request("thread/events/list", ...args);
  }

  /** `thread/fork`: Starts a thread from a point of another. */
  threadFork(...args: CallArguments<"thread/fork">): Promise<ResultOf<"thread/fork">> {
    return this.request("thread/fork", ...args);
  }

  /** `thread/rewind`: Takes back the end of a thread. */
  threadRewind(...args: CallArguments<"thread/rewind">): Promise<ResultOf<"thread/rewind">> {
    return this.request("thread/rewind", ...args);
  }

  /** `thread/update`: Changes the header of a thread. */
  threadUpdate(...args: CallArguments<"thread/update">): Promise<ResultOf<"thread/update">> {
    return this.request("thread/update", ...args);
  }

  /** `thread/archive`: Archives a thread and the subagent threads below it. */
  threadArchive(...args: CallArguments<"thread/archive">): Promise<ResultOf<"thread/archive">> {
    return this.request("thread/archive", ...args);
  }

  /** `thread/unarchive`: Takes a thread and its subtree back from the archive. */
  threadUnarchive(...args: CallArguments<"thread/unarchive">): Promise<ResultOf<"thread/unarchive">> {
    return this.request("thread/unarchive", ...args);
  }

  /** `thread/delete`: Deletes a thread and the subagent threads below it. */
  threadDelete(...args: CallArguments<"thread/delete">): Promise<ResultOf<"thread/delete">> {
    return this.request("thread/delete", ...args);
  }

  /** `thread/pause`: Holds new turns and the queue. */
  threadPause(...args: CallArguments<"thread/pause">): Promise<ResultOf<"thread/pause">> {
    return this.request("thread/pause", ...args);
  }

  /** `thread/unpause`: Ends a pause. */
  threadUnpause(...args: CallArguments<"thread/unpause">): Promise<ResultOf<"thread/unpause">> {
    return this.request("thread/unpause", ...args);
  }

  /** `thread/unsubscribe`: Ends the caller's subscription. */
  threadUnsubscribe(...args: CallArguments<"thread/unsubscribe">): Promise<ResultOf<"thread/unsubscribe">> {
    return this.request("thread/unsubscribe", ...args);
  }

  /** `thread/compact`: Shortens the context that the agent works with. */
  threadCompact(...args: CallArguments<"thread/compact">): Promise<ResultOf<"thread/compact">> {
    return this.request("thread/compact", ...args);
  }

  /** `turn/start`: Starts a turn with input, or goes on with a paused one. */
  turnStart(...args: CallArguments<"turn/start">): Promise<ResultOf<"turn/start">> {
    return this.request("turn/start", ...args);
  }

  /** `turn/steer`: Gives input to the active turn. */
  turnSteer(...args: CallArguments<"turn/steer">): Promise<ResultOf<"turn/steer">> {
    return this.request("turn/steer", ...args);
  }

  /** `turn/interrupt`: Stops the active turn and answers when it has stopped. */
  turnInterrupt(...args: CallArguments<"turn/interrupt">): Promise<ResultOf<"turn/interrupt">> {
    return this.request("turn/interrupt", ...args);
  }

  /** `turn/enqueue`: Puts a turn into the queue, or starts it. */
  turnEnqueue(...args: CallArguments<"turn/enqueue">): Promise<ResultOf<"turn/enqueue">> {
    return this.request("turn/enqueue", ...args);
  }

  /** `turn/queue/list`: Gives the queue of a thread. */
  turnQueueList(...args: CallArguments<"turn/queue/list">): Promise<ResultOf<"turn/queue/list">> {
    return this.request("turn/queue/list", ...args);
  }

  /** `turn/queue/remove`: Takes an entry out of the queue. */
  turnQueueRemove(...args: CallArguments<"turn/queue/remove">): Promise<ResultOf<"turn/queue/remove">> {
    return this.request("turn/queue/remove", ...args);
  }

  /** `turn/queue/reorder`: Puts the queue into another order. */
  turnQueueReorder(...args: CallArguments<"turn/queue/reorder">): Promise<ResultOf<"turn/queue/reorder">> {
    return this.request("turn/queue/reorder", ...args);
  }

  /** `turn/queue/update`: Changes what a waiting turn will be given. */
  turnQueueUpdate(...args: CallArguments<"turn/queue/update">): Promise<ResultOf<"turn/queue/update">> {
    return this.request("turn/queue/update", ...args);
  }

  /** `turn/queue/resume`: Lets a held queue go on. */
  turnQueueResume(...args: CallArguments<"turn/queue/resume">): Promise<ResultOf<"turn/queue/resume">> {
    return this.request("turn/queue/resume", ...args);
  }

  /** `review/start`: Starts a review of changes. */
  reviewStart(...args: CallArguments<"review/start">): Promise<ResultOf<"review/start">> {
    return this.request("review/start", ...args);
  }

  /** `approval/resolve`: Answers an approval out of band. */
  approvalResolve(...args: CallArguments<"approval/resolve">): Promise<ResultOf<"approval/resolve">> {
    return this.request("approval/resolve", ...args);
  }

  /** `approvalRules/list`: Lists saved rules. */
  approvalRulesList(...args: CallArguments<"approvalRules/list">): Promise<ResultOf<"approvalRules/list">> {
    return this.request("approvalRules/list", ...args);
  }

  /** `approvalRules/remove`: Removes a saved rule. */
  approvalRulesRemove(...args: CallArguments<"approvalRules/remove">): Promise<ResultOf<"approvalRules/remove">> {
    return this.request("approvalRules/remove", ...args);
  }

  /** `userInput/resolve`: Answers questions out of band. */
  userInputResolve(...args: CallArguments<"userInput/resolve">): Promise<ResultOf<"userInput/resolve">> {
    return this.request("userInput/resolve", ...args);
  }

  /** `model/list`: Lists the models that the host offers. */
  modelList(...args: CallArguments<"model/list">): Promise<ResultOf<"model/list">> {
    return this.request("model/list", ...args);
  }

  /** `trace/read`: Reads the spans of a turn. */
  traceRead(...args: CallArguments<"trace/read">): Promise<ResultOf<"trace/read">> {
    return this.request("trace/read", ...args);
  }

  /** `schema/export`: Gives the schema that the server was built from. */
  schemaExport(...args: CallArguments<"schema/export">): Promise<ResultOf<"schema/export">> {
    return this.request("schema/export", ...args);
  }
}

/** The name of the method of a request: `thread/turns/list` is `threadTurnsList`. */
export type MethodNameOf<M extends string> = M extends `${infer Head}/${infer Rest}`
  ? `${Head}${Capitalize<MethodNameOf<Rest>>}`
  : M;

type Expected = Exclude<{ [M in ClientMethod]: MethodNameOf<M> }[ClientMethod], "initialize"> | "request";

/** Fails to compile where a request has no method, or a method no request. */
type Complete<Missing extends never, Extra extends never> = [Missing, Extra];
export type MethodsAreComplete = Complete<Exclude<Expected, keyof Methods>, Exclude<keyof Methods, Expected>>;
