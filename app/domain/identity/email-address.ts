// What counts as an e-mail address: trimmed, NFKC, lower case, and only then checked, so that a look-alike sign cannot
// pass the check in one form and be stored in another.
import { z } from "zod";
import { normaliseEmail } from "../customers/customer-change.ts";

export const EmailAddress = z
  .string("must be an e-mail address")
  .max(1_000, "must be an e-mail address")
  .transform(normaliseEmail)
  .pipe(z.email("must be an e-mail address").max(254, "must be an e-mail address"));
