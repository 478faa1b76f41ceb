-- AlterTable
ALTER TABLE "storefront_users" ADD COLUMN     "storefront_name_hash" TEXT;
