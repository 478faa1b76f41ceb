-- AlterTable
ALTER TABLE "customer_tombstones" ADD COLUMN     "user_id" INTEGER;

-- AlterTable
ALTER TABLE "privacy_requests" ADD COLUMN     "attempt_token" UUID,
ADD COLUMN     "attempts" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "delivery_id" TEXT NOT NULL,
ADD COLUMN     "last_error" TEXT,
ADD COLUMN     "locked_until" TIMESTAMPTZ(6),
ADD COLUMN     "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "triggered_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE UNIQUE INDEX "privacy_requests_shop_delivery_id_key" ON "privacy_requests"("shop", "delivery_id");

-- By hand from here: what Prisma cannot say.

ALTER TABLE "privacy_requests" ADD CONSTRAINT "privacy_requests_kind_check" CHECK ("kind" IN ('data_request', 'customer_redact', 'shop_redact'));
ALTER TABLE "privacy_requests" ADD CONSTRAINT "privacy_requests_state_check" CHECK ("state" IN ('received', 'running', 'done', 'retained', 'failed'));

-- One claim serves all tenants; history costs it nothing.
CREATE INDEX "privacy_requests_due_idx" ON "privacy_requests" ("next_attempt_at", "id") WHERE "state" = 'received';
CREATE INDEX "privacy_requests_lease_idx" ON "privacy_requests" ("locked_until") WHERE "state" = 'running';

CREATE FUNCTION "notify_privacy_requests"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('privacy_requests', '');
  RETURN NULL;
END $$;
CREATE TRIGGER "privacy_requests_notify" AFTER INSERT ON "privacy_requests" FOR EACH STATEMENT EXECUTE FUNCTION "notify_privacy_requests"();

-- The append-only tables let one deletion pass: of a store whose whole data must go (shop/redact). Two things must agree:
-- the transaction names the store, and a request to delete exactly that store is being worked. UPDATE and TRUNCATE stay
-- refused for everybody, and so does every other DELETE, one that would find no row included.
CREATE FUNCTION "refuse_delete_unless_named"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(current_setting('compliance.redacted_shop', true), '') = '' THEN
    RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION "refuse_delete_unless_redacted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.shop = current_setting('compliance.redacted_shop', true)
    AND EXISTS (SELECT 1 FROM privacy_requests WHERE shop = '*' AND kind = 'shop_redact' AND state = 'running' AND payload->>'shop' = OLD.shop) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'integrity_constraint_violation';
END $$;
DROP TRIGGER "consent_records_append_only" ON "consent_records";
DROP TRIGGER "event_ledger_append_only" ON "event_ledger";
CREATE TRIGGER "consent_records_append_only" BEFORE UPDATE OR TRUNCATE ON "consent_records" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "event_ledger_append_only" BEFORE UPDATE OR TRUNCATE ON "event_ledger" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "consent_records_keep" BEFORE DELETE ON "consent_records" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_delete_unless_named"();
CREATE TRIGGER "event_ledger_keep" BEFORE DELETE ON "event_ledger" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_delete_unless_named"();
CREATE TRIGGER "consent_records_keep_row" BEFORE DELETE ON "consent_records" FOR EACH ROW EXECUTE FUNCTION "refuse_delete_unless_redacted"();
CREATE TRIGGER "event_ledger_keep_row" BEFORE DELETE ON "event_ledger" FOR EACH ROW EXECUTE FUNCTION "refuse_delete_unless_redacted"();
