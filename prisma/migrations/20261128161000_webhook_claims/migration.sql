-- Webhooks are claimed store by store, by "webhook_inbox_turn_idx". While few rows were waiting when the statistics were
-- made, the planner took this one for it, and a claim read every waiting row.
DROP INDEX "webhook_inbox_pending_idx";
