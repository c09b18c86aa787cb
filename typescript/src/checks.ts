/** What a client can have checked before it believes it; `turnwire/checked` has the checks of the protocol. */

import type { Fault } from "./generated/checking.js";

/** Each gives the first fault, or undefined. */
export interface Checks {
  /** The result of a request. */
  result(method: string, result: unknown): Fault | undefined;
  /** A whole notification. */
  notification(message: object): Fault | undefined;
  /** A whole request of the server. */
  request(message: object): Fault | undefined;
}
