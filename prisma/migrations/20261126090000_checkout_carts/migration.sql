-- Every order of the store asks whose cart it paid, and most are of no checkout: without an index each would read all
-- checkouts. The first expression is CART_TOKEN (paid-carts.ts).
CREATE INDEX "checkout_sessions_cart_token_idx" ON "checkout_sessions"
  ("shop", substring("external_id" FROM '/Cart/([^?]+)')) WHERE substring("external_id" FROM '/Cart/([^?]+)') IS NOT NULL;
CREATE INDEX "checkout_sessions_replaced_carts_idx" ON "checkout_sessions" USING GIN ("replaced_carts" jsonb_path_ops)
  WHERE "replaced_carts" IS NOT NULL;
