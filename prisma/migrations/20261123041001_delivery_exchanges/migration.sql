-- CreateTable
CREATE TABLE "delivery_exchanges" (
    "shop" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "attempt_id" BIGINT NOT NULL,
    "token" UUID NOT NULL,
    "sealed" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "delivery_exchanges_pkey" PRIMARY KEY ("shop","event_id","attempt_id")
);

-- CreateIndex
CREATE INDEX "delivery_exchanges_created_idx" ON "delivery_exchanges" USING BRIN ("created_at");

-- By hand: what is sealed cannot be compressed, and trying costs every delivery.
ALTER TABLE "delivery_exchanges" ALTER COLUMN "sealed" SET STORAGE EXTERNAL;

-- By hand: the log's filters read the newest end of an index that holds what they look for and little else. Few attempts
-- are skipped or failed, so that a delivered one costs nothing more.
CREATE INDEX "delivery_attempts_skipped_idx" ON "delivery_attempts" ("shop", "id" DESC) WHERE "status" = 'delivered' AND "error" IS NOT NULL AND "error" NOT IN ('reported by the backend', 'sent at an earlier attempt whose answer was lost');
CREATE INDEX "delivery_attempts_http_status_idx" ON "delivery_attempts" ("shop", "http_status", "id" DESC) WHERE "status" = 'failed';
