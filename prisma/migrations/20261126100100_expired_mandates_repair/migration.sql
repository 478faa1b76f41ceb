-- Mandates that were revoked after their time are expired again. Nobody can have revoked one by hand then: that
-- statement has always looked at the time. Rows from before `revoked_at` keep their state, because it is not known.
UPDATE "mandates" SET "status" = 'active', "revoked_at" = NULL WHERE "status" = 'revoked' AND "revoked_at" > "expires_at";
