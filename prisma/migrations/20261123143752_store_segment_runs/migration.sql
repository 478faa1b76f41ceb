-- AlterTable
ALTER TABLE "tag_runs" ADD COLUMN     "store_segment" TEXT,
ADD COLUMN     "unknown" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "tag_run_members" (
    "shop" TEXT NOT NULL,
    "run_id" UUID NOT NULL,
    "user_id" INTEGER NOT NULL,

    CONSTRAINT "tag_run_members_pkey" PRIMARY KEY ("shop","run_id","user_id")
);

-- By hand from here: what Prisma cannot say.

-- One open run for a segment of the store admin and its tags: a second request gets the first one's run.
CREATE UNIQUE INDEX "tag_runs_store_segment_idx" ON "tag_runs" ("shop", "store_segment", "add")
  WHERE "store_segment" IS NOT NULL AND "state" IN ('waiting', 'running');
