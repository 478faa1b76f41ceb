-- The order of a canceled checkout could count what another checkout held. What was spent is a fact; the
-- rest is what can still be held. Unrepaired, such a row could not even be revoked.
UPDATE "mandates" SET "reserved_amount" = "max_amount" - "spent_amount" WHERE "spent_amount" + "reserved_amount" > "max_amount";
