-- By hand, as Prisma cannot say it. The service itself never sets these times back, except where it writes the next time too:
-- who corrects them by hand, or imports older ones, does not know that the tags of time wait for "tags_due_at". The trigger costs
-- the service's own writes one comparison and nothing else.
CREATE FUNCTION "set_tags_due"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.tags_due_at := least(NEW.tags_due_at, now());
  RETURN NEW;
END $$;
CREATE TRIGGER "storefront_users_tags_due" BEFORE UPDATE OF "created_at", "last_login_at", "last_active_at" ON "storefront_users"
  FOR EACH ROW WHEN (NEW.status <> 'deleted' AND (NEW.created_at < OLD.created_at OR NEW.last_active_at < OLD.last_active_at
    OR NEW.last_login_at < coalesce(OLD.last_login_at, now() - interval '1 day')))
  EXECUTE FUNCTION "set_tags_due"();
