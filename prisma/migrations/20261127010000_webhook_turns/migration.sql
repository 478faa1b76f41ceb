-- The stores take turns in the inbox: a claim reads the first waiting row of each store (claim-in-turns.ts). By hand:
-- Prisma cannot say that an index is partial. The previous version claims by "webhook_inbox_pending_idx".
CREATE INDEX "webhook_inbox_turn_idx" ON "webhook_inbox" ("shop", "next_attempt_at", "id") WHERE "status" = 'pending';
