-- AlterTable
ALTER TABLE "privacy_requests" ADD COLUMN     "steps" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "user_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[];
