-- What was not sent is counted apart, and how long attempts took in ranges, so that percentiles of any period add up.
ALTER TABLE "channel_minutes" ADD COLUMN "skipped" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN "latencies" INTEGER[] DEFAULT ARRAY[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]::INTEGER[];

-- A store's newest minutes lie together: all screens read them by time.
ALTER TABLE "channel_minutes" DROP CONSTRAINT "channel_minutes_pkey",
ADD CONSTRAINT "channel_minutes_pkey" PRIMARY KEY ("shop", "minute", "channel", "slot");

-- CreateTable
CREATE TABLE "channel_hours" (
    "shop" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "channel" TEXT NOT NULL,
    "delivered" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,
    "skipped" INTEGER NOT NULL,
    "latency_ms_sum" BIGINT NOT NULL,
    "latencies" INTEGER[],

    CONSTRAINT "channel_hours_pkey" PRIMARY KEY ("shop","hour","channel")
);

-- CreateIndex
CREATE INDEX "channel_hours_hour_idx" ON "channel_hours" USING BRIN ("hour");
