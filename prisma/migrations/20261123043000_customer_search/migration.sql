-- The merchant's customer list: search by any part of a name, an address or a number, and an index for each new filter.

-- AlterTable
ALTER TABLE "storefront_users" ADD COLUMN     "search_text" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "tag_runs" ADD COLUMN     "kind" TEXT NOT NULL DEFAULT 'tags';

-- By hand from here: what Prisma cannot say.

ALTER TABLE "tag_runs" ADD CONSTRAINT "tag_runs_kind_check" CHECK ("kind" IN ('tags', 'suspend', 'reactivate', 'data_request', 'erase'));

-- What a search looks into, in one form for all scripts: compatibility forms, case and accents folded. The application folds
-- what is searched in the same way (customer-search.ts).
CREATE FUNCTION "customer_search_text"("full_name" text, "first_name" text, "last_name" text, "email" text, "gid" text, "id" int)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT translate(regexp_replace(lower(normalize(
    coalesce(left(full_name, 200), '') || ' ' || coalesce(left(first_name, 100), '') || ' ' || coalesce(left(last_name, 100), '')
    || ' ' || coalesce(left(email, 320), '') || ' ' || coalesce(substring(gid FROM '[0-9]+$'), '') || ' ' || id::text,
    NFKD) COLLATE "und-x-icu"), U&'[\0300-\036f]', '', 'g'), U&'\03c2', U&'\03c3')
$$;

-- A trigger and no generated column: Prisma reads a generated column as one with a default.
CREATE FUNCTION "set_customer_search_text"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search_text := CASE WHEN NEW.status = 'deleted' THEN ''
    ELSE customer_search_text(NEW.full_name, NEW.first_name, NEW.last_name, NEW.email, NEW.storefront_customer_gid, NEW.id) END;
  RETURN NEW;
END $$;
DO $$ BEGIN EXECUTE format('ALTER FUNCTION set_customer_search_text() SET search_path = %I, pg_temp', current_schema()); END $$;

-- One rewrite of the table instead of an UPDATE of every row, which would leave the table and its indexes twice as large.
ALTER TABLE "storefront_users" ALTER COLUMN "search_text" TYPE TEXT USING
  CASE WHEN "status" = 'deleted' THEN ''
    ELSE customer_search_text("full_name", "first_name", "last_name", "email", "storefront_customer_gid", "id") END;
CREATE TRIGGER "storefront_users_search_text" BEFORE INSERT OR UPDATE OF "full_name", "first_name", "last_name", "email",
  "storefront_customer_gid", "status", "search_text" ON "storefront_users" FOR EACH ROW EXECUTE FUNCTION "set_customer_search_text"();

-- The key of three characters, or of a word's first one or two, in the index below. The store is part of the key: a search
-- reads nothing of other stores, however many there are. Numbers instead of text keep the keys small; a collision costs a
-- row that the search reads and leaves out.
CREATE FUNCTION "customer_search_key"("of_shop" text, "part" text)
RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT hashtextextended(part, hashtextextended(of_shop, 0))
$$;

CREATE FUNCTION "customer_search_keys"("of_shop" text, "searched" text)
RETURNS bigint[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(hashtextextended(part, seed)), '{}')
  FROM (SELECT hashtextextended(of_shop, 0) AS seed, ' ' || translate(searched, '@._+-', '     ') AS words) AS folded,
    generate_series(1, length(searched)) AS place,
    LATERAL (
      SELECT substr(searched, place, 3) AS part WHERE place <= length(searched) - 2
      UNION ALL
      SELECT '^' || substr(words, place + 1, most) FROM generate_series(1, 2) AS most
      WHERE substr(words, place, 1) = ' ' AND substr(words, place + 1, 1) <> ' '
    ) AS parts
  WHERE position(' ' IN part) = 0
$$;

-- The store's own index of trigrams: pg_trgm would need an extension, and its index does not know the store. Its pending list
-- is short, because every search reads all of it.
CREATE INDEX "storefront_users_search_idx" ON "storefront_users" USING GIN ((customer_search_keys("shop", "search_text")))
  WITH (gin_pending_list_limit = 256);
-- No statistics: what is searched is no constant of the plan, and an ANALYZE would compute the keys of every sampled row.
ALTER INDEX "storefront_users_search_idx" ALTER COLUMN 1 SET STATISTICS 0;

-- Searches by the beginning of a column, which the index above replaces.
DROP INDEX "storefront_users_email_start_idx";
DROP INDEX "storefront_users_last_name_idx";

-- One index for each new filter. Without the deleted customers, whom no list shows, a count reads the index alone.
CREATE INDEX "storefront_users_orders_idx" ON "storefront_users" ("shop", "number_of_orders") WHERE "status" <> 'deleted';
CREATE INDEX "storefront_users_spent_idx" ON "storefront_users" ("shop", "amount_spent") WHERE "status" <> 'deleted';
CREATE INDEX "storefront_users_created_idx" ON "storefront_users" ("shop", "created_at") WHERE "status" <> 'deleted';
CREATE INDEX "storefront_users_language_idx" ON "storefront_users" ("shop", "language_pref") WHERE "status" <> 'deleted';
CREATE INDEX "storefront_users_email_subscription_idx" ON "storefront_users" ("shop", "email_subscription_status") WHERE "status" <> 'deleted';
CREATE INDEX "storefront_users_sms_subscription_idx" ON "storefront_users" ("shop", "sms_subscription_status") WHERE "status" <> 'deleted';
