-- By hand, as Prisma cannot say it. Every process keeps the tenant records and the platform's configuration in memory and reads one
-- again when its version has changed. A program that changes the value alone, as an operator's statement does, changed nothing
-- until somebody saved a setting. The trigger costs the service's own writes one comparison: they change the version themselves.
CREATE FUNCTION "set_changed_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;
CREATE TRIGGER "kv_changed_version" BEFORE UPDATE OF "value" ON "kv" FOR EACH ROW
  WHEN (NEW.version = OLD.version AND NEW.key IN ('tenant:' || NEW.shop, 'platform:config')
    AND NEW.value IS DISTINCT FROM OLD.value)
  EXECUTE FUNCTION "set_changed_version"();
