-- Moves of stores between cells (docs/decisions/043-cells-and-moves.md). The rows of `store_moves` are in the home
-- database; every cell has its own `held_stores`.
CREATE TABLE "store_moves" (
  "shop" TEXT NOT NULL,
  "id" UUID NOT NULL,
  "from_cell" TEXT NOT NULL,
  "to_cell" TEXT NOT NULL,
  "state" TEXT NOT NULL DEFAULT 'waiting',
  "step" TEXT NOT NULL DEFAULT 'prepare',
  "progress" JSONB NOT NULL DEFAULT '{}',
  "is_cancel_requested" BOOLEAN NOT NULL DEFAULT false,
  "error" TEXT,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "finished_at" TIMESTAMPTZ(3),
  "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "locked_until" TIMESTAMPTZ(6),
  "attempt_token" UUID,
  CONSTRAINT "store_moves_pkey" PRIMARY KEY ("shop", "id")
);
-- Of two moves of one store at once, the second is refused.
CREATE UNIQUE INDEX "store_moves_open_key" ON "store_moves" ("shop") WHERE "state" IN ('waiting', 'running');
CREATE INDEX "store_moves_created_at_idx" ON "store_moves" ("created_at" DESC);

CREATE TABLE "held_stores" (
  "shop" TEXT NOT NULL,
  "move_id" UUID NOT NULL,
  "role" TEXT NOT NULL,
  "is_held" BOOLEAN NOT NULL DEFAULT true,
  "refuses_until" TIMESTAMPTZ(6),
  "is_sealed" BOOLEAN NOT NULL DEFAULT false,
  "guarded_until" TIMESTAMPTZ(6),
  CONSTRAINT "held_stores_pkey" PRIMARY KEY ("shop"),
  CONSTRAINT "held_stores_role_check" CHECK ("role" IN ('arriving', 'leaving', 'gone'))
);
-- Read by every claim: it contains the stores that are moving at this moment, nearly always none.
CREATE INDEX "held_stores_held_idx" ON "held_stores" ("shop") WHERE "is_held";

-- The write barrier. A move puts this function on the store's tables, in triggers whose WHEN names the store: the writes of
-- other stores never call it. A writer holds the shared lock until its transaction ends; the move closes the barrier under
-- the exclusive one, so that no write of before the barrier is still open after it. An unsealed barrier ends by itself.
CREATE FUNCTION "refuse_moving_store"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_refused boolean;
BEGIN
  IF current_setting('store_moves.working_on', true) IS DISTINCT FROM TG_ARGV[0] THEN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('store_move ' || TG_ARGV[0], 0));
    SELECT role = 'gone' OR is_sealed OR coalesce(refuses_until > clock_timestamp(), false) INTO is_refused
      FROM held_stores WHERE shop = TG_ARGV[0];
    IF is_refused THEN
      RAISE EXCEPTION 'the store is being moved to another cell' USING ERRCODE = 'SM001';
    END IF;
  END IF;
  IF TG_OP = 'DELETE' THEN
    RETURN OLD;
  END IF;
  RETURN NEW;
END $$;

-- As before, and of a store whose rows are the copies of a move: those that arrive and are given up, or those that stayed
-- behind. The service's own role cannot write `held_stores`.
CREATE OR REPLACE FUNCTION "refuse_delete_unless_redacted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.shop = current_setting('compliance.redacted_shop', true) AND (
    EXISTS (SELECT 1 FROM privacy_requests WHERE shop = '*' AND kind = 'shop_redact' AND state = 'running' AND payload->>'shop' = OLD.shop)
    OR EXISTS (SELECT 1 FROM held_stores WHERE shop = OLD.shop AND role IN ('arriving', 'gone'))) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'integrity_constraint_violation';
END $$;
