-- What is spent and what open checkouts hold is together at most the maximum. Without a scan: rows from
-- before are repaired by the next migration.
ALTER TABLE "mandates" ADD CONSTRAINT "mandates_budget_check" CHECK ("spent_amount" + "reserved_amount" <= "max_amount") NOT VALID;
