// The stored exchange of one attempt, and which attempts of an event have one.
import type { Ctx } from "../../../context.server.ts";
import type { DeliveryExchange, NullableColumns } from "../../../db.server.ts";
import type { Read } from "../../../runtime/database/read-together.ts";
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

/** `sealed` and the token are read for the chosen row only. */
export type ExchangeRow = {
  attempt_id: number;
} & NullableColumns<DeliveryExchange, "token" | "sealed">;

/**
 * The newest attempts of the event whose exchange is stored. The chosen one is `attemptId`, and the
 * newest where that is not among them.
 */
export const exchangesRead = (eventId: string, attemptId: number): Read<ExchangeRow> => ({
  sql: `WITH stored AS (
      SELECT attempt_id, token, sealed FROM delivery_exchanges WHERE shop = $1 AND event_id = $2
      ORDER BY attempt_id DESC LIMIT ${MAX_ATTEMPTS}
    ), chosen AS (
      SELECT coalesce(max(attempt_id) FILTER (WHERE attempt_id = $3), max(attempt_id)) AS id FROM stored
    )
    SELECT attempt_id, CASE WHEN attempt_id = chosen.id THEN token END AS token,
      CASE WHEN attempt_id = chosen.id THEN sealed END AS sealed
    FROM stored, chosen ORDER BY attempt_id DESC`,
  values: [eventId, attemptId],
});

/** The chosen one, its personal data masked; null where none is stored. */
export function toMaskedExchange(
  ctx: Ctx,
  tenant: Tenant,
  rows: readonly ExchangeRow[],
): ShownExchange | null {
  const chosen = rows.find(({ sealed }) => sealed !== null);
  if (!chosen?.token || !chosen.sealed) return null;
  const { attempt_id: attemptId, token, sealed } = chosen;
  const exchange = openExchange(ctx, tenant.shop, { token, sealed });
  return {
    ...maskExchange(exchange),
    attempt_id: attemptId,
    message: messageOf(exchange) !== null ? "•••" : null,
    isMasked: true,
  };
}

/** With the personal data in it: the caller records the access. Throws `not_found`. */
export async function readOpenExchange(
  ctx: Ctx,
  tenant: Tenant,
  key: { eventId: string; attemptId: number },
): Promise<ShownExchange> {
  const exchange = await findExchange(ctx, tenant, key);
  if (!exchange) throw new AppError("not_found");
  return {
    ...exchange,
    attempt_id: key.attemptId,
    message: messageOf(exchange),
    isMasked: false,
  };
}

const messageOf = ({ response }: Exchange): string | null =>
  answerMessage(response?.body.text ?? "");

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
