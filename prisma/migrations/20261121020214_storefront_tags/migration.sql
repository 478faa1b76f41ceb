-- AlterTable
ALTER TABLE "storefront_users" ADD COLUMN     "storefront_slugs" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "storefront_tagged_at" TIMESTAMPTZ(3);
