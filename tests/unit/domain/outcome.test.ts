// What a settled delivery means to people, from its stored status and reason.
import { expect, test } from "vitest";
import { REPORTED_BY_BACKEND, SENT_EARLIER, toSkip } from "../../../app/domain/bus/outcome.ts";
import { GONE, UNKNOWN } from "../../../app/domain/channels/nothing-to-send.ts";

const kindOf = (error: string | null, status = "delivered") => toSkip({ status, error })?.kind;

test("what sent nothing is skipped with its reason; what reached the system is not", () => {
  expect(kindOf("archived only: erpsys is not an enabled destination")).toBe("archived_only");
  expect(kindOf("unchanged")).toBe("unchanged");
  expect(kindOf(GONE.skipped)).toBe("customer_deleted");
  expect(kindOf(UNKNOWN.skipped)).toBe("customer_unknown");
  expect(kindOf("order.paid changes nothing in the built-in backend")).toBe("not_applied");
  expect(kindOf("nothing to deliver: ignored")).toBe("nothing_to_send");
  for (const error of [null, REPORTED_BY_BACKEND, SENT_EARLIER])
    expect(kindOf(error)).toBeUndefined();
  for (const status of ["failed", "pending", "dead_letter"])
    expect(kindOf("unchanged", status)).toBeUndefined();
});
