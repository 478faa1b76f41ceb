-- An order counts once, whichever of its checkout's carts was paid. Code from before writes neither column: an open
-- checkout then has its current cart only, and a completed one the order in `order_id`.
ALTER TABLE "checkout_sessions" ADD COLUMN     "orders" JSONB,
ADD COLUMN     "replaced_carts" JSONB;

-- What orders cost beyond what was free of the maximum.
ALTER TABLE "mandates" ADD COLUMN     "owed_amount" DECIMAL(14,2) NOT NULL DEFAULT 0;
