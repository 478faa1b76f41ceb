-- CreateTable
CREATE TABLE "consent_days" (
    "shop" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "consent_type" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "consent_days_pkey" PRIMARY KEY ("shop","day","consent_type","outcome")
);

-- By hand from here: what Prisma cannot say.
ALTER TABLE "consent_days" ADD CONSTRAINT "consent_days_outcome_check" CHECK ("outcome" IN ('granted', 'declined', 'withdrawn'));

-- What a record of the consent log says, by the person's state before it: a revocation is a withdrawal when a grant of that
-- type was in force, else the person declined. Null for a mandate's events. The one place of this rule.
CREATE FUNCTION "consent_outcome"("of_shop" text, "of_id" int, "of_user" int, "of_visitor" text, "of_type" text, "of_action" text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  before text;
BEGIN
  IF of_action = 'granted' THEN RETURN 'granted'; END IF;
  IF of_action <> 'revoked' THEN RETURN NULL; END IF;
  -- By the id, which has the order of `seq` and is in the index of each person's records.
  IF of_user IS NOT NULL THEN
    SELECT action INTO before FROM consent_records
      WHERE shop = of_shop AND user_id = of_user AND id < of_id AND consent_type = of_type AND action IN ('granted', 'revoked')
      ORDER BY id DESC LIMIT 1;
  ELSE
    SELECT action INTO before FROM consent_records
      WHERE shop = of_shop AND visitor_id = of_visitor AND id < of_id AND consent_type = of_type AND action IN ('granted', 'revoked')
      ORDER BY id DESC LIMIT 1;
  END IF;
  RETURN CASE WHEN before = 'granted' THEN 'withdrawn' ELSE 'declined' END;
END $$;

-- Counted where the records are inserted, so that the counts agree with the log whichever version of the service writes it.
-- A store's writers wait for each other at the head of its chain: two never wait for a row here.
CREATE FUNCTION "count_consent_records"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO consent_days AS d (shop, day, consent_type, outcome, count)
  SELECT r.shop, r.day, r.consent_type, r.outcome, count(*) FROM (
    SELECT shop, (created_at AT TIME ZONE 'UTC')::date AS day, consent_type,
      consent_outcome(shop, id, user_id, visitor_id, consent_type, action) AS outcome
    FROM inserted
  ) AS r
  WHERE r.outcome IS NOT NULL
  GROUP BY r.shop, r.day, r.consent_type, r.outcome ORDER BY r.shop, r.day, r.consent_type, r.outcome
  ON CONFLICT (shop, day, consent_type, outcome) DO UPDATE SET count = d.count + excluded.count;
  RETURN NULL;
END $$;
-- Creating it waits for the writers and holds new ones until the counts of the records before it are in.
CREATE TRIGGER "consent_records_count" AFTER INSERT ON "consent_records" REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION "count_consent_records"();

-- The rule once more, over all records in one pass: person by person it would take minutes.
INSERT INTO "consent_days" ("shop", "day", "consent_type", "outcome", "count")
SELECT shop, (created_at AT TIME ZONE 'UTC')::date, consent_type,
  CASE WHEN action = 'granted' THEN 'granted' WHEN before = 'granted' THEN 'withdrawn' ELSE 'declined' END AS outcome, count(*)
FROM (
  SELECT shop, created_at, consent_type, action,
    lag(action) OVER (PARTITION BY shop, user_id, CASE WHEN user_id IS NULL THEN visitor_id END, consent_type ORDER BY id) AS before
  FROM "consent_records" WHERE action IN ('granted', 'revoked')
) AS r
GROUP BY 1, 2, 3, 4;
