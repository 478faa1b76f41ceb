-- By hand: what Prisma cannot say.

-- The members of a run go with its end, whoever ends it: a worker of an earlier version fails on a run that it does not
-- understand, and deletes no member that it does not know of.
CREATE FUNCTION "forget_tag_run_members"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM tag_run_members WHERE shop = NEW.shop AND run_id = NEW.id;
  RETURN NULL;
END $$;
DO $$ BEGIN EXECUTE format('ALTER FUNCTION forget_tag_run_members() SET search_path = %I, pg_temp', current_schema()); END $$;
CREATE TRIGGER "tag_runs_forget_members" AFTER UPDATE OF "state" ON "tag_runs" FOR EACH ROW
  WHEN (NEW.state IN ('done', 'failed', 'cancelled'))
  EXECUTE FUNCTION "forget_tag_run_members"();

-- Of the runs that such a worker has ended until now.
DELETE FROM "tag_run_members" m USING "tag_runs" r
  WHERE r.shop = m.shop AND r.id = m.run_id AND r.state IN ('done', 'failed', 'cancelled');
