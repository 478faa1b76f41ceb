// Sends the customers of a segment to the profile platform, one event each, in slices of a bulk run. The
// event names the customer and the segment; the channel reads consent and address when it delivers.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { TenantSql } from "../../../db.server.ts";
import { derivedEventId, enqueueMany } from "../../bus/enqueue.ts";
import { BACKGROUND_PRIORITY, IS_CONTACT } from "../../tags/system-tags.ts";

export const SEGMENT_EVENT = "customer.segment_sent";
export const PROFILE_CHANNEL = "profile_platform";

/** The segment in an event's payload. */
export const Audience = z.object({ id: z.uuid(), name: z.string().min(1).max(200) });
export type Audience = z.output<typeof Audience>;

/** Only those who accept marketing, and have an address, whose hash identifies them there. */
export const IS_SENT = `u.email IS NOT NULL AND u.unproven_email IS NULL AND NOT ${IS_CONTACT}
  AND EXISTS (SELECT 1 FROM user_claims c WHERE c.shop = $1 AND c.user_id = u.id AND c.consent_marketing)`;

/** Safe to repeat with the same run. */
export async function enqueueAudience(
  ctx: Ctx,
  sql: TenantSql,
  runId: string,
  segment: Audience,
  userIds: readonly number[],
): Promise<void> {
  const occurredAt = ctx.clock.now();
  await enqueueMany(sql, {
    source: "backend",
    entityType: "customer",
    destinations: [PROFILE_CHANNEL],
    priority: BACKGROUND_PRIORITY,
    events: userIds.map((id) => ({
      // The same for a slice that is done again, so that it adds no second event.
      eventId: derivedEventId(8, `${runId}:${id}`),
      eventType: SEGMENT_EVENT,
      entityId: String(id),
      payload: { user_id: id, cause: "segment", segment },
      occurredAt,
    })),
  });
}
