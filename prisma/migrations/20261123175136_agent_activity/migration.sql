-- CreateTable
CREATE TABLE "agent_activity" (
    "shop" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "client_id" TEXT,
    "user_id" INTEGER,
    "operation" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "code" TEXT,
    "mandate_id" UUID,
    "amount" DECIMAL(14,2),
    "currency" TEXT,
    "calls" INTEGER NOT NULL DEFAULT 1,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agent_activity_pkey" PRIMARY KEY ("shop","id")
);

-- CreateIndex
CREATE INDEX "agent_activity_newest_idx" ON "agent_activity"("shop", "last_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "agent_activity_agent_idx" ON "agent_activity"("shop", "client_id", "last_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "agent_activity_customer_idx" ON "agent_activity"("shop", "user_id", "last_at" DESC, "id" DESC);

-- By hand NULLS NOT DISTINCT: calls of an unknown caller are added to their row.
CREATE UNIQUE INDEX "agent_activity_calls_key" ON "agent_activity"("shop", "started_at", "client_id", "user_id", "operation", "outcome", "code", "mandate_id", "currency") NULLS NOT DISTINCT;

-- By hand: a misspelt outcome would be missed by the filters and the charts.
ALTER TABLE "agent_activity" ADD CONSTRAINT "agent_activity_outcome_check" CHECK ("outcome" IN ('done', 'refused', 'failed'));
