-- AlterTable
ALTER TABLE "checkout_sessions" ADD COLUMN     "escalation" TEXT;
