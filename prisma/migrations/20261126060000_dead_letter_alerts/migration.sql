-- When the alert and the automation of a dead letter went out: they do not wait for the archive. Of what was archived
-- before, they are out; `archived_at` says so.
ALTER TABLE "integration_queue" ADD COLUMN "alerted_at" TIMESTAMPTZ(6);
