-- AlterTable
ALTER TABLE "checkout_sessions" ADD COLUMN     "delivery" JSONB;
