-- The one way in which rows leave the append-only tables: of a whole store, while its removal is being worked (the triggers
-- of before see to that). It runs with the rights of its owner, so that the service's own role needs no right to delete
-- there. Its search path is fixed: a table of the caller's own must not stand in for ours.
CREATE FUNCTION "delete_redacted_rows"("from_table" text, "of_shop" text, "most" int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  deleted int;
BEGIN
  IF from_table NOT IN ('consent_records', 'event_ledger') THEN
    RAISE EXCEPTION 'permission denied: % is no append-only table', from_table USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM set_config('compliance.redacted_shop', of_shop, true);
  EXECUTE format('DELETE FROM %I WHERE shop = $1 AND ctid = ANY(ARRAY(SELECT ctid FROM %I WHERE shop = $1 LIMIT $2))', from_table, from_table) USING of_shop, most;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  PERFORM set_config('compliance.redacted_shop', '', true);
  RETURN deleted;
END $$;
DO $$ BEGIN EXECUTE format('ALTER FUNCTION delete_redacted_rows(text, text, int) SET search_path = %I, pg_temp', current_schema()); END $$;
REVOKE ALL ON FUNCTION "delete_redacted_rows"(text, text, int) FROM PUBLIC;
