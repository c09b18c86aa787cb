/** The version of this package, which a client names itself with. */
export const VERSION = "0.1.0";
