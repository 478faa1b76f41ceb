// A page is shown for one person and sends when somebody else may be signed in: in another tab the
// customer signed out, or another one signed in. So a request may say who acted, and then counts only for that person.
import { z } from "zod";
import { AppError } from "../../runtime/errors.ts";

/** As the loader writes it (embeds/scripts/window-globals.ts, `by`); empty: no customer was signed in. */
export const ActedBy = z
  .string()
  .regex(/^(?:(?:customer )?\d{1,20})?$/, 'must be an account\'s id, "customer <id>", or empty')
  .optional();

/** The account here and the customer at the storefront; null in a browser without a sign-in. */
export type SignedIn = { id: number | null; gid: string | null } | null;

/** Throws `other_person`. A request that does not say who acted is for the person who is signed in. */
export function requireActing(actedBy: string | undefined, signedIn: SignedIn): void {
  const names = signedIn
    ? [
        String(signedIn.id),
        signedIn.gid?.replace(/^gid:\/\/shopify\/Customer\//, "customer ") ?? null,
      ]
    : [""];
  if (actedBy !== undefined && !names.includes(actedBy)) throw new AppError("other_person");
}
