-- The settings show when the store's web pixel last sent an event: without this index that reads the store's whole ledger.
-- Partial, so that no other event pays for it.
CREATE INDEX "event_ledger_pixel_idx" ON "event_ledger" ("shop", "received_at") WHERE "source" = 'storefront_pixel';
