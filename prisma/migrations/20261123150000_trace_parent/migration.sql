-- The trace that a webhook or an event came with (W3C `traceparent`), so that the work in the background continues it.
-- Null while no traces are collected.
ALTER TABLE "webhook_inbox" ADD COLUMN "trace_parent" TEXT;
ALTER TABLE "integration_queue" ADD COLUMN "trace_parent" TEXT;
