// Email addresses: trimmed, NFKC, lower case, and only then validated, so that a look-alike
// character cannot pass validation in one form and be stored in another.
import { z } from "zod";
import { normaliseEmail } from "../customers/customer-change.ts";

export const EmailAddress = z
  .string("must be an email address")
  .max(1_000, "must be an email address")
  .transform(normaliseEmail)
  .pipe(z.email("must be an email address").max(254, "must be an email address"));
