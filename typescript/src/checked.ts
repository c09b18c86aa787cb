/**
 * Checks of everything that a server sends, for a client that trusts no server: give it as the option `checks`.
 *
 * It stands apart because the validators are larger than the client.
 */

import {
  checkApprovalResolveResult,
  checkApprovalRulesListResult,
  checkEmptyResult,
  checkInitializeResult,
  checkModelListResult,
  checkQueueResult,
  checkReviewStartResult,
  checkSchemaExportResult,
  checkServerNotification,
  checkServerRequest,
  checkThreadArchiveResult,
  checkThreadCompactResult,
  checkThreadDeleteResult,
  checkThreadEventsListResult,
  checkThreadForkResult,
  checkThreadItemsListResult,
  checkThreadListResult,
  checkThreadPauseResult,
  checkThreadReadResult,
  checkThreadResumeResult,
  checkThreadRewindResult,
  checkThreadStartResult,
  checkThreadTurnsListResult,
  checkThreadUnarchiveResult,
  checkThreadUnpauseResult,
  checkThreadUnsubscribeResult,
  checkThreadUpdateResult,
  checkTraceReadResult,
  checkTurnEnqueueResult,
  checkTurnInterruptResult,
  checkTurnStartResult,
  checkTurnSteerResult,
  checkUserInputResolveResult,
} from "./generated/validators.js";
import type { Validator } from "./generated/validators.js";
import type { Checks } from "./checks.js";
import type { ClientMethod } from "./types.js";

/** What the protocol says of each message; what it does not know is let through. */
export const protocolChecks: Checks = {
  result: (method, result) => (Object.hasOwn(RESULTS, method) ? RESULTS[method as ClientMethod](result) : undefined),
  notification: (message) => checkServerNotification(message),
  request: (message) => {
    const fault = checkServerRequest(message);
    // A request that is not known is refused by its name, later.
    return fault?.pointer.startsWith("/params") ? fault : undefined;
  },
};

const RESULTS: { readonly [M in ClientMethod]: Validator } = {
  initialize: checkInitializeResult,
  ping: checkEmptyResult,
  shutdown: checkEmptyResult,
  "thread/start": checkThreadStartResult,
  "thread/resume": checkThreadResumeResult,
  "thread/read": checkThreadReadResult,
  "thread/list": checkThreadListResult,
  "thread/turns/list": checkThreadTurnsListResult,
  "thread/items/list": checkThreadItemsListResult,
  "thread/events/list": checkThreadEventsListResult,
  "thread/fork": checkThreadForkResult,
  "thread/rewind": checkThreadRewindResult,
  "thread/update": checkThreadUpdateResult,
  "thread/archive": checkThreadArchiveResult,
  "thread/unarchive": checkThreadUnarchiveResult,
  "thread/delete": checkThreadDeleteResult,
  "thread/pause": checkThreadPauseResult,
  "thread/unpause": checkThreadUnpauseResult,
  "thread/unsubscribe": checkThreadUnsubscribeResult,
  "thread/compact": checkThreadCompactResult,
  "turn/start": checkTurnStartResult,
  "turn/steer": checkTurnSteerResult,
  "turn/interrupt": checkTurnInterruptResult,
  "turn/enqueue": checkTurnEnqueueResult,
  "turn/queue/list": checkQueueResult,
  "turn/queue/remove": checkQueueResult,
  "turn/queue/reorder": checkQueueResult,
  "turn/queue/update": checkQueueResult,
  "turn/queue/resume": checkQueueResult,
  "review/start": checkReviewStartResult,
  "approval/resolve": checkApprovalResolveResult,
  "approvalRules/list": checkApprovalRulesListResult,
  "approvalRules/remove": checkEmptyResult,
  "userInput/resolve": checkUserInputResolveResult,
  "model/list": checkModelListResult,
  "trace/read": checkTraceReadResult,
  "schema/export": checkSchemaExportResult,
};
