-- DropIndex
DROP INDEX "webhook_inbox_shop_delivery_id_key";

-- AlterTable
ALTER TABLE "webhook_inbox" ADD COLUMN     "storefront_event_id" TEXT;

-- By hand from here: what Prisma cannot say.

-- Several subscriptions for a topic deliver one event several times, under delivery ids of their own: the event is what is
-- unique. A delivery that names no event is known by its own id.
CREATE UNIQUE INDEX "webhook_inbox_event_key" ON "webhook_inbox" ("shop", "topic", "storefront_event_id") WHERE "storefront_event_id" IS NOT NULL;
CREATE UNIQUE INDEX "webhook_inbox_delivery_key" ON "webhook_inbox" ("shop", "delivery_id") WHERE "storefront_event_id" IS NULL;
