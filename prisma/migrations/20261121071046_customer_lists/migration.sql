-- CreateTable
CREATE TABLE "tag_runs" (
    "shop" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "selection" TEXT NOT NULL DEFAULT '',
    "add" TEXT[],
    "remove" TEXT[],
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "total" INTEGER NOT NULL,
    "last_id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,
    "processed" INTEGER NOT NULL DEFAULT 0,
    "changed" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    "locked_until" TIMESTAMPTZ(6),
    "attempt_token" UUID,
    "last_error" TEXT,

    CONSTRAINT "tag_runs_pkey" PRIMARY KEY ("shop","id")
);

-- By hand from here: what Prisma cannot say.

ALTER TABLE "tag_runs" ADD CONSTRAINT "tag_runs_state_check" CHECK ("state" IN ('waiting', 'running', 'done', 'failed'));

-- One claim serves all tenants; history costs it nothing.
CREATE INDEX "tag_runs_open_idx" ON "tag_runs" ("created_at") WHERE "state" IN ('waiting', 'running');

CREATE FUNCTION "notify_tag_runs"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('tag_runs', '');
  RETURN NULL;
END $$;
CREATE TRIGGER "tag_runs_notify" AFTER INSERT ON "tag_runs" FOR EACH STATEMENT EXECUTE FUNCTION "notify_tag_runs"();

-- The merchant's list of customers: one index for each order it can have and for each search by beginning; the planner
-- walks an order when many people match, and goes to the few through the others. Small letters are those of every language,
-- whatever the database's own is; they are compared byte by byte, so that a beginning is a range and a place in the order
-- means the same on every server.
CREATE INDEX "storefront_users_label_idx" ON "storefront_users" ("shop", (lower(coalesce("full_name", "email", '') COLLATE "und-x-icu") COLLATE "C"), "id");
CREATE INDEX "storefront_users_email_start_idx" ON "storefront_users" ("shop", (lower("email" COLLATE "und-x-icu") COLLATE "C"));
CREATE INDEX "storefront_users_last_name_idx" ON "storefront_users" ("shop", (lower("last_name" COLLATE "und-x-icu") COLLATE "C"));
-- Whoever never signed in comes last, or first, and never in between.
CREATE INDEX "storefront_users_signed_in_idx" ON "storefront_users" ("shop", (coalesce("last_login_at", '-infinity')), "id");
CREATE INDEX "storefront_users_country_idx" ON "storefront_users" ("shop", "country") WHERE "country" IS NOT NULL;
CREATE INDEX "storefront_users_provider_idx" ON "storefront_users" ("shop", "provider");
CREATE INDEX "storefront_users_status_idx" ON "storefront_users" ("shop", "status") WHERE "status" <> 'active';
-- Few people let agents act or pay: they are found without reading the others.
CREATE INDEX "user_claims_a2a_idx" ON "user_claims" ("shop", "user_id") WHERE "consent_a2a";
CREATE INDEX "user_claims_ap2_idx" ON "user_claims" ("shop", "user_id") WHERE "consent_ap2";
