-- AlterTable
ALTER TABLE "integration_queue" ADD COLUMN     "is_quarantined" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "lost_alone" SMALLINT NOT NULL DEFAULT 0;
