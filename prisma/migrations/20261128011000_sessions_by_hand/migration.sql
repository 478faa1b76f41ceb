-- By hand, as Prisma cannot say it. A suspension ends every session for good: the service writes "sessions_valid_after" with it. After
-- an operator's statement that changed the status alone, a reactivation made the sessions from before valid again. The value is that
-- of the service: tokens are dated to the second, and one issued right after an earlier end is dated to that end.
CREATE FUNCTION "end_sessions_of_suspended"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.sessions_valid_after := greatest(date_trunc('second', clock_timestamp()), OLD.sessions_valid_after) + interval '1 second';
  RETURN NEW;
END $$;
CREATE TRIGGER "storefront_users_suspended_by_hand" BEFORE UPDATE OF "status" ON "storefront_users" FOR EACH ROW
  WHEN (NEW.status = 'suspended' AND OLD.status <> 'suspended'
    AND NEW.sessions_valid_after IS NOT DISTINCT FROM OLD.sessions_valid_after)
  EXECUTE FUNCTION "end_sessions_of_suspended"();
