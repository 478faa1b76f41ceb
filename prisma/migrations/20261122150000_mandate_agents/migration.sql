-- AlterTable
ALTER TABLE "checkout_sessions" ADD COLUMN     "client_id" TEXT;

-- AlterTable
ALTER TABLE "mandates" ADD COLUMN     "agent_clients" TEXT[];
