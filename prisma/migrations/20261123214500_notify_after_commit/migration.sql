-- A transaction that notifies takes a lock of the whole database at its commit and holds it while the
-- commit is written: notifying commits stand in a row. Transactions of the service therefore collect
-- their notifications in `queue.wakes`, a setting of the transaction, and the service sends them after
-- the commit (runtime/database/wakes.ts). What a single statement or another program inserts is announced at once, as before.
CREATE FUNCTION "wake_workers"("queue" text, "payload" text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  collected text := coalesce(current_setting('queue.wakes', true), '');
  wake jsonb := jsonb_build_array(jsonb_build_array(queue, payload));
BEGIN
  IF collected = '' THEN
    PERFORM pg_notify(queue, payload);
  ELSIF NOT collected::jsonb @> wake THEN
    PERFORM set_config('queue.wakes', (collected::jsonb || wake)::text, true);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION "notify_integration_queue"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM wake_workers('integration_queue', string_agg(DISTINCT channel, ',')) FROM inserted WHERE status = 'pending' HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "notify_webhook_inbox"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM wake_workers('webhook_inbox', '') FROM inserted HAVING count(*) > 0;
  RETURN NULL;
END $$;
