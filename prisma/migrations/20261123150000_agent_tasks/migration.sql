-- An agent lists the tasks of its shopper: without this index that reads every task of the store's last hour. Partial, so that
-- no other key pays for it.
CREATE INDEX "kv_agent_tasks_idx" ON "kv" ("shop", ("value"->>'user_id'), ("value"->'task'->'status'->>'timestamp') DESC, "key" DESC)
  WHERE left("key", 11) = 'agent_task:';
