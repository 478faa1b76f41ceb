import { OutboundError } from "../../runtime/errors.ts";

/** A response without a field that is read here is the storefront's error. `what` it is about. */
export function readWhole<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof OutboundError
      ? error
      : new OutboundError("storefront", "malformed", {
          message: `the storefront's answer about ${what} is incomplete`,
        });
  }
}
