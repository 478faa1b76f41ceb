-- By hand, as Prisma cannot say it. The scheduled run looks for the accounts that were deleted since the last one. Without an index
-- it read every key of the store, most of which belong to events.
CREATE INDEX "kv_deleted_accounts_idx" ON "kv" ("shop", "key") WHERE left("key", 16) = 'deleted_account:';
