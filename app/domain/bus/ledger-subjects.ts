// Whom an event is about, as the ledger may know it: keyed hashes, by which a redaction finds the events of a person long
// after their rows are gone. The ledger is append-only and holds nothing personal.
import type { Ctx } from "../../context.server.ts";
import { findEmailAddresses } from "../../runtime/email-addresses.ts";

const CUSTOMER = /gid:\/\/shopify\/Customer\/\d+/g;
const MAX_SUBJECTS = 50;

/** The mark of an e-mail address or a customer's gid. */
export const subjectMark = (ctx: Ctx, shop: string, value: string): string =>
  ctx.secrets.pseudonym(`${shop}/event-subject`, value.toLowerCase());

/** Marks of everybody whom a text of JSON names by e-mail address or gid; none for most events. */
export function subjectMarks(ctx: Ctx, shop: string, text: string): string[] {
  const named = [
    ...findEmailAddresses(text),
    ...(text.includes("/Customer/") ? (text.match(CUSTOMER) ?? []) : []),
  ];
  return [...new Set(named)].slice(0, MAX_SUBJECTS).map((value) => subjectMark(ctx, shop, value));
}

/** What the ledger has in place of an entity's id that is an address, and so a person; null for any other id. */
export const ledgerMark = (ctx: Ctx, shop: string, entityId: string): string | null =>
  entityId.includes("@") ? subjectMark(ctx, shop, entityId) : null;
