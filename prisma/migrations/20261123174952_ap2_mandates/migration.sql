-- AlterTable
ALTER TABLE "checkout_sessions" ADD COLUMN     "ap2_checkout" TEXT;

-- AlterTable
ALTER TABLE "mandates" ADD COLUMN     "ap2_mandates" JSONB;
