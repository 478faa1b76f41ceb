-- By hand, as Prisma cannot say it. "storefront_users_shop_email_key" has no deleted accounts, because their address may be used
-- again. A sign-in, a page of the customer sync and an erasure look for these too, and without an index that has them read
-- every customer of the store. Not partial: the planner takes no statistics from a partial index, and expects a two-hundredth
-- of the table for each address.
CREATE INDEX "storefront_users_address_idx" ON "storefront_users" ("shop", lower("email"));
