-- A cart of an agent has one open checkout for each shopper and agent. In a transaction of its own: the table is read
-- meanwhile.
CREATE UNIQUE INDEX "checkout_sessions_open_cart_idx" ON "checkout_sessions"
  ("shop", "customer_id", coalesce("client_id", ''), "cart_id")
  WHERE "cart_id" IS NOT NULL AND "status" NOT IN ('completed', 'canceled');
