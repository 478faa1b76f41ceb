-- AlterTable
ALTER TABLE "mandates" ADD COLUMN     "revoked_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "privacy_requests_shop_subject_hmac_idx" ON "privacy_requests"("shop", "subject_hmac");

-- By hand: a mandate is revoked in several places, most of them triggers too; its time is noted in one.
CREATE FUNCTION "note_mandate_revocation"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.revoked_at := clock_timestamp();
  RETURN NEW;
END $$;
CREATE TRIGGER "mandates_note_revocation" BEFORE UPDATE OF "status" ON "mandates" FOR EACH ROW
  WHEN (NEW.status = 'revoked' AND OLD.status <> 'revoked') EXECUTE FUNCTION "note_mandate_revocation"();
