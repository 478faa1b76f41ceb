-- The agent's cart that a checkout was made of.
ALTER TABLE "checkout_sessions" ADD COLUMN     "cart_id" UUID;
