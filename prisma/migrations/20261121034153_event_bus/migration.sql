-- AlterTable
ALTER TABLE "integration_queue" ADD COLUMN     "archived_at" TIMESTAMPTZ(6),
ADD COLUMN     "is_sweepable" BOOLEAN NOT NULL DEFAULT true,
ALTER COLUMN "max_retries" SET DEFAULT 3;

-- AlterTable
ALTER TABLE "webhook_inbox" ADD COLUMN     "event_id" TEXT;

-- AlterTable
ALTER TABLE "event_ledger" DROP CONSTRAINT "event_ledger_pkey",
ADD CONSTRAINT "event_ledger_pkey" PRIMARY KEY ("shop", "event_id"),
ADD COLUMN     "subjects" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- DropIndex
DROP INDEX "event_ledger_shop_event_id_key";

-- DropIndex
DROP INDEX "integration_queue_shop_entity_type_entity_id_idx";

-- CreateTable
CREATE TABLE "channel_minutes" (
    "shop" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "delivered" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,
    "latency_ms_sum" BIGINT NOT NULL,
    "slot" SMALLINT NOT NULL DEFAULT 0,

    CONSTRAINT "channel_minutes_pkey" PRIMARY KEY ("shop","channel","minute","slot")
);

-- Only customers are looked for by who they are: other events do not pay for it.
CREATE INDEX "integration_queue_customer_idx" ON "integration_queue" ("shop", "entity_id") WHERE "entity_type" = 'customer';
-- What was settled and not archived yet: the few that an unwell archive left behind, and dead letters for a moment.
CREATE INDEX "integration_queue_unarchived_idx" ON "integration_queue" ("updated_at") WHERE "archived_at" IS NULL AND "status" IN ('delivered', 'dead_letter');
CREATE INDEX "integration_queue_created_idx" ON "integration_queue" USING brin ("created_at");
CREATE INDEX "delivery_attempts_created_idx" ON "delivery_attempts" USING brin ("created_at");
CREATE INDEX "channel_minutes_minute_idx" ON "channel_minutes" USING brin ("minute");
CREATE INDEX "webhook_inbox_received_idx" ON "webhook_inbox" USING brin ("received_at");
-- Warehouse events never reach a marketing system, whoever writes the row.
ALTER TABLE "integration_queue" ADD CONSTRAINT "integration_queue_wms_check" CHECK ("source" <> 'wms' OR "channel" IN ('backend', 'archive'));

-- An ingest of other events inserts no webhook and wakes nobody.
CREATE OR REPLACE FUNCTION "notify_webhook_inbox"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('webhook_inbox', '') FROM inserted HAVING count(*) > 0;
  RETURN NULL;
END $$;
DROP TRIGGER "webhook_inbox_notify" ON "webhook_inbox";
CREATE TRIGGER "webhook_inbox_notify" AFTER INSERT ON "webhook_inbox" REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION "notify_webhook_inbox"();
