-- AlterTable
ALTER TABLE "tag_runs" ADD COLUMN     "chosen" JSONB,
ADD COLUMN     "started_by" TEXT;

-- CreateTable
CREATE TABLE "tag_run_refusals" (
    "shop" TEXT NOT NULL,
    "run_id" UUID NOT NULL,
    "user_id" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tag_run_refusals_pkey" PRIMARY KEY ("shop","run_id","user_id")
);

-- CreateIndex
CREATE INDEX "tag_run_refusals_shop_user_id_idx" ON "tag_run_refusals"("shop", "user_id");
