-- The zone, or UTC for one that this database does not know: the platform may name zones that are newer than the database's
-- own rules, and a count must never fail a write or a screen for that.
CREATE FUNCTION "known_time_zone"("zone" text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM now() AT TIME ZONE zone;
  RETURN coalesce(nullif(zone, ''), 'UTC');
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN 'UTC';
END $$;

-- As before, but by the day of the store's time zone, which the statement that appends sets. An older version of the service
-- sets none, and counts UTC days. What is counted already stays on its day: nothing is rewritten here.
CREATE OR REPLACE FUNCTION "count_consent_records"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  zone text := known_time_zone(current_setting('consent.time_zone', true));
BEGIN
  INSERT INTO consent_days AS d (shop, day, consent_type, outcome, count)
  SELECT r.shop, r.day, r.consent_type, r.outcome, count(*) FROM (
    SELECT shop, (created_at AT TIME ZONE zone)::date AS day, consent_type,
      consent_outcome(shop, id, user_id, visitor_id, consent_type, action) AS outcome
    FROM inserted
  ) AS r
  WHERE r.outcome IS NOT NULL
  GROUP BY r.shop, r.day, r.consent_type, r.outcome ORDER BY r.shop, r.day, r.consent_type, r.outcome
  ON CONFLICT (shop, day, consent_type, outcome) DO UPDATE SET count = d.count + excluded.count;
  RETURN NULL;
END $$;
