// A keyed hash of the address a link was mailed to. Not the address itself: the link may outlive
// the account.
import type { Ctx } from "../../context.server.ts";

export const normaliseMailbox = (ctx: Ctx, shop: string, email: string): string =>
  ctx.secrets.pseudonym(`${shop}/mailbox`, email);
