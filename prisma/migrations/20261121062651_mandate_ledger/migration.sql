-- AlterTable
ALTER TABLE "checkout_sessions" ADD COLUMN     "order_id" TEXT;

-- AlterTable
ALTER TABLE "mandates" ADD COLUMN     "reservations" INTEGER NOT NULL DEFAULT 0;

-- By hand from here: what Prisma cannot say.

ALTER TABLE "mandates" ADD CONSTRAINT "mandates_usage_check" CHECK ("usage" IN ('single', 'multi'));
-- The last word on money: whatever a statement forgets, no more is spent than the shopper allowed.
ALTER TABLE "mandates" ADD CONSTRAINT "mandates_spent_check" CHECK ("spent_amount" >= 0 AND "spent_amount" <= "max_amount" AND "reserved_amount" >= 0 AND "reservations" >= 0);
ALTER TABLE "checkout_sessions" ADD CONSTRAINT "checkout_sessions_status_check" CHECK ("status" IN ('incomplete', 'requires_escalation', 'ready_for_complete', 'complete_in_progress', 'completed', 'canceled'));

-- What the scheduled run looks for.
CREATE INDEX "checkout_sessions_open_idx" ON "checkout_sessions" ("shop", "expires_at") WHERE "status" NOT IN ('completed', 'canceled');

-- A mandate ends with what it rests on, in the same transaction, whoever wrote it (as an agent's grant does): consent and
-- identity are earlier subjects than commerce and must not know it, and a consent that is given again later must not bring
-- an old mandate back to life.
CREATE FUNCTION "revoke_mandates_without_consent"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE mandates SET status = 'revoked' WHERE shop = OLD.shop AND customer_id = OLD.user_id AND status = 'active';
  RETURN NULL;
END $$;
CREATE TRIGGER "user_claims_revoke_mandates" AFTER UPDATE OF "consent_ap2" ON "user_claims" FOR EACH ROW WHEN (OLD.consent_ap2 AND NOT NEW.consent_ap2) EXECUTE FUNCTION "revoke_mandates_without_consent"();
CREATE TRIGGER "user_claims_gone_revoke_mandates" AFTER DELETE ON "user_claims" FOR EACH ROW WHEN (OLD.consent_ap2) EXECUTE FUNCTION "revoke_mandates_without_consent"();

CREATE FUNCTION "revoke_mandates_with_sessions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE mandates SET status = 'revoked' WHERE shop = NEW.shop AND customer_id = NEW.id AND status = 'active';
  RETURN NULL;
END $$;
CREATE TRIGGER "storefront_users_revoke_mandates" AFTER UPDATE OF "sessions_valid_after", "status" ON "storefront_users" FOR EACH ROW
  WHEN (NEW.sessions_valid_after IS DISTINCT FROM OLD.sessions_valid_after OR (NEW.status <> 'active' AND OLD.status = 'active')) EXECUTE FUNCTION "revoke_mandates_with_sessions"();
