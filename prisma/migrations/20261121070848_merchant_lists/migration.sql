-- CreateIndex
CREATE INDEX "consent_records_log_idx" ON "consent_records"("shop", "created_at" DESC, "seq" DESC, "consent_type", "action", "method");

-- CreateIndex
CREATE INDEX "mandates_newest_idx" ON "mandates"("shop", "created_at" DESC, "mandate_id" DESC);

-- By hand from here: what Prisma cannot say.

-- Failures alone, newest first, of a store and of one channel: a success costs nothing.
CREATE INDEX "delivery_attempts_failed_idx" ON "delivery_attempts" ("shop", "id" DESC) WHERE "status" = 'failed';
CREATE INDEX "delivery_attempts_channel_failed_idx" ON "delivery_attempts" ("shop", "channel", "id" DESC) WHERE "status" = 'failed';
-- The grants in force of one agent, over all shoppers.
CREATE INDEX "oauth_grants_open_idx" ON "oauth_grants" ("shop", "client_id") WHERE "ended_at" IS NULL;
