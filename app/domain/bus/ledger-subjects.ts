// The people of an event as keyed hashes, by which a redaction finds the events of a person long
// after their rows are deleted. The ledger is append-only and contains no personal data.
import type { Ctx } from "../../context.server.ts";
import { findEmailAddresses } from "../../runtime/email-addresses.ts";

const CUSTOMER = /gid:\/\/shopify\/Customer\/\d+/g;
const MAX_SUBJECTS = 50;

/** The mark of an email address or a customer's gid. */
export const subjectMark = (ctx: Ctx, shop: string, value: string): string =>
  ctx.secrets.pseudonym(`${shop}/event-subject`, value.toLowerCase());

/** Marks of every email address and gid in a JSON text; none for most events. */
export function subjectMarks(ctx: Ctx, shop: string, text: string): string[] {
  const named = [
    ...findEmailAddresses(text),
    ...(text.includes("/Customer/") ? (text.match(CUSTOMER) ?? []) : []),
  ];
  return [...new Set(named)].slice(0, MAX_SUBJECTS).map((value) => subjectMark(ctx, shop, value));
}

const PHONE = /^\+\d[\d\s().-]{5,}$/;

/** Whether an entity id is an email address or an international phone number. */
export const isPersonalId = (entityId: string): boolean =>
  entityId.includes("@") || PHONE.test(entityId.trim());

/** The ledger's replacement for an entity id that names a person; null for any other id. */
export const ledgerMark = (ctx: Ctx, shop: string, entityId: string): string | null =>
  isPersonalId(entityId) ? subjectMark(ctx, shop, entityId) : null;
