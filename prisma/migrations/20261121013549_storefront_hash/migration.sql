-- AlterTable
ALTER TABLE "storefront_users" ADD COLUMN     "storefront_hash" TEXT;
