-- AlterTable
ALTER TABLE "user_extras" ADD COLUMN     "ga_client_id" TEXT;
