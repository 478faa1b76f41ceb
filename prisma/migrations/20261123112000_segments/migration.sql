-- AlterTable
ALTER TABLE "tag_runs" ADD COLUMN     "segment_id" UUID;

-- CreateTable
CREATE TABLE "segments" (
    "shop" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "filter" JSONB NOT NULL,
    "sort" TEXT NOT NULL DEFAULT 'updated desc',
    "version" INTEGER NOT NULL DEFAULT 1,
    "customers" INTEGER,
    "counted_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "segments_pkey" PRIMARY KEY ("shop","id")
);

-- By hand from here: what Prisma cannot say.

-- A name is compared in lower case in every language, independent of the database's locale.
CREATE UNIQUE INDEX "segments_name_key" ON "segments" ("shop", (lower("name" COLLATE "und-x-icu")));

-- The last run of each segment; most runs have none.
CREATE INDEX "tag_runs_segment_idx" ON "tag_runs" ("shop", "segment_id", "created_at") WHERE "segment_id" IS NOT NULL;

ALTER TABLE "tag_runs" DROP CONSTRAINT "tag_runs_kind_check";
ALTER TABLE "tag_runs" ADD CONSTRAINT "tag_runs_kind_check"
  CHECK ("kind" IN ('tags', 'rules', 'profile', 'suspend', 'reactivate', 'data_request', 'erase'));

-- The indexes of the new filters: the last activity, and a consent that was declined or withdrawn.
CREATE INDEX "storefront_users_active_idx" ON "storefront_users"
  ("shop", (coalesce(greatest("last_login_at", "last_active_at"), "storefront_updated_at", "created_at")))
  WHERE "status" <> 'deleted';
CREATE INDEX "consent_records_revoked_idx" ON "consent_records" ("shop", "consent_type", "user_id")
  WHERE "action" = 'revoked' AND "user_id" IS NOT NULL;

-- Saved views become segments.
INSERT INTO "segments" ("shop", "id", "name", "filter", "sort")
  SELECT k.shop, gen_random_uuid(), v.view ->> 'name', coalesce(v.view -> 'filter', '{}'), coalesce(v.view ->> 'sort', 'updated desc')
  FROM "kv" k CROSS JOIN LATERAL jsonb_array_elements(
    CASE WHEN jsonb_typeof(k.value) = 'array' THEN k.value ELSE '[]' END
  ) AS v(view)
  WHERE k.key = 'customer_views' AND v.view ->> 'name' IS NOT NULL
  ON CONFLICT DO NOTHING;
DELETE FROM "kv" WHERE "key" = 'customer_views';
