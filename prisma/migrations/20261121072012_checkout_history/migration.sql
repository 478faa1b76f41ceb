-- CreateIndex
CREATE INDEX "checkout_sessions_created_idx" ON "checkout_sessions" USING BRIN ("created_at");

-- By hand from here: what Prisma cannot say.

-- Draft orders that the scheduled run still has to take out of the merchant's list.
CREATE INDEX "checkout_sessions_draft_orders_idx" ON "checkout_sessions" ("shop") WHERE "status" = 'canceled' AND "source" = 'draft_order' AND "external_id" IS NOT NULL;
