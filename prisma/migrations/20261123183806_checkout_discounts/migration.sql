-- AlterTable
ALTER TABLE "checkout_sessions" ADD COLUMN     "discounts" JSONB;
