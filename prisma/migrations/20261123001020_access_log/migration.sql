-- CreateTable
CREATE TABLE "access_log" (
    "shop" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT,
    "action" TEXT NOT NULL,
    "user_id" INTEGER,
    "count" INTEGER,
    "place" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "access_log_pkey" PRIMARY KEY ("shop","id")
);

-- CreateIndex
CREATE INDEX "access_log_shop_user_id_id_idx" ON "access_log"("shop", "user_id", "id" DESC);

-- CreateIndex
CREATE INDEX "access_log_created_idx" ON "access_log" USING BRIN ("created_at");

-- By hand: a misspelt action or actor would be missed by whoever searches the log for it.
ALTER TABLE "access_log" ADD CONSTRAINT "access_log_action_check" CHECK ("action" IN ('viewed', 'listed', 'exported', 'changed', 'erased'));
ALTER TABLE "access_log" ADD CONSTRAINT "access_log_actor_kind_check" CHECK ("actor_kind" IN ('staff', 'operator', 'agent', 'shopper', 'link'));
