-- AlterTable
ALTER TABLE "storefront_users" ADD COLUMN     "last_active_at" TIMESTAMPTZ(3),
ADD COLUMN     "storefront_created_at" TIMESTAMPTZ(3),
ADD COLUMN     "tags_due_at" TIMESTAMPTZ(3);

-- By hand: the customers whose tags time alone changes next.
CREATE INDEX "storefront_users_tags_due_idx" ON "storefront_users" ("shop", "tags_due_at") WHERE "tags_due_at" IS NOT NULL;

-- By hand: runs of the tag rules.
ALTER TABLE "tag_runs" DROP CONSTRAINT "tag_runs_kind_check";
ALTER TABLE "tag_runs" ADD CONSTRAINT "tag_runs_kind_check"
  CHECK ("kind" IN ('tags', 'rules', 'suspend', 'reactivate', 'data_request', 'erase'));
