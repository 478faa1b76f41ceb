-- Every order of the store asks whose cart it paid, and most are of no checkout: without an index each would read all
-- checkouts. The expressions are those of checkout-completion.ts.
CREATE INDEX "checkout_sessions_cart_token_idx" ON "checkout_sessions"
  ("shop", split_part(split_part("external_id", '/', 5), '?', 1)) WHERE "source" = 'cart' AND "external_id" IS NOT NULL;
CREATE INDEX "checkout_sessions_replaced_carts_idx" ON "checkout_sessions" USING GIN ("replaced_carts" jsonb_path_ops)
  WHERE "replaced_carts" IS NOT NULL;
