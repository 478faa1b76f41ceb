-- A list of an agent's tasks, and the deletion of its oldest, read the tasks of that agent only. The former index led through
-- those of all agents of the shopper; this one begins with the same columns, so that the previous version uses it as well.
CREATE INDEX "kv_agent_tasks_of_client_idx" ON "kv" ("shop", ("value"->>'user_id'), (coalesce("value"->>'client_id', '')),
  ("value"->'task'->'status'->>'timestamp') DESC, "key" DESC) WHERE left("key", 11) = 'agent_task:';
DROP INDEX "kv_agent_tasks_idx";
