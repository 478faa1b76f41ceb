-- By hand, as Prisma cannot say it. A record that is inserted without its place in the chain, as by an operator who brings in older
-- consents, is appended to the chain: it was refused, because it has no hash. The service's own records have theirs, and pay
-- one comparison. The hash covers what `evidenceOf` in record-consent.ts does.
CREATE FUNCTION "append_consent_record"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  head consent_chain_heads%ROWTYPE;
  texts text;
BEGIN
  NEW.consent_id := coalesce(NEW.consent_id, gen_random_uuid()::text);
  INSERT INTO consent_chain_heads (shop, seq, hash) VALUES (NEW.shop, 0, repeat('0', 64)) ON CONFLICT (shop) DO NOTHING;
  SELECT * INTO head FROM consent_chain_heads WHERE shop = NEW.shop FOR UPDATE;
  -- Under the lock, so that ids rise with the log.
  NEW.id := nextval(pg_get_serial_sequence('consent_records', 'id'));
  NEW.seq := head.seq + 1;
  NEW.prev_hash := head.hash;
  texts := array_to_json(ARRAY[NEW.visitor_id, NEW.consent_type, NEW.action, NEW.method, NEW.consent_version, NEW.consent_id,
    NEW.user_agent, NEW.ga_session_id, NEW.timestamp, NEW.form_type, NEW.source_page, NEW.policy_hash])::text;
  NEW.hash := encode(sha256(convert_to(head.hash || E'\n[' || NEW.seq || ',' || coalesce(NEW.user_id::text, 'null') || ','
    || substr(texts, 2, length(texts) - 2) || ',' || NEW.gpc || ',"'
    || to_char(NEW.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"]', 'UTF8')), 'hex');
  UPDATE consent_chain_heads SET seq = NEW.seq, hash = NEW.hash, updated_at = clock_timestamp() WHERE shop = NEW.shop;
  RETURN NEW;
END $$;
DO $$ BEGIN EXECUTE format('ALTER FUNCTION append_consent_record() SET search_path = %I, pg_temp', current_schema()); END $$;
CREATE TRIGGER "consent_records_append" BEFORE INSERT ON "consent_records" FOR EACH ROW WHEN (NEW.hash IS NULL)
  EXECUTE FUNCTION "append_consent_record"();
