-- AlterTable
ALTER TABLE "privacy_requests" ADD COLUMN     "lease_lost" SMALLINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "store_moves" ADD COLUMN     "lease_lost" SMALLINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "tag_runs" ADD COLUMN     "lease_lost" SMALLINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "webhook_inbox" ADD COLUMN     "lease_lost" SMALLINT NOT NULL DEFAULT 0;
