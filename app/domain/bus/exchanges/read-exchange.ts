// The stored exchange of one attempt, and which attempts of an event have one.
import type { Ctx } from "../../../context.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { answerMessage } from "./answer-message.ts";
import { openExchange, type Exchange } from "./exchange.ts";
import { maskExchange } from "./mask-personal.ts";

export type ShownExchange = Exchange & {
  attempt_id: number;
  /** The system's own message for a rejection. */
  message: string | null;
  /** The values are masked, and `message` is only known to exist. */
  isMasked: boolean;
};

const MAX_ATTEMPTS = 200;

/** The newest attempts of the event whose exchange is stored. */
export async function listExchanges(ctx: Ctx, tenant: Tenant, eventId: string): Promise<number[]> {
  const rows = await dataOf(ctx, tenant).prisma.deliveryExchange.findMany({
    select: { attempt_id: true },
    where: { event_id: eventId },
    orderBy: { attempt_id: "desc" },
    take: MAX_ATTEMPTS,
  });
  return rows.map(({ attempt_id: id }) => Number(id));
}

/** Null where none is stored. Personal data is masked. */
export async function readMaskedExchange(
  ctx: Ctx,
  tenant: Tenant,
  key: { eventId: string; attemptId: number },
): Promise<ShownExchange | null> {
  const exchange = await findExchange(ctx, tenant, key);
  return exchange && toShown(key.attemptId, maskExchange(exchange), hasMessage(exchange), true);
}

/** With the personal data in it: the caller records the access. Throws `not_found`. */
export async function readOpenExchange(
  ctx: Ctx,
  tenant: Tenant,
  key: { eventId: string; attemptId: number },
): Promise<ShownExchange> {
  const exchange = await findExchange(ctx, tenant, key);
  if (!exchange) throw new AppError("not_found");
  const message = answerMessage(exchange.response?.body.text ?? "");
  return toShown(key.attemptId, exchange, message, false);
}

const hasMessage = ({ response }: Exchange): string | null =>
  answerMessage(response?.body.text ?? "") === null ? null : "•••";

const toShown = (
  attemptId: number,
  exchange: Exchange,
  message: string | null,
  isMasked: boolean,
): ShownExchange => ({ ...exchange, attempt_id: attemptId, message, isMasked });

async function findExchange(
  ctx: Ctx,
  tenant: Tenant,
  { eventId, attemptId }: { eventId: string; attemptId: number },
): Promise<Exchange | null> {
  const row = await dataOf(ctx, tenant).prisma.deliveryExchange.findFirst({
    select: { token: true, sealed: true },
    where: { event_id: eventId, attempt_id: attemptId },
  });
  return row && openExchange(ctx, tenant.shop, row);
}
