-- AlterTable
ALTER TABLE "crm_tags" ADD COLUMN     "matched_to" INTEGER DEFAULT 0;

-- By hand: the tags whose comparison with the customers' own tags has not ended; almost always none.
CREATE INDEX "crm_tags_unmatched_idx" ON "crm_tags" ("shop") WHERE "matched_to" IS NOT NULL;

-- By hand: wakes the worker that compares a new tag.
CREATE FUNCTION "notify_tag_matches"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('tag_matches', '');
  RETURN NULL;
END $$;
CREATE TRIGGER "crm_tags_notify" AFTER INSERT ON "crm_tags" FOR EACH STATEMENT EXECUTE FUNCTION "notify_tag_matches"();
