-- AlterTable
ALTER TABLE "customer_tombstones" ADD COLUMN     "unproven" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "storefront_users" ADD COLUMN     "merged_into" INTEGER,
ADD COLUMN     "unproven_email" TEXT;

-- One waiting sign-up per address. Partial: nearly every row has none.
CREATE UNIQUE INDEX "storefront_users_unproven_email_key" ON "storefront_users" ("shop", lower("unproven_email")) WHERE "unproven_email" IS NOT NULL;
-- An address is proven or waits; it never stands in both columns of one row.
ALTER TABLE "storefront_users" ADD CONSTRAINT "storefront_users_one_email_check" CHECK ("email" IS NULL OR "unproven_email" IS NULL);
CREATE INDEX "storefront_users_merged_into_idx" ON "storefront_users" ("shop", "merged_into") WHERE "merged_into" IS NOT NULL;
