-- A cart of an agent has one open checkout for each shopper and agent. No row has a cart yet: the index is made by reading the
-- table once, without writing anything.
ALTER TABLE "checkout_sessions" ADD COLUMN     "cart_id" UUID;
CREATE UNIQUE INDEX "checkout_sessions_open_cart_idx" ON "checkout_sessions"
  ("shop", "customer_id", coalesce("client_id", ''), "cart_id")
  WHERE "cart_id" IS NOT NULL AND "status" NOT IN ('completed', 'canceled');
